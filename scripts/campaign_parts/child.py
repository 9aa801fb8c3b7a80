"""Running the program under test: bounded in time and memory, with streams as a case wants them."""

import os
import resource
import select
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

MIB = 1 << 20
# Address space of a child. What it really touched is looked at as well: see `checks`.
ADDRESS_SPACE = 2048 * MIB
# A file longer than this can only be a mistake, and must not fill the disk.
FILE_SIZE = 512 * MIB

# What must not leak into a case from whoever runs the campaign.
ENVIRONMENT = {
    "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
    "HOME": "/nonexistent",
    "LC_ALL": "C.UTF-8",
    "SOURCE_DATE_EPOCH": "1700000000",
    "NO_PROXY": "127.0.0.1",
    "OPENAI_API_KEY": "not-a-secret",
    "MALLOC_ARENA_MAX": "4",
}


# Children of this process that have not been waited for.
LIVING = set()


def end_all(*_):
    """When the campaign is stopped, nothing that it started goes on."""
    for pid in list(LIVING):
        end_session(pid)
    os._exit(1)


def limit_self():
    """Limits this worker, and with it every child: no hook between fork and exec is needed."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE))


@dataclass
class Result:
    """How a run ended. A negative code is the number of the signal that ended it."""

    code: int = 0
    timed_out: bool = False
    seconds: float = 0.0
    peak_bytes: int = 0
    stdout: bytes = b""
    stderr: bytes = b""
    # Processes of its session that were alive when it had ended.
    orphans: list = field(default_factory=list)


class Child:
    """A process in a session of its own, so that all it starts can be found again."""

    def __init__(self, argv, folder, scratch, stdout="file", stderr="file", stdin=None, name="child"):
        self.captured = {}
        opened = []

        def stream(kind, which):
            if kind == "full":
                handle = open("/dev/full", "wb")
            elif kind == "broken":
                reader, writer = os.pipe()
                os.close(reader)
                handle = os.fdopen(writer, "wb")
            else:
                path = Path(scratch) / f"{name}.{which}"
                handle = open(path, "wb")
                self.captured[which] = path
            opened.append(handle)
            return handle

        out, err = stream(stdout, "stdout"), stream(stderr, "stderr")
        closing = "".join(f" {fd}>&-" for fd, kind in ((1, stdout), (2, stderr)) if kind == "closed")
        if closing:
            argv = ["/bin/sh", "-c", f'exec "$@"{closing}', "sh", *argv]
        source = open(stdin, "rb") if stdin else subprocess.DEVNULL
        if stdin:
            opened.append(source)
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            argv, cwd=folder, stdin=source, stdout=out, stderr=err,
            env=ENVIRONMENT, start_new_session=True, restore_signals=True,
        )
        self.pid = self.process.pid
        LIVING.add(self.pid)
        self.ended = None
        for handle in opened:
            handle.close()

    def signal(self, number):
        if self.ended is None:
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                pass

    def wait(self, seconds):
        """Waits for the end; kills what is over time. Leaves nothing of its session alive."""
        result = Result()
        if not self._await(seconds):
            result.timed_out = True
            self.signal(signal.SIGKILL)
            self._await(30)
        status, usage = self.ended
        result.code = os.waitstatus_to_exitcode(status)
        result.seconds = time.monotonic() - self.started
        result.peak_bytes = usage.ru_maxrss * 1024
        result.orphans = end_session(self.pid)
        LIVING.discard(self.pid)
        for which, path in self.captured.items():
            setattr(result, which, path.read_bytes())
            path.unlink()
        return result

    def _await(self, seconds):
        deadline = time.monotonic() + seconds
        try:
            handle = os.pidfd_open(self.pid)
        except (AttributeError, OSError):
            handle = None
        try:
            while self.ended is None:
                left = deadline - time.monotonic()
                if handle is not None and left > 0:
                    poll = select.poll()
                    poll.register(handle, select.POLLIN)
                    poll.poll(left * 1000)
                pid, status, usage = os.wait4(self.pid, os.WNOHANG)
                if pid:
                    self.ended = (status, usage)
                    self.process.returncode = os.waitstatus_to_exitcode(status)
                elif time.monotonic() >= deadline:
                    return False
                elif handle is None:
                    time.sleep(0.002)
        finally:
            if handle is not None:
                os.close(handle)
        return True


def session_members(session):
    """Living processes of a session that one of our children leads, as (pid, command line)."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            stat = Path(f"/proc/{entry}/stat").read_text()
            fields = stat.rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] not in "ZX":
                words = Path(f"/proc/{entry}/cmdline").read_bytes().split(b"\0")
                found.append((int(entry), b" ".join(words[:4]).decode(errors="replace")))
        except (OSError, ValueError, IndexError):
            continue
    return found


def end_session(session):
    """Names, then ends, what a child of ours has left running. Only its own session is touched."""
    if not os.path.isdir("/proc"):
        return []
    orphans = session_members(session)
    for pid, _ in orphans:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    deadline = time.monotonic() + 5
    while orphans and session_members(session) and time.monotonic() < deadline:
        time.sleep(0.01)
    return [command for _, command in orphans]


class FifoWriter:
    """Serves bytes through a FIFO once, like `<(command)` of a shell, until told to stop."""

    def __init__(self, path, data):
        self.path, self.data, self.stopped = path, data, False
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self):
        handle = None
        while handle is None and not self.stopped:
            try:
                handle = os.open(self.path, os.O_WRONLY | os.O_NONBLOCK)
            except OSError:
                time.sleep(0.001)
        left = memoryview(self.data)
        try:
            while handle is not None and len(left) and not self.stopped:
                try:
                    left = left[os.write(handle, left[:65536]):]
                except BlockingIOError:
                    time.sleep(0.001)
        except OSError:
            pass
        if handle is not None:
            os.close(handle)

    def stop(self):
        self.stopped = True
        self.thread.join(5)


class FifoReader:
    """Takes whatever is written to a FIFO, so that a writer does not wait for ever."""

    def __init__(self, path):
        self.handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self.stopped = False
        self.data = b""
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        while not self.stopped:
            try:
                block = os.read(self.handle, 65536)
            except BlockingIOError:
                block = b""
            self.data += block
            if not block:
                time.sleep(0.001)

    def stop(self):
        self.stopped = True
        self.thread.join(5)
        os.close(self.handle)
