"""One case: files, a command line and streams, made from a seed and a number alone."""

import os
import random
from dataclasses import dataclass, field

from . import server, tree
from .child import FifoReader, FifoWriter
from .scenarios import Token


@dataclass
class Case:
    scenario: object
    argv: list
    files: dict
    # (kind, path, about): what is laid out besides plain files, in this order.
    specials: list = field(default_factory=list)
    stdout: str = "file"
    stderr: str = "file"
    stdin: str = None
    mode: str = "ok"
    # What was done to the valid case, for people.
    notes: list = field(default_factory=list)
    # Files that may be replaced: an earlier version of an output.
    replaceable: set = field(default_factory=set)
    # Inputs that a mutation has made useless: name → (bytes, what they are).
    hopeless: dict = field(default_factory=dict)
    # Why nothing but a refusal is right, if so.
    unusable: str = None
    threads_twin: bool = False
    stream_twin: bool = False

    def tokens(self, *kinds):
        return [(at, word) for at, word in enumerate(self.argv) if isinstance(word, Token) and word.kind in kinds]

    def input_files(self):
        """Plain files that the command line leads to, with the place in it that does."""
        found = []
        for at, word in self.tokens("input"):
            for name in self.files:
                if name == word or name.startswith(word + "/"):
                    found.append((at, name))
        return found

    def words(self, address):
        """The command line as it is run."""
        return [address(self.mode) if isinstance(w, Token) and w.kind == "address" else str(w) for w in self.argv]

    def json_wanted(self):
        return "--json" in self.argv


def stock_of(scenario, stock):
    """The files that a scenario needs."""
    return {name: data for name, data in stock.items()
            if any(name == need or name.startswith(need + "/") for need in scenario.needs)}


def valid(scenario, stock, rng):
    """A valid case: the scenario with some of its extras."""
    argv = list(scenario.argv)
    taken = set(argv)
    for extra in rng.sample(scenario.extras, len(scenario.extras)):
        clash = extra[0] in taken or (extra[0] == "--json" and "--format" in taken) \
            or (extra[0] == "--format" and "--json" in taken)
        if not clash and rng.random() < 0.3:
            argv += extra
            taken.add(extra[0])
    if scenario.threads:
        argv += ["--threads", type_number("2")]
    case = Case(scenario, argv, stock_of(scenario, stock))
    if any(isinstance(word, Token) and word.kind == "address" for word in argv) and rng.random() < 0.6:
        case.mode = rng.choice(server.PATIENT + server.FAULTS)
        case.notes.append(f"server {case.mode}")
    return case


def type_number(text):
    made = Token(text)
    made.kind = "number"
    return made


class Laid:
    """A case laid out in a folder; what serves its FIFOs runs until it is closed."""

    def __init__(self, case, folder):
        self.folder = folder
        self.helpers = []
        os.makedirs(folder)
        tree.write_files(folder, case.files)
        for special in case.specials:
            try:
                self.lay(*special)
            except OSError:
                # Mutations may contradict each other; what can be laid out is.
                pass
        self.before = tree.snapshot(folder)

    def lay(self, kind, path, about):
        full = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        if os.path.isfile(full) or os.path.islink(full):
            os.remove(full)
        if kind == "symlink":
            os.symlink(about, full)
        elif kind == "hardlink":
            os.link(os.path.join(self.folder, about), full)
        elif kind == "folder":
            os.makedirs(full, exist_ok=True)
        elif kind == "device":
            make_device(full, about)
        else:
            os.mkfifo(full)
            self.helpers.append(FifoWriter(full, about) if kind == "fifo-in" else FifoReader(full))

    def close(self):
        for helper in self.helpers:
            helper.stop()


def make_device(path, minor):
    """A device node of our own (1:3 is null, 1:7 full): never the system's, which might be replaced."""
    os.mknod(path, 0o20666, os.makedev(1, minor))


def devices_possible(folder):
    path = os.path.join(folder, "probe-device")
    try:
        make_device(path, 3)
        with open(path, "wb") as handle:
            handle.write(b"x")
        return True
    except OSError:
        return False
    finally:
        if os.path.lexists(path):
            os.remove(path)


def rng_for(seed, phase, index):
    return random.Random(f"{seed}/{phase}/{index}")
