"""What a folder holds, so that before and after can be compared."""

import hashlib
import os
import stat
from pathlib import Path


def snapshot(folder):
    """Every path below a folder (relative, as text) with what it is: kind and content or target."""
    found = {}
    for parent, folders, files in os.walk(folder, followlinks=False):
        for name in folders + files:
            path = os.path.join(parent, name)
            found[os.path.relpath(path, folder)] = describe(path)
    return found


def describe(path):
    try:
        status = os.lstat(path)
        if stat.S_ISLNK(status.st_mode):
            return ("link", os.readlink(path))
        if stat.S_ISREG(status.st_mode):
            return ("file", hashlib.sha256(Path(path).read_bytes()).hexdigest())
        if stat.S_ISDIR(status.st_mode):
            return ("folder", "")
        return ("other", stat.S_IFMT(status.st_mode))
    except OSError as error:
        return ("unreadable", str(error.errno))


def temporaries(folder):
    """Names that the program gives to files it has not finished."""
    return sorted(path for path in snapshot(folder) if "judica-tmp" in os.path.basename(path))


def write_files(folder, files):
    for name, data in files.items():
        path = os.path.join(folder, name)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as handle:
                handle.write(data)
        except OSError:
            # A file where another needs a folder: mutations may contradict each other.
            pass


def read_files(folder):
    """Regular files below a folder: relative path → bytes."""
    found = {}
    for parent, _, files in os.walk(folder):
        for name in files:
            path = os.path.join(parent, name)
            if os.path.isfile(path) and not os.path.islink(path):
                found[os.path.relpath(path, folder)] = Path(path).read_bytes()
    return found


def size(folder):
    """Bytes that the files below a folder take on a disk of pages of 4 KiB."""
    sizes = [len(data) for data in read_files(folder).values()]
    return sum(-(-length // 4096) * 4096 for length in sizes)
