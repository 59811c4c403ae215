"""The checksum that ties compiled kernels to their C sources, so that an outdated build is recognized."""

from __future__ import annotations

import os

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "native")


def checksum() -> str | None:
    """Return the checksum of the C sources next to this file; None if there are none (in an installed wheel).

    `setup.py` runs this file on its own and compiles the checksum into the kernels; `kernels` compares it on loading.
    """
    if not os.path.isdir(_FOLDER):
        return None
    from binascii import crc32

    total = 0
    for name in sorted(os.listdir(_FOLDER)):
        if name.endswith((".c", ".h")):
            with open(os.path.join(_FOLDER, name), "rb") as source:
                # Git may check files out with the line ends of Windows
                total = crc32(name.encode() + source.read().replace(b"\r\n", b"\n"), total)
    return f"{total:08x}"
