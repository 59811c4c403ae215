"""Pairs of languages as data and users write them: `en-de`, `en-zh_CN`, `eng_Latn-zho_Hans`, `en-zh-Hant`.

- `split`: source and target of a pair
- `are_alike`: whether two codes may mean the same language
- `find_alike`: the pairs of a test set that another spelling may mean
- `of_item`: the pair that an item of a test set belongs to; `may_tell`: whether its fields may hold one
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# A pair; the source may be absent. A script or region may follow a language after a hyphen only if the language is in
# lower case: en-zh-CN has the target zh-CN, and en-US-ZH has ZH, but EN-ZH-CN, which could mean either, does not match.
_CODE = "(?:[a-z]{2,3}(?:[_-][A-Z][a-z]{3})?(?:[_-][A-Z]{2})?|[A-Za-z]{2,3}(?:_[A-Z][a-z]{3})?(?:_[A-Z]{2})?)"
_PAIR = re.compile(f"(?:(?P<source>{_CODE})-)?(?P<target>{_CODE})")
# Codes of ISO 639-1, each with that of ISO 639-3, and that of ISO 639-2/B if it is another one. The codes are from the
# tables of the registration authority, https://iso639-3.sil.org.
_CODES = """
aa:aar ab:abk ae:ave af:afr ak:aka am:amh an:arg ar:ara as:asm av:ava ay:aym az:aze ba:bak be:bel bg:bul bi:bis
bm:bam bn:ben bo:bod,tib br:bre bs:bos ca:cat ce:che ch:cha co:cos cr:cre cs:ces,cze cu:chu cv:chv cy:cym,wel
da:dan de:deu,ger dv:div dz:dzo ee:ewe el:ell,gre en:eng eo:epo es:spa et:est eu:eus,baq fa:fas,per ff:ful
fi:fin fj:fij fo:fao fr:fra,fre fy:fry ga:gle gd:gla gl:glg gn:grn gu:guj gv:glv ha:hau he:heb hi:hin ho:hmo
hr:hrv ht:hat hu:hun hy:hye,arm hz:her ia:ina id:ind ie:ile ig:ibo ii:iii ik:ipk io:ido is:isl,ice it:ita iu:iku
ja:jpn jv:jav ka:kat,geo kg:kon ki:kik kj:kua kk:kaz kl:kal km:khm kn:kan ko:kor kr:kau ks:kas ku:kur kv:kom
kw:cor ky:kir la:lat lb:ltz lg:lug li:lim ln:lin lo:lao lt:lit lu:lub lv:lav mg:mlg mh:mah mi:mri,mao mk:mkd,mac
ml:mal mn:mon mr:mar ms:msa,may mt:mlt my:mya,bur na:nau nb:nob nd:nde ne:nep ng:ndo nl:nld,dut nn:nno no:nor
nr:nbl nv:nav ny:nya oc:oci oj:oji om:orm or:ori os:oss pa:pan pi:pli pl:pol ps:pus pt:por qu:que rm:roh rn:run
ro:ron,rum ru:rus rw:kin sa:san sc:srd sd:snd se:sme sg:sag si:sin sk:slk,slo sl:slv sm:smo sn:sna so:som
sq:sqi,alb sr:srp ss:ssw st:sot su:sun sv:swe sw:swa ta:tam te:tel tg:tgk th:tha ti:tir tk:tuk tl:tgl tn:tsn
to:ton tr:tur ts:tso tt:tat tw:twi ty:tah ug:uig uk:ukr ur:urd uz:uzb ve:ven vi:vie vo:vol wa:wln wo:wol xh:xho
yi:yid yo:yor za:zha zh:zho,chi zu:zul
"""
# Codes of the usual member of a group that has a code of its own: Mandarin of Chinese, and so on (the macrolanguages of
# ISO 639-3, and for Filipino the aliases of Unicode's CLDR)
_MEMBERS = """
ar:arb ay:ayr az:azj et:ekk fa:pes ff:fuv kr:knc ku:kmr lv:lvs mg:plt mn:khk ms:zsm ne:npi om:gaz or:ory ps:pbt qu:quy
sq:als sw:swh tl:fil uz:uzn yi:ydd zh:cmn
"""
_SHORT = {
    long: short
    for short, longer in (entry.split(":") for entry in f"{_CODES}{_MEMBERS}".split())
    for long in longer.split(",")
}
# The script of Chinese that a region stands for (likely subtags of Unicode's CLDR)
_CHINESE = {"cn": "hans", "sg": "hans", "tw": "hant", "hk": "hant", "mo": "hant"}
# The usual names of fields that hold a pair, and of those that hold its two languages. Capitals and marks do not count.
_PAIR_FIELDS = ("lp", "langpair", "languagepair")
_LANGUAGE_FIELDS = (
    *(("srclang", "tgtlang"), ("srclang", "trglang")),
    *(("sourcelanguage", "targetlanguage"), ("sourcelang", "targetlang")),
)
_MARKS = str.maketrans("", "", "_-")


def split(pair: str) -> tuple[str, str] | None:
    """Return source and target of a pair, with underscores within each; None if this is not the name of a pair.

    The source is "" if there is only a target.

    >>> split("en-de"), split("en-zh-CN"), split("pt-BR-de"), split("eng_Latn-zho_Hans"), split("de")
    (('en', 'de'), ('en', 'zh_CN'), ('pt_BR', 'de'), ('eng_Latn', 'zho_Hans'), ('', 'de'))
    >>> split("en-zh (news)")
    """
    match = _PAIR.fullmatch(pair)
    return ((match["source"] or "").replace("-", "_"), match["target"].replace("-", "_")) if match else None


def are_alike(general: str, code: str) -> bool:
    """Return whether a code means a language, or one of its scripts and regions if that language names none.

    >>> are_alike("zh", "zho_Hans_CN"), are_alike("zh_TW", "zh_CN"), are_alike("cs_CZ", "ces_Latn")
    (True, False, True)
    >>> are_alike("zho_Hant", "zh_TW"), are_alike("zho_Hans", "zh_TW")
    (True, False)
    """
    language, *parts = _parts(general)
    other, *rest = _parts(code)
    # A script says nothing about a region, and the other way round
    return language == other and all(len(part) != len(one) or part == one for part in parts for one in rest)


def find_alike(pair: str, pairs: Iterable[str]) -> list[str]:
    """Return the pairs that another spelling may mean: none, one, or several if it does not say which.

    A pair that says no more than `pair` is meant alone, even if there are others with scripts and regions.

    >>> find_alike("en-fr", ["eng-deu", "eng-fra", "eng-fra-CA"]), find_alike("en-fr_CA", ["eng-fra", "eng-fra-CA"])
    (['eng-fra'], ['eng-fra-CA'])
    >>> find_alike("en-zh", ["eng-zho-CN", "eng-zho-TW"]), find_alike("en-zh_Hant", ["eng-zho-CN", "eng-zho-TW"])
    (['eng-zho-CN', 'eng-zho-TW'], ['eng-zho-TW'])
    """
    languages = split(pair)
    if languages is None:
        return []
    of_pair = {part for code in languages for part in _parts(code)}
    alike, plain = [], {}
    for one in pairs:
        codes = split(one)
        if codes is not None and all(map(are_alike, languages, codes)):
            alike.append(one)
            parts = {part for code in codes for part in _parts(code)}
            if parts <= of_pair:
                plain[one] = len(of_pair - parts)
    return [min(plain, key=plain.__getitem__)] if plain else alike


def _parts(code: str) -> list[str]:
    """Return language, script and region, in lower case; the language in the shortest form that there is.

    >>> _parts("deu_Latn"), _parts("zho_TW")
    (['de', 'latn'], ['zh', 'hant', 'tw'])
    """
    language, *parts = code.lower().replace("-", "_").split("_")
    language = _SHORT.get(language, language)
    if language == "zh" and len(parts) == 1 and parts[0] in _CHINESE:
        parts.insert(0, _CHINESE[parts[0]])
    return [language, *parts]


def may_tell(names: Iterable[str]) -> bool:
    """Return whether fields of these names may hold a pair, or one of its languages.

    >>> may_tell(["id", "Lang-Pair"]), may_tell(["id", "text"])
    (True, False)
    """
    fields = {name.translate(_MARKS).lower() for name in names}
    return not fields.isdisjoint({*_PAIR_FIELDS, *(field for pair in _LANGUAGE_FIELDS for field in pair)})


def of_item(item: Mapping[str, Any], key: str = "") -> tuple[str, str] | None:
    """Return source and target of the pair that an item belongs to; None if nothing says so.

    Args:
        item: the fields of the item.
        key: its id, which may contain the pair, as those of WMT25 and WMT26 do.

    >>> of_item({"lp": "en-cs_CZ"}), of_item({"src_lang": "eng_Latn", "tgt_lang": "ces_Latn"})
    (('en', 'cs_CZ'), ('eng_Latn', 'ces_Latn'))
    >>> of_item({}, "en-cs_CZ_#_news_#_12"), of_item({}, "WMT26_###_news_###_eng_Latn_###_ces_Latn_###_x")
    (('en', 'cs_CZ'), ('eng_Latn', 'ces_Latn'))
    """
    fields = {name.translate(_MARKS).lower(): value for name, value in item.items() if isinstance(value, str)}
    for name in _PAIR_FIELDS:
        if name in fields and (pair := split(fields[name])) is not None and pair[0]:
            return pair
    for source, target in _LANGUAGE_FIELDS:
        if fields.get(source) and fields.get(target):
            return fields[source].replace("-", "_"), fields[target].replace("-", "_")
    words = re.split("_#+_", key)
    pair = split(words[0]) if len(words) > 1 else None
    if pair is not None and pair[0]:
        return pair
    codes = [word for word in words[1:] if re.fullmatch(_CODE, word) and "_" in word]
    return (codes[0], codes[1]) if len(codes) > 1 else None
