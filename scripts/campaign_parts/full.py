"""The fourth part: the disk that a run writes to is full before it has ended."""

import os
import shutil
import subprocess

from . import case as cases
from . import tree
from .child import Child
from .kills import Disturbed
from .workloads import MODES, TAGGED

# Those that ask a server write little, and late.
COMMANDS = [command for command in TAGGED if command not in MODES]
# A disk in a mount namespace of its own, which goes with the shell that made it. What was left on
# it is copied to where it can be looked at.
SCRIPT = """mount -t tmpfs -o size="$0" tmpfs disk && cp -a out/. disk && mount --bind disk out || exit 77
"$@"; code=$?
umount out && rm -rf out/* && cp -a disk/. out && exit $code || exit 78"""


def namespace():
    """How a mount namespace is made here, or nothing: root may, others on some systems."""
    for flags in (["--mount"], ["--map-root-user", "--mount"]):
        argv = ["unshare", *flags, "sh", "-c", "mount -t tmpfs tmpfs /mnt"]
        try:
            if subprocess.run(argv, capture_output=True, check=False).returncode == 0:
                return ["unshare", *flags]
        except FileNotFoundError:
            return None
    return None


def run(context, index):
    rng = cases.rng_for(context.seed, "full", index)
    case = Disturbed(context, "full", index, COMMANDS[index % len(COMMANDS)], rng.random() < 0.5)
    os.mkdir(os.path.join(case.folder, "disk"))
    held = tree.size(case.out)
    # Up to what the result takes, in pages; what older outputs take is there already.
    reference = tree.size(case.reference)
    room = held + int(reference * rng.uniform(0, 1.1))
    argv = [*context.namespace, "sh", "-c", SCRIPT, str(max(room, 4096)), context.binary, *case.words]
    result = Child(argv, case.folder, context.scratch).wait(60)
    shutil.rmtree(os.path.join(case.folder, "disk"))
    if result.timed_out:
        case.found.append(("time", "still running after 60 s"))
    elif result.code not in (case.code, 3):
        case.found.append(("exit code", f"exit {result.code} on a full disk"))
    elif result.code == 3 and b"disk full" not in result.stderr:
        said = result.stderr.decode(errors="replace").strip()[-160:]
        case.found.append(("silence", f"exit 3 without the reason: {said}"))
    case.found += [("temporary", f"{path} on a full disk") for path in tree.temporaries(case.folder)[:1]]
    case.found += [("processes", f"left running: {orphan}") for orphan in result.orphans[:1]]
    return case.told(result, "a full disk", f"{room >> 10} KiB where {held + reference >> 10} would do")
