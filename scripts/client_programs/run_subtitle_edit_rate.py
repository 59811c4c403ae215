"""SubER's command on plain text, for the metrics that it takes from sacreBLEU, and on subtitles made from that text."""

from __future__ import annotations

import os
import sys

os.chdir(sys.argv[1])
for system in ("ref", "a", "b"):
    with open(f"{system}.txt", encoding="utf-8") as lines, open(f"{system}.srt", "w", encoding="utf-8") as subtitles:
        for number, line in enumerate(lines):
            minute, second = divmod(3 * number, 60)
            start = f"00:{minute:02}:{second:02}"
            subtitles.write(f"{number + 1}\n{start},000 --> {start},900\n{line.strip() or '-'}\n\n")
for words in (
    "-H a.txt -R ref.txt -f plain -F plain -m BLEU TER chrF WER",
    "-H b.txt -R ref.txt -f plain -F plain -m BLEU TER chrF",
    "-H a.srt -R ref.srt -m SubER AS-BLEU AS-TER AS-chrF BLEU TER-seg",
):
    sys.stdout.flush()
    if os.system(f"{sys.executable} -m suber {words} 2>&1"):
        sys.exit(f"suber {words} failed")
