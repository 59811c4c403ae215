"""What to cite for a score, as data: metrics and `output` choose from it.

- `Paper`: a publication; the constants after it are those for metrics, tokenizers, smoothing and tests
- `write_entry`: a BibTeX entry; `cite`: how a sentence cites papers
- `TOKENIZERS`, `find_tokenizer`, `TESTS`: which papers belong to which
"""

from __future__ import annotations

from collections.abc import Sequence

from bleucli.records import NamedTuple


class Paper(NamedTuple):
    """A publication."""

    key: str  # in BibTeX: that of the ACL Anthology, if it has the paper
    kind: str  # of the BibTeX entry
    short: str  # how a sentence cites it
    authors: Sequence[str]
    year: int
    title: str
    venue: str  # where it appeared, in short; "" for a report
    url: str
    fields: Sequence[tuple[str, str]] = ()  # more fields of the BibTeX entry

    @property
    def full(self) -> str:
        """Return the paper as an item in a list of references."""
        venue = f" {self.venue}." if self.venue else ""
        return f"{', '.join(self.authors)} ({self.year}): {self.title}.{venue} {self.url}"

    @property
    def bibtex(self) -> str:
        r"""Return the paper as a BibTeX entry.

        >>> print(MECAB.bibtex.partition("\n")[0])
        @inproceedings{kudo-etal-2004-applying,
        """
        authors = " and ".join(self.authors)
        if self.kind == "misc":
            authors = f"{{{authors}}}"  # a team, not a first and a last name
        fields = [("author", authors), ("title", f"{{{self.title}}}"), *self.fields]
        return write_entry(self.kind, self.key, [*fields, ("year", str(self.year)), ("url", self.url)])


def write_entry(kind: str, key: str, fields: Sequence[tuple[str, str]]) -> str:
    """Return a BibTeX entry.

    >>> print(write_entry("misc", "bleucli", [("title", "{bleucli}")]))
    @misc{bleucli,
      title = {{bleucli}},
    }
    """
    return "\n".join([f"@{kind}{{{key},", *(f"  {name} = {{{value}}}," for name, value in fields), "}"])


def cite(papers: Sequence[Paper]) -> str:
    """Return papers as a sentence cites them, with a blank before; "" for none.

    >>> cite([MECAB, SENTENCEPIECE])
    ' (Kudo et al., 2004; Kudo and Richardson, 2018)'
    """
    return f" ({'; '.join(paper.short for paper in papers)})" if papers else ""


class Tokenizer(NamedTuple):
    """A tokenizer: its signature, or the start of it, which then ends in a hyphen; what it is; what to cite."""

    start: str
    about: str
    papers: Sequence[Paper] = ()


BLEU = Paper(
    "papineni-etal-2002-bleu",
    "inproceedings",
    "Papineni et al., 2002",
    (
        "Kishore Papineni",
        "Salim Roukos",
        "Todd Ward",
        "Wei-Jing Zhu",
    ),
    2002,
    "BLEU: a Method for Automatic Evaluation of Machine Translation",
    "ACL",
    "https://aclanthology.org/P02-1040",
    (
        ("booktitle", "Proceedings of the 40th Annual Meeting of the Association for Computational Linguistics"),
        ("pages", "311--318"),
    ),
)
CHRF = Paper(
    "popovic-2015-chrf",
    "inproceedings",
    "Popović, 2015",
    ("Maja Popović",),
    2015,
    "chrF: character n-gram F-score for automatic MT evaluation",
    "WMT",
    "https://aclanthology.org/W15-3049",
    (
        ("booktitle", "Proceedings of the Tenth Workshop on Statistical Machine Translation"),
        ("pages", "392--395"),
    ),
)
CHRF_WORDS = Paper(
    "popovic-2017-chrf",
    "inproceedings",
    "Popović, 2017",
    ("Maja Popović",),
    2017,
    "chrF++: words helping character n-grams",
    "WMT",
    "https://aclanthology.org/W17-4770",
    (
        ("booktitle", "Proceedings of the Second Conference on Machine Translation"),
        ("pages", "612--618"),
    ),
)
TER = Paper(
    "snover-etal-2006-study",
    "inproceedings",
    "Snover et al., 2006",
    (
        "Matthew Snover",
        "Bonnie Dorr",
        "Rich Schwartz",
        "Linnea Micciulla",
        "John Makhoul",
    ),
    2006,
    "A Study of Translation Edit Rate with Targeted Human Annotation",
    "AMTA",
    "https://aclanthology.org/2006.amta-papers.25",
    (
        (
            "booktitle",
            "Proceedings of the 7th Conference of the Association for Machine Translation in the Americas:"
            " Technical Papers",
        ),
        ("pages", "223--231"),
    ),
)
EDIT_DISTANCE = Paper(
    "levenshtein-1966-binary",
    "article",
    "Levenshtein, 1966",
    ("Vladimir I. Levenshtein",),
    1966,
    "Binary Codes Capable of Correcting Deletions, Insertions, and Reversals",
    "Soviet Physics Doklady 10(8)",
    "https://ui.adsabs.harvard.edu/abs/1966SPhD...10..707L",
    (
        ("journal", "Soviet Physics Doklady"),
        ("volume", "10"),
        ("number", "8"),
        ("pages", "707--710"),
    ),
)
SACREBLEU = Paper(
    "post-2018-call",
    "inproceedings",
    "Post, 2018",
    ("Matt Post",),
    2018,
    "A Call for Clarity in Reporting BLEU Scores",
    "WMT",
    "https://aclanthology.org/W18-6319",
    (
        ("booktitle", "Proceedings of the Third Conference on Machine Translation: Research Papers"),
        ("pages", "186--191"),
    ),
)
SMOOTHING = Paper(
    "chen-cherry-2014-systematic",
    "inproceedings",
    "Chen and Cherry, 2014",
    (
        "Boxing Chen",
        "Colin Cherry",
    ),
    2014,
    "A Systematic Comparison of Smoothing Techniques for Sentence-Level BLEU",
    "WMT",
    "https://aclanthology.org/W14-3346",
    (
        ("booktitle", "Proceedings of the Ninth Workshop on Statistical Machine Translation"),
        ("pages", "362--367"),
    ),
)
MECAB = Paper(
    "kudo-etal-2004-applying",
    "inproceedings",
    "Kudo et al., 2004",
    (
        "Taku Kudo",
        "Kaoru Yamamoto",
        "Yuji Matsumoto",
    ),
    2004,
    "Applying Conditional Random Fields to Japanese Morphological Analysis",
    "EMNLP",
    "https://aclanthology.org/W04-3230",
    (
        ("booktitle", "Proceedings of the 2004 Conference on Empirical Methods in Natural Language Processing"),
        ("pages", "230--237"),
    ),
)
SENTENCEPIECE = Paper(
    "kudo-richardson-2018-sentencepiece",
    "inproceedings",
    "Kudo and Richardson, 2018",
    (
        "Taku Kudo",
        "John Richardson",
    ),
    2018,
    "SentencePiece: A simple and language independent subword tokenizer and detokenizer for Neural Text Processing",
    "EMNLP",
    "https://aclanthology.org/D18-2012",
    (
        (
            "booktitle",
            "Proceedings of the 2018 Conference on Empirical Methods in Natural Language Processing: System"
            " Demonstrations",
        ),
        ("pages", "66--71"),
    ),
)
FLORES_101 = Paper(
    "goyal-etal-2022-flores",
    "article",
    "Goyal et al., 2022",
    (
        "Naman Goyal",
        "Cynthia Gao",
        "Vishrav Chaudhary",
        "Peng-Jen Chen",
        "Guillaume Wenzek",
        "Da Ju",
        "Sanjana Krishnan",
        "Marc'Aurelio Ranzato",
        "Francisco Guzmán",
        "Angela Fan",
    ),
    2022,
    "The Flores-101 Evaluation Benchmark for Low-Resource and Multilingual Machine Translation",
    "TACL",
    "https://aclanthology.org/2022.tacl-1.30",
    (
        ("journal", "Transactions of the Association for Computational Linguistics"),
        ("volume", "10"),
        ("pages", "522--538"),
    ),
)
FLORES_200 = Paper(
    "nllb-2022-language",
    "misc",
    "NLLB Team, 2022",
    ("NLLB Team",),
    2022,
    "No Language Left Behind: Scaling Human-Centered Machine Translation",
    "",
    "https://arxiv.org/abs/2207.04672",
)
TOUCAN = Paper(
    "elmadany-etal-2024-toucan",
    "inproceedings",
    "Elmadany et al., 2024",
    (
        "AbdelRahim Elmadany",
        "Ife Adebara",
        "Muhammad Abdul-Mageed",
    ),
    2024,
    "Toucan: Many-to-Many Translation for 150 African Language Pairs",
    "Findings of ACL",
    "https://aclanthology.org/2024.findings-acl.781",
    (
        ("booktitle", "Findings of the Association for Computational Linguistics: ACL 2024"),
        ("pages", "13189--13206"),
    ),
)
SELF_BLEU = Paper(
    "zhu-etal-2018-texygen",
    "inproceedings",
    "Zhu et al., 2018",
    (
        "Yaoming Zhu",
        "Sidi Lu",
        "Lei Zheng",
        "Jiaxian Guo",
        "Weinan Zhang",
        "Jun Wang",
        "Yong Yu",
    ),
    2018,
    "Texygen: A Benchmarking Platform for Text Generation Models",
    "SIGIR",
    "https://arxiv.org/abs/1802.01886",
    (
        (
            "booktitle",
            "The 41st International ACM SIGIR Conference on Research and Development in Information Retrieval",
        ),
        ("pages", "1097--1100"),
    ),
)
DISTINCT = Paper(
    "li-etal-2016-diversity",
    "inproceedings",
    "Li et al., 2016",
    (
        "Jiwei Li",
        "Michel Galley",
        "Chris Brockett",
        "Jianfeng Gao",
        "Bill Dolan",
    ),
    2016,
    "A Diversity-Promoting Objective Function for Neural Conversation Models",
    "NAACL",
    "https://aclanthology.org/N16-1014",
    (
        (
            "booktitle",
            "Proceedings of the 2016 Conference of the North American Chapter of the Association for"
            " Computational Linguistics: Human Language Technologies",
        ),
        ("pages", "110--119"),
    ),
)
BOOTSTRAP = Paper(
    "koehn-2004-statistical",
    "inproceedings",
    "Koehn, 2004",
    ("Philipp Koehn",),
    2004,
    "Statistical Significance Tests for Machine Translation Evaluation",
    "EMNLP",
    "https://aclanthology.org/W04-3250",
    (
        ("booktitle", "Proceedings of the 2004 Conference on Empirical Methods in Natural Language Processing"),
        ("pages", "388--395"),
    ),
)
RANDOMIZATION = Paper(
    "riezler-maxwell-2005-pitfalls",
    "inproceedings",
    "Riezler and Maxwell, 2005",
    (
        "Stefan Riezler",
        "John T. Maxwell",
    ),
    2005,
    "On Some Pitfalls in Automatic Evaluation and Significance Testing for MT",
    "ACL Workshop on Intrinsic and Extrinsic Evaluation Measures for MT and/or Summarization",
    "https://aclanthology.org/W05-0908",
    (
        (
            "booktitle",
            "Proceedings of the ACL Workshop on Intrinsic and Extrinsic Evaluation Measures for Machine"
            " Translation and/or Summarization",
        ),
        ("pages", "57--64"),
    ),
)
STEP_DOWN = Paper(
    "romano-wolf-2005-exact",
    "article",
    "Romano and Wolf, 2005",
    (
        "Joseph P. Romano",
        "Michael Wolf",
    ),
    2005,
    "Exact and Approximate Stepdown Methods for Multiple Hypothesis Testing",
    "Journal of the American Statistical Association 100(469)",
    "https://doi.org/10.1198/016214504000000539",
    (
        ("journal", "Journal of the American Statistical Association"),
        ("volume", "100"),
        ("number", "469"),
        ("pages", "94--108"),
    ),
)

# Those of BLEU; the first that matches counts
TOKENIZERS = (
    Tokenizer("13a", "13a, the tokenizer of mteval-v13a, which WMT uses"),
    Tokenizer("intl", "intl, the tokenizer of mteval-v14 for international text"),
    Tokenizer("zh", "zh: Chinese characters one by one, 13a for the rest"),
    Tokenizer("char", "char: every character is a token"),
    Tokenizer("none", "none: white space separates tokens"),
    Tokenizer("ja-mecab-", "MeCab with the IPA dictionary", (MECAB,)),
    Tokenizer("ko-mecab-", "mecab-ko, a MeCab for Korean, with mecab-ko-dic", (MECAB,)),
    Tokenizer("flores101", "the SentencePiece model of FLORES-101 (spBLEU)", (FLORES_101, SENTENCEPIECE)),
    Tokenizer("flores200", "the SentencePiece model of FLORES-200 (spBLEU)", (FLORES_200, SENTENCEPIECE)),
    Tokenizer("spBLEU-1K", "the SentencePiece model of spBLEU-1K", (TOUCAN, SENTENCEPIECE)),
    Tokenizer("spm-", "a custom SentencePiece model, named by the start of its SHA-256", (SENTENCEPIECE,)),
)
# By method
TESTS = {"bs": BOOTSTRAP, "ar": RANDOMIZATION}


def find_tokenizer(value: str) -> Tokenizer | None:
    """Return the tokenizer that signatures of BLEU call `value`; None if it is a custom one."""
    return next(
        (one for one in TOKENIZERS if value == one.start or (one.start.endswith("-") and value.startswith(one.start))),
        None,
    )
