"""A small world of test sets: archives in each real layout, under the names of public test sets, on a local server.

- `ARCHIVES`: the downloads of some public test sets, with texts of our own, including awkward ones
- `serve`: put them on a server; return the sources that replace the real ones, in bleucli and in sacreBLEU
- `oracle`: run sacreBLEU's commands on them, with a separate cache
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from collections import namedtuple
from collections.abc import Iterable, Mapping, Sequence

from web_server import Page, WebServer

Answer = namedtuple("Answer", "status out")

# The test sets that sacreBLEU does not have
OURS_ALONE = {"demo", "flores200/dev", "flores200/devtest", "ntrex", "wmt24pp", "wmt24pp/all", "wmt25", "wmt26"}


# --- archives


def tar(members: Mapping[str, str]) -> bytes:
    """Return a tar archive that has entries for folders, as real ones do."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for name in dict.fromkeys(os.path.dirname(member) for member in members if "/" in member):
            folder = tarfile.TarInfo(name)
            folder.type = tarfile.DIRTYPE
            folder.mode = 0o755
            archive.addfile(folder)
        for name, text in {**members, "README.unwanted": "Nobody wants this.\n"}.items():
            content = text.encode()
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return data.getvalue()


def zipped(members: Mapping[str, str]) -> bytes:
    """Return a zip archive."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return data.getvalue()


# --- texts

# Documents: id, original language, and the segments
Document = namedtuple("Document", "id origlang segments")
DOCUMENTS = (
    Document("rt.com.68098", "en", ["The first one says it.", "A \t second,  wide   one."]),
    Document("guardian.181611", "de", ["Tom &amp; Jerry &lt;b&gt; fell <b>down</b>.", '"Quoted" it was.', "Short"]),
    Document(
        "bbc.310963", "cs", ["A no-break\u00a0space, a line\u2028separator, a\x0bv\x0cf.", "Ünïcödé — 中文 here now."]
    ),
    Document("timemagazine.75207", "en", ["Only one sentence is in this document of the world."]),
    Document("no.tag", "en", ["A document that has no tag at all.", "It has two segments, this is the last."]),
)
SEGMENTS = sum(len(document.segments) for document in DOCUMENTS)


def sgml(kind: str, word: str = "") -> str:
    """Return an SGML file; `word` is added to each segment."""
    lines = [f'<{kind}set setid="newstest" srclang="any">']
    for document in DOCUMENTS:
        lines.append(f'<doc sysid="{kind}" docid="{document.id}" genre="news" origlang="{document.origlang}">')
        lines.append("<p>")
        lines += [f'<seg id="{n}">  {text}{word} </seg>' for n, text in enumerate(document.segments, 1)]
        lines += ["</p>", "</doc>"]
    return "\n".join([*lines, f"</{kind}set>", ""])


def odd_sgml(kind: str) -> str:
    """Return an SGML file with the oddities of real ones."""
    return f"""\ufeff<seg id="0">after a byte-order mark: not read</seg>\r
<{kind}set setid="newstest" srclang="any">\r
<doc origlang="en" sysid="a&amp;b" docid="first.1" genre="news x">\r
<hl>\r
<seg id="1">A headline</seg>\r
</hl>\r
<seg id="2">Trailing</seg> words\r
<seg id="3">Two</seg><seg id="4">on a line</seg>\r
<seg id="5">cut off\r
<seg id=6>unquoted</seg>\r
<seg id="7"></seg>\r
  <seg id="8">indented: not read</seg>\r
<seg>without a blank: not read</seg>\r
<seg id="9">a\rlone return \x85 and others\u3000</seg>\r
</doc>\r
<doc docid='single' origlang="cs">\r
<seg id="1">in single quotes</seg>\r
</doc>\r
<doc docid="" origlang="" genre="">\r
<seg id="1">no attribute says anything</seg>\r
</doc>"""


def iwslt(word: str) -> str:
    """Return an XML file of IWSLT: it has no original languages, and one line per segment."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<mteval>
<srcset setid="iwslt2017-tst2017" srclang="english">
<doc docid="1922" genre="lectures">
<keywords>talks, {word}</keywords>
<description>This is &amp; is not read.</description>
<seg id="1"> This is  {word}. </seg>
<seg id="2"> Two &amp; &lt;three. </seg>
</doc>
<doc docid="1923" genre="lectures">
<seg id="1"> The last {word}. </seg>
</doc>
</srcset>
</mteval>
"""


def stream(tag: str, attribute: str, segments: Mapping[int, str]) -> str:
    """Return one author's version of a document, in two paragraphs."""
    lines = [f'<seg id="{number}">{text}</seg>' for number, text in segments.items()]
    return f"<{tag} {attribute}>\n<p>{''.join(lines[:1])}</p>\n<p>{chr(10).join(lines[1:])}</p>\n</{tag}>\n"


# id and further attributes of the document, source, references A and B, outputs of two systems
WMT_DOCUMENTS = (
    (
        'id="d.1" origlang="en" domain="news"',
        {1: " One  first\n line. ", 3: "Three &lt;x&gt; &amp; &#228; words", 2: "Two of them here"},
        {1: "Eins ist es A", 2: "Zwei davon A hier", 3: "Drei A Worte"},
        {1: "Eins ist es B", 3: "Drei B Worte &lt;"},
        {1: "Eins war es", 2: "Zwei hier", 3: ""},
        {1: "Eins ist", 2: "Zwei davon", 3: "Drei Worte"},
    ),
    (
        'id="suite" origlang="en" domain="news" testsuite="tricks"',
        {1: "A test suite"},
        {1: "Eine Reihe A"},
        {1: "Eine Reihe B"},
        {1: "Reihe"},
        {1: "Reihe"},
    ),
    (
        'id="d.2" origlang="de" domain="social"',
        {10: "Ten is a number", 9: "Nine of them too", 11: "Eleven has no reference"},
        {9: "Neun davon A auch", 10: "", 11: ""},
        {9: "Neun davon B auch", 10: "Zehn ist eine B Zahl"},
        {9: "Neun davon auch", 10: "Zehn ist eine Zahl", 11: "Elf"},
        {9: "Neun", 10: "Zehn ist so eine", 11: "Elf"},
    ),
    (
        'id="d.3" origlang="en" domain="social"',
        {1: "Nobody but A did this one"},
        {1: "Nur A hat das hier gemacht"},
        {},
        {1: "Nur A hat das gemacht"},
        {1: "A hat das hier gemacht"},
    ),
)


def wmt_xml(labels: Sequence[str] = ("A", "B"), domains: bool = True) -> str:
    """Return an XML file of WMT; a label "" leaves the attribute out."""
    parts = []
    for attributes, source, *others in WMT_DOCUMENTS:
        kept = attributes if domains else attributes.replace('domain="news"', "").replace('domain="social"', "")
        parts.append(f"<doc {kept}>\n" + stream("src", 'lang="en"', source))
        for label, segments in zip(labels, others[:2], strict=True):
            translator = f' translator="{label}"' if label else ""
            parts.append(stream("ref", f'lang="de"{translator}', segments) if segments else "")
        for system, segments in zip(("Online-A", "Some System"), others[2:], strict=True):
            parts.append(stream("hyp", f'system="{system}" language="de"', segments))
        parts.append("</doc>\n")
    collection = f'<collection id="general">\n{"".join(parts)}</collection>'
    return f"<?xml version='1.0' encoding='utf-8'?>\n<dataset id=\"newstest\">\n{collection}\n</dataset>\n"


# Byte-order marks are text, like any other character
PLAIN = (
    "\ufeff leading and trailing \t \nsecond\r\n\n\x0b\n\u00a0 x \u00a0\n"
    "last\u2028line\x85here\x0cff\nlone\rreturn\x1d\n a\tb"
)
TABLE = (
    '\ufeff0\tx\t src one \tref  one \t\n1\ty\t\t\n2\tz\tquote " x\t"quoted" cell\n'
    "3\tw\ta\u2028b\x85\tc\x0bd\r\n4\tv\tlast\tend"
)

_GOOGLE = "sgm/newstest2019-ende-{}.{}.sgm"
_HUMAN_PARITY = "Translator-HumanParityData-master/Translator-HumanParityData/References/"


def _sgml_pair(path: str, *references: str) -> dict[str, str]:
    return {path: sgml("src")} | {one: sgml("ref", f" {n}") for n, one in enumerate(references)}


def _iwslt_archives() -> list[bytes]:
    pairs = [f"{a}-{b}" for one in ("fr", "de", "ar", "ja", "ko", "zh") for a, b in (("en", one), (one, "en"))]
    return [tar({f"{pair}/IWSLT17.TED.tst2017.{pair}.{pair[:2]}.xml": iwslt(pair[:2])}) for pair in pairs]


# The downloads of each test set, in the order of its sources
ARCHIVES: dict[str, list[bytes]] = {
    "wmt17": [tar(_sgml_pair("test/newstest2017-ende-src.en.sgm", "test/newstest2017-ende-ref.de.sgm"))],
    "wmt16": [
        tar(
            {
                "test/newstest2016-ende-src.en.sgm": odd_sgml("src"),
                "test/newstest2016-ende-ref.de.sgm": odd_sgml("ref"),
            }
        )
    ],
    "wmt17/improved": [
        tar(
            _sgml_pair("newstest2017-enzh-src.en.sgm", "newstest2017-enzh-ref.zh.sgm")
            | _sgml_pair("newstest2017-zhen-src.zh.sgm", "newstest2017-zhen-ref.en.sgm")
        )
    ],
    "wmt18": [tar(_sgml_pair("test/newstest2018-ende-src.en.sgm", "test/newstest2018-ende-ref.de.sgm"))],
    "wmt08": [tar(_sgml_pair("test/newstest2008-src.en.sgm", "test/newstest2008-src.de.sgm"))],
    "wmt20/tworefs": [
        tar(
            _sgml_pair(
                "sgm/newstest2020-deen-src.de.sgm",
                "sgm/newstest2020-deen-ref.en.sgm",
                "sgm/newstestB2020-deen-ref.en.sgm",
            )
        )
    ],
    "wmt19/google/ar": [
        tar({_GOOGLE.format("src", "en"): sgml("src")}),
        "\ufeff".join(f"  reference {n}  of Google \n" for n in range(SEGMENTS)).encode(),
    ],
    "wmt17/ms": [
        zipped(
            {
                f"{_HUMAN_PARITY}Translator-HumanParityData-Reference-{kind}.txt": "".join(
                    f"{kind}  &amp; {n} \n" for n in range(SEGMENTS)
                )
                for kind in ("HT", "PE")
            }
        ),
        tar(_sgml_pair("newstest2017-zhen-src.zh.sgm", "newstest2017-zhen-ref.en.sgm")),
    ],
    "iwslt17": _iwslt_archives(),
    "multi30k/2016": [tar({"test_2016_flickr.en": PLAIN, "test_2016_flickr.fr": PLAIN[::-1].rstrip("\n")})],
    "multi30k/2018": [
        tar({"test_2018_flickr.en": PLAIN}),
        *(gzip.compress(f"{PLAIN} {language}".encode(), mtime=0) for language in ("cs", "de", "fr")),
    ],
    "mtnt2019": [tar({"MTNT2019/en-fr.final.tsv": TABLE})],
    "wmt22": [
        tar(
            {
                "wmt22-news-systems-1.1/xml/wmttest2022.en-de.all.xml": wmt_xml(),
                "wmt22-news-systems-1.1/xml/wmttest2022.en-cs.all.xml": wmt_xml(),
                "wmt22-news-systems-1.1/xml/wmttest2022.liv-en.all.xml": wmt_xml(("", "B")),
            }
        )
    ],
    "wmt21": [tar({"test/newstest2021.en-de.xml": "\ufeff" + wmt_xml(domains=False)})],
    "wmt21/AB": [tar({"test/newstest2021.en-de.xml": wmt_xml()})],
    "wmt21/dev": [tar({"dev/xml/newsdev2021.en-ha.xml": wmt_xml(("", "B"))})],
}
# One of the language pairs of each test set
PAIRS = {
    **dict.fromkeys(("wmt17", "wmt16", "wmt18", "wmt08", "wmt19/google/ar", "wmt22", "wmt21", "wmt21/AB"), "en-de"),
    **dict.fromkeys(("iwslt17", "multi30k/2016", "multi30k/2018", "mtnt2019"), "en-fr"),
    "wmt20/tworefs": "de-en",
    "wmt17/ms": "zh-en",
    "wmt17/improved": "en-zh",
    "wmt21/dev": "en-ha",
}


# --- on a server, and in sacreBLEU


def serve(web: WebServer, facts: Mapping[str, dict]) -> dict[str, list[dict[str, str]]]:
    """Put all archives on a server; return address and checksum of each, by test set.

    Args:
        web: the server.
        facts: the test sets as in `registry.json`; the last component of an address stays as it is.
    """
    served = {}
    for name, contents in ARCHIVES.items():
        urls = [source["url"].rpartition("/")[2] for source in facts[name]["sources"]]
        served[name] = [
            {"url": web.put(f"/{name}/{last}", Page(content)), "md5": hashlib.md5(content).hexdigest()}
            for last, content in zip(urls, contents, strict=True)
        ]
    return served


# Gives sacreBLEU's test sets other addresses and checksums, then runs its command, each time in a process of its own
_DRIVER = """
import json, os, sys, tempfile
from sacrebleu.dataset import DATASETS
from sacrebleu.sacrebleu import main

sys.path.append(sys.argv[1])
from oracle_server import leave_after

served, commands = json.load(sys.stdin)
for name, sources in served.items():
    DATASETS[name].data[:] = [source["url"] for source in sources]
    DATASETS[name].md5[:] = [source["md5"] for source in sources]

def answer(words, text):
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out:
        given.write(text.encode())
        given.seek(0)
        child = os.fork()
        if not child:
            os.dup2(given.fileno(), 0)
            os.dup2(out.fileno(), 1)
            sys.argv = ["sacrebleu", *words]
            leave_after(main)
        _, status = os.waitpid(child, 0)
        out.seek(0)
        return os.waitstatus_to_exitcode(status), out.read().decode()

answers = [answer(*command) for command in commands]
json.dump(answers, sys.stdout)
"""


def order_of(served: Mapping[str, list[dict[str, str]]]) -> Mapping[str, list[dict[str, str]]]:
    """Return the sources in sacreBLEU's order for each set, matched by the last components of addresses."""
    from sacrebleu.dataset import DATASETS

    ordered = {}
    for name, sources in served.items():
        places = {source["url"].rpartition("/")[2]: source for source in sources}
        ordered[name] = [places[url.rpartition("/")[2]] for url in DATASETS[name].data]
    return ordered


def oracle(
    home: str, served: Mapping[str, list[dict[str, str]]], commands: Iterable[tuple[Sequence[str], str]]
) -> list:
    """Run commands of sacreBLEU, each words and its standard input, with a cache directory of its own."""
    variables = {name: value for name, value in os.environ.items() if name not in ("SACREBLEU_FORMAT", "PYTHONPATH")}
    done = subprocess.run(
        [sys.executable, "-c", _DRIVER, os.path.dirname(__file__)],
        input=json.dumps([order_of(served), [[list(words), text] for words, text in commands]]),
        env=variables | {"SACREBLEU": home, "NO_COLOR": "1", "PYTHONUTF8": "1", "PYTHONHASHSEED": "0"},
        capture_output=True,
        encoding="utf-8",
        timeout=600,
    )
    assert done.returncode == 0, done.stderr.splitlines()[-1]
    return [Answer(*answer) for answer in json.loads(done.stdout)]
