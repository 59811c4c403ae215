"""The kernels in C: the functions of `bleucli.kernels.python`, and the checksum of their sources."""

from bleucli.kernels.python import *  # noqa: F403 - its __all__

_checksum: str
