"""The `judica` command: the same program, without a file of its own."""

import sys

from ._native import main as _main


def main() -> None:
    sys.exit(_main(sys.argv[1:]))


if __name__ == "__main__":
    main()
