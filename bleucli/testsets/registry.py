"""The registry of test sets: where each one is, what makes its language pairs, what to cite."""

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class Source(NamedTuple):
        """A download: its address, and the checksum of its bytes in hexadecimal digits; "" for one that is not known."""

        url: str
        sha256: str = ""
        md5: str = ""

else:
    Source = namedtuple("Source", "url sha256 md5", defaults=("", ""))
