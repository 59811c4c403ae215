"""The version of sacreBLEU that this package replaces."""

from __future__ import annotations

__version__ = version = "2.6.0"
__version_tuple__ = version_tuple = (2, 6, 0)
commit_id = __commit_id__ = None

__all__ = ["__commit_id__", "__version__", "__version_tuple__", "commit_id", "version", "version_tuple"]
