"""sacreBLEU's own test suite, from its sdist: which tests pass and which fail. Without a network, some fail."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile

place = os.path.join(sys.argv[1], "sacrebleu-2.6.0")
if not os.path.isdir(place):
    download = ["pip", "download", "--quiet", "--no-deps", "--no-binary", "sacrebleu", "--dest", sys.argv[1]]
    subprocess.run([sys.executable, "-m", *download, "sacrebleu==2.6.0"], check=True)
    with tarfile.open(f"{place}.tar.gz") as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.2 has no filters
        archive.extractall(sys.argv[1], [member for member in archive if "/test/" in member.name])
command = [sys.executable, "-m", "pytest", "-rA", "--tb=no", "-p", "no:cacheprovider", "test"]
told = subprocess.run(command, check=False, cwd=place, capture_output=True, text=True).stdout
outcomes = re.findall(r"^((?:PASSED|FAILED|ERROR) test/.*?)(?: - .*)?$", told, re.MULTILINE)
if not any(outcome.startswith("PASSED") for outcome in outcomes):
    sys.exit(f"no test passed: {told.splitlines()[-1:]}")
print("\n".join(sorted(outcomes)))
