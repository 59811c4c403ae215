"""The checksum that ties a compiled kernel to its C sources, so that an old build cannot pass for today's.

`native/checksum.h` holds the checksum of the other sources and is compiled into the extension. Run as a program, this
module brings it up to date (`python bleucli/kernels/sources.py`), as `scripts/test` and `scripts/demo` do before they
build.
"""

import os
from binascii import crc32

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "native")
_HEADER = "checksum.h"


def checksum() -> str | None:
    """Return the checksum of the C sources beside this file; None where there are none (an installed wheel)."""
    if not os.path.isdir(FOLDER):
        return None
    total = 0
    for name in sorted(os.listdir(FOLDER)):
        if name.endswith((".c", ".h")) and name != _HEADER:
            with open(os.path.join(FOLDER, name), "rb") as source:
                total = crc32(name.encode() + source.read().replace(b"\r\n", b"\n"), total)
    return f"{total:08x}"


def header() -> str:
    """Return what `native/checksum.h` has to say."""
    return (
        "/* Written by kernels/sources.py: the checksum of the other files in this folder. */\n"
        f'#define BLEU_SOURCES_CHECKSUM "{checksum()}"\n'
    )


def write_header() -> None:
    """Bring `native/checksum.h` up to date; leave it alone where it is."""
    path = os.path.join(FOLDER, _HEADER)
    current = ""
    if os.path.exists(path):
        with open(path, encoding="ascii") as file:
            current = file.read()
    if current != header():
        with open(path, "w", encoding="ascii", newline="\n") as file:
            file.write(header())


if __name__ == "__main__":
    write_header()
