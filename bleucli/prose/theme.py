"""The palette of pages, explanations, figures and terminals, and the style sheet of pages.

- `COLOURS`: colours by name, for light and dark pages; `PAPER`: those of figures for papers
- `style_sheet`: both themes, with styles of explanations and highlighted n-grams
- `paint`, `bold`, `underline`: text on a terminal

A page may also have its own styles. They name colours only by the variables of this style sheet, so that both themes
work. Every colour of text has a contrast of at least 4.5 with its background (WCAG 2.2, AA); a test checks that.
"""

from __future__ import annotations

# Colours by name: on light pages, and on dark ones
COLOURS = {
    "page": ("#ffffff", "#14171c"),
    "panel": ("#f4f6f9", "#1d222a"),
    "field": ("#ffffff", "#10141a"),
    "line": ("#c9d1db", "#3b4452"),
    "edge": ("#76828f", "#7d8a9a"),  # for controls: contrast of at least 3
    "text": ("#1a2230", "#e6eaf0"),
    "quiet": ("#4d5969", "#aab5c3"),
    "accent": ("#0b5cad", "#79b8ff"),
    # Of words, also in notebooks: the first ones have a contrast of at least 4.5 on grey rows and 4 on black, where a
    # browser does not know the theme; the others have one of at least 6 on the dark pages of JupyterLab and VS Code
    "good": ("#188038", "#3fb950"),
    "bad": ("#d1242f", "#ff7b72"),
    "missing": ("#946200", "#d9a02b"),
    "smoothed": ("#3f86d0", "#4580c0"),  # the second bar of a chart: contrast of at least 3
    # n-grams that match, by order
    "match-1": ("#dcebfb", "#17304a"),
    "match-2": ("#b9d7f7", "#1c4166"),
    "match-3": ("#93c1f1", "#225384"),
    "match-4": ("#6fabe9", "#2965a3"),
    "match-5": ("#5f9fe3", "#2c6cae"),
    "match-6": ("#5295de", "#2f73b8"),
    "match-text": ("#0a1a2b", "#ffffff"),
    # Of figures: each series has a contrast of at least 3 with the panel, and text one of at least 4.5 with the rest
    "better": ("#b9d7f7", "#1c4166"),
    "worse": ("#f7d3b5", "#5c3510"),
    "band": ("#e2e7ee", "#2a313c"),
    "series-1": ("#0b5cad", "#79b8ff"),
    "series-2": ("#b34700", "#f5a26b"),
    "series-3": ("#1a2230", "#e6eaf0"),
    "series-4": ("#a3347a", "#f08cc8"),
    "series-5": ("#00755a", "#4fd1a8"),
    "series-6": ("#7d5200", "#e2b45a"),
    "series-7": ("#3f6f9f", "#8fb8dc"),
    "series-8": ("#5f6b78", "#aab5c3"),
}
# On paper. The series are those of Okabe & Ito (2008), "Color universal design", with grey instead of yellow, which is
# too light on white.
PAPER = {
    "text": "#000000",
    "quiet": "#404040",
    "line": "#bfbfbf",
    "panel": "#f2f2f2",
    "better": "#7fb8dd",
    "worse": "#fdd5ae",
    "band": "#ececec",
    "series-1": "#0072b2",
    "series-2": "#d55e00",
    "series-3": "#000000",
    "series-4": "#cc79a7",
    "series-5": "#009e73",
    "series-6": "#e69f00",
    "series-7": "#56b4e9",
    "series-8": "#7f7f7f",
}
# On a terminal, by the numbers of ANSI
_TERMINAL = {"red": 31, "green": 32, "yellow": 33, "cyan": 36}
_RULES = """
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
code, pre { font: 0.9em/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
mark { color: var(--match-text); padding: 0.1em 0; border-radius: 0.2em; forced-color-adjust: none; }
mark[class] { border-bottom: 2px solid var(--edge); }
.bleu-explanation table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.bleu-explanation th, .bleu-explanation td { padding: 0.1rem 0.6rem; text-align: right; white-space: nowrap; }
.bleu-explanation .text { text-align: left; }
.bleu-explanation p, .bleu-explanation pre { margin: 0.4rem 0; }
.bleu-explanation .stack { display: inline-block; text-align: center; margin: 0 0.4em 0.4em 0; }
.bleu-explanation p { overflow-wrap: anywhere; }
.bleu-explanation pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.good, .match { color: var(--good); }
.match { text-decoration: underline; }
.bad { color: var(--bad); }
.missing { color: var(--missing); }
.clipped { text-decoration: underline dotted 2px var(--bad); text-underline-offset: 0.25em; }
.moved { outline: 1px dashed var(--text); outline-offset: -1px; }
"""


def style_sheet() -> str:
    """Return the style sheet: the variables of both themes, and the rules that all pages share."""
    light, dark = (" ".join(f"--{name}: {pair[theme]};" for name, pair in COLOURS.items()) for theme in (0, 1))
    marks = "".join(
        f"mark.l{order} {{ background: var(--match-{order}); }}\n"
        # A page can show a single order: inside the class only-N, nothing else is marked
        f".only-{order} mark:not(.m{order}) {{ background: none; border-color: transparent; color: inherit; }}\n"
        f".only-{order} mark.m{order} {{ background: var(--match-2); }}\n"
        for order in range(1, 7)
    )
    return (
        f":root {{ color-scheme: light dark; {light} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n{_RULES.lstrip()}{marks}"
    )


def paint(colour: str, text: str) -> str:
    r"""Return text in a colour of sacreBLEU 2.6.0 on a terminal; text after it has the terminal's own.

    >>> paint("red", "p = 0.2")
    '\x1b[31mp = 0.2\x1b[0m'
    """
    return f"\x1b[{_TERMINAL[colour]}m{text}\x1b[0m"


def bold(text: str) -> str:
    """Return bold text for a terminal; it keeps the colour of the text around it."""
    return f"\x1b[1m{text}\x1b[22m"


def underline(text: str) -> str:
    """Return underlined text for a terminal; it keeps its colour."""
    return f"\x1b[4m{text}\x1b[24m"
