"""The kernels in C, for setuptools; all else about the package stands in pyproject.toml.

Users without a compiler do without them. With `BLEU_KERNELS=native` in the environment a build that cannot compile them
fails, and says why.
"""

import os
import sysconfig
from glob import glob
from runpy import run_path

from setuptools import Extension, setup

NATIVE = "bleucli/kernels/native"
checksum = run_path("bleucli/kernels/sources.py")["checksum"]
# One wheel serves every Python from 3.11 on, except free-threaded ones, which have no limited API
has_limited_api = not sysconfig.get_config_var("Py_GIL_DISABLED")

setup(
    ext_modules=[
        Extension(
            "bleucli.kernels._native",
            sources=sorted(glob(f"{NATIVE}/*.c")),
            depends=sorted(glob(f"{NATIVE}/*.h")),
            define_macros=[("Py_LIMITED_API", "0x030b0000"), ("BLEU_SOURCES_CHECKSUM", checksum())],
            # -ffp-contract: doubles are computed as they are written, on all processors
            extra_compile_args=["-O3", "-ffp-contract=off", "-fvisibility=hidden"],
            py_limited_api=True,
            optional=os.environ.get("BLEU_KERNELS") != "native",
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if has_limited_api else {},
)
