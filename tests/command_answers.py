"""The command's answers for the two texts of `conftest.pair`, written by hand.

7 of 9 words match, 3 of 7 pairs, 2 of 5 triples, 1 of 3 quadruples, and the system is longer than the reference. So
BLEU is (7/9 * 3/7 * 2/5 * 1/3) ** (1/4) = 0.459149769... The first segment has 5/6, 3/5, 2/4, 1/3 (0.53728...), the
second has 2/3, 0/2, 0/1, which `exp` turns into 2/3, 1/4, 1/4 (0.34668...).
"""

from __future__ import annotations

import bleucli

VERSION = f"bleucli-{bleucli.__version__}"
SIGNATURE = f"nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:{VERSION}"
SHORT_SIGNATURE = f"#:1|c:mixed|e:no|tok:13a|s:exp|v:{VERSION}"
SEGMENT_SIGNATURE = SIGNATURE.replace("eff:no", "eff:yes")
VERBOSE = "77.8/42.9/40.0/33.3 (BP = 1.000 ratio = 1.125 hyp_len = 9 ref_len = 8)"
VERBOSE_1 = "83.3/60.0/50.0/33.3 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)"
VERBOSE_2 = "66.7/25.0/25.0/0.0 (BP = 1.000 ratio = 1.500 hyp_len = 3 ref_len = 2)"
PERFECT = "100.0/100.0/100.0/100.0 (BP = 1.000 ratio = 1.000 hyp_len = 8 ref_len = 8)"

TEXT = f"BLEU|{SIGNATURE} = 45.9 {VERBOSE}\n"
JSON = f"""{{
 "name": "BLEU",
 "score": 45.9,
 "signature": "{SIGNATURE}",
 "verbose_score": "{VERBOSE}",
 "nrefs": "1",
 "case": "mixed",
 "eff": "no",
 "tok": "13a",
 "smooth": "exp",
 "version": "{VERSION}"
}}
"""
TABLE = f"""\
╒══════════╤════════╕
│   System │  BLEU  │
╞══════════╪════════╡
│  sys.txt │  45.9  │
├──────────┼────────┤
│  ref.txt │ 100.0  │
╘══════════╧════════╛

-----------------
Metric signatures
-----------------
 - BLEU       {SIGNATURE}
"""
JSON_OF_TWO = f"""[
    {{
        "system": "sys.txt",
        "BLEU": {{
            "name": "BLEU",
            "score": 45.9,
            "signature": "{SIGNATURE}",
            "verbose_score": "{VERBOSE}",
            "nrefs": "1",
            "case": "mixed",
            "eff": "no",
            "tok": "13a",
            "smooth": "exp",
            "version": "{VERSION}"
        }}
    }},
    {{
        "system": "ref.txt",
        "BLEU": {{
            "name": "BLEU",
            "score": 100.0,
            "signature": "{SIGNATURE}",
            "verbose_score": "{PERFECT}",
            "nrefs": "1",
            "case": "mixed",
            "eff": "no",
            "tok": "13a",
            "smooth": "exp",
            "version": "{VERSION}"
        }}
    }}
]
"""
SEGMENTS = f"""\
BLEU|{SEGMENT_SIGNATURE} = 53.7 {VERBOSE_1}
BLEU|{SEGMENT_SIGNATURE} = 34.7 {VERBOSE_2}
"""
