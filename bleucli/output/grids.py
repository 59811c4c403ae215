"""What tables for people contain, whatever their format.

- `Markup`: how a format writes its cells
- `Grid`, `grids`: the table of all scores, and one of p-values for each ranking; or one for each metric of a matrix
- `pad`: the cells of a grid, as wide as their columns
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import zip_longest

from bleucli.output.layout import Layout, marked_names, order_rows
from bleucli.prose.markup import visible
from bleucli.records import NamedTuple
from bleucli.results import AVERAGE, SIGNIFICANT, Results, ScoreRecord, name_row, tell_ranks
from bleucli.results.naming import mark_baseline


class Markup(NamedTuple):
    """How a format writes a cell."""

    escape: Callable[[str], str]  # turns plain text into text of the format
    bold: Callable[[str], str]  # makes escaped text bold
    before_p: str  # what separates a p-value from the score
    # colours escaped text by its role, "header", "baseline" or "insignificant"; most formats have no colours
    paint: Callable[[str, str], str] = lambda _, text: text
    arrows: bool = True  # headings show whether higher scores are better
    ruled: bool = False  # a rule under the baseline marks it, except in full style
    pairs: bool = True  # tables of rankings have a column of p-values for each system; pages of a paper have no room
    star: str = ""  # marks a difference, except in full style; "" for an escaped *
    dagger: str = "†"  # marks a difference in a table of language pairs


class Grid(NamedTuple):
    """One table."""

    title: str  # "" if it needs none; not escaped
    header: list[str]
    rows: list[list[str]]  # one for each system
    align: str = "right"  # of the systems' names
    ruled: bool = False  # with a rule under the first row

    def take(self, columns: Iterable[int]) -> Grid:
        """Return the table with its first column and some others, by their numbers."""
        numbers = [0, *columns]
        header, *rows = ([row[number] for number in numbers] for row in (self.header, *self.rows))
        return self._replace(header=header, rows=rows)


def grids(results: Results, layout: Layout, markup: Markup) -> list[Grid]:
    """Return the table of all scores and, in full style, a table of ranks for each ranking, best systems first.

    If groups were tested, each has these tables, whose first cells name it. Of a matrix, return for each metric a table
    with a row for each system and a column for each language pair.
    """
    if results.pairs:
        return [_pairs(results, number, layout, markup) for number, _ in enumerate(results.systems[0].scores)]
    tables = []
    for group in results.groups():
        tables.append(_scores(group, layout, markup))
        if layout.style == "full":
            tables += [_ranks(group, number, layout, markup) for number, _ in enumerate(group.rankings)]
    return tables


def pad(grid: Grid) -> list[list[list[str]]]:
    r"""Return the cells of each line of each row, the header first, as wide as their columns; figures are centred.

    Columns are at least two wider than their headers, as those of sacreBLEU are.

    >>> pad(Grid("", ["System", "BLEU"], [["a", "1.5\n(p = 0.1)"]], "left"))
    [[['System  ', '  BLEU   ']], [['a       ', '   1.5   '], ['        ', '(p = 0.1)']]]
    """
    rows = [[cell.strip().split("\n") for cell in row] for row in (grid.header, *grid.rows)]
    columns = list(zip(*rows, strict=True))
    widths = [max(width(column[0][0]) + 2, *(width(line) for cell in column for line in cell)) for column in columns]
    sides = [grid.align, *["center"] * (len(widths) - 1)]
    return [[list(map(_align, cells, widths, sides)) for cells in zip_longest(*row, fillvalue="")] for row in rows]


def _align(text: str, size: int, side: str) -> str:
    room = size - width(text)
    before = {"left": 0, "center": room // 2, "right": room}[side]
    return " " * before + text + " " * (room - before)


def width(text: str) -> int:
    """Return how many columns a terminal takes: two for a wide character, none for one that combines or for colours."""
    if text.isascii() and text.isprintable():
        return len(text)
    import re
    from unicodedata import combining, east_asian_width

    text = re.sub("\x1b\\[[0-9;]*m", "", text)
    return sum(1 + (east_asian_width(one) in "WF") - (combining(one) > 0) for one in text)


def _scores(results: Results, layout: Layout, markup: Markup) -> Grid:
    """Return the scores of all systems: one row for each, and for each metric its score and what belongs to it."""
    is_full, paired = layout.style == "full", results.has_baseline()
    ruled = markup.ruled and paired and not is_full
    # Where no rule separates the baseline from the other systems, its name says what it is
    names = _row_names(results, is_marked=not ruled)
    rows = []
    for index in order_rows(results, layout):
        role = "baseline" if paired and index == 0 else ""
        row = [markup.paint(role, markup.escape(visible(names[index])))]
        for number, record in enumerate(results.systems[index].scores):
            row.append(_cell(results, index, number, layout, markup))
            if layout.difference:
                row.append(markup.escape(_difference(record, layout)))
            row += [markup.escape("-" if share is None else layout.share(share)) for _, share in record.shares]
        rows.append(row)
    titles = [_corner(results)]
    for records in zip(*(system.scores for system in results.systems), strict=True):
        is_resampled = is_full and any(record.interval for record in records)
        titles.append(_heading(records[0], markup) + " (μ ± 95% CI)" * is_resampled)
        titles += [f"Δ{records[0].name}"] * layout.difference
        titles += [name.replace("distinct", "dist") for name, _ in records[0].shares]  # so four fit into 80 columns
    return Grid("", _header(titles, markup), rows, "right" if is_full else "left", ruled)


def _pairs(results: Results, number: int, layout: Layout, markup: Markup) -> Grid:
    """Return the scores of one metric, which the first cell names, and its averages if there are any.

    If the layout has differences, those of the averages have a column.
    """
    columns = [*results.pairs, *([AVERAGE] if results.averages else [])]
    shows_difference = layout.difference and bool(results.averages)
    cells: dict[str, dict[str, str]] = {name: dict.fromkeys(columns, "") for name in results.names}
    for group, index in results.with_averages().places():
        row = group.systems[index]
        cells[row.bare_name][row.pair] = _cell(group, index, number, layout, markup)
        if shows_difference and row.pair == AVERAGE:
            cells[row.bare_name]["difference"] = markup.escape(_difference(row.scores[number], layout))
    ruled = markup.ruled and results.has_baseline()
    names = results.names if ruled or not results.has_baseline() else mark_baseline(results.names)
    table: list[list[str]] = []
    for name, of in zip(names, cells.values(), strict=True):
        role = "baseline" if results.has_baseline() and not table else ""
        last = [of.get("difference", "")] if shows_difference else []
        table.append([markup.paint(role, markup.escape(visible(name))), *(of[column] for column in columns), *last])
    titles = [_heading(results.systems[0].scores[number], markup), *map(visible, results.pairs)]
    titles += [AVERAGE.capitalize()] if results.averages else []
    titles += [f"Δ{AVERAGE.capitalize()}"] if shows_difference else []
    return Grid("", _header(titles, markup), table, "right" if layout.style == "full" else "left", ruled)


def _ranks(results: Results, number: int, layout: Layout, markup: Markup) -> Grid:
    """Return the ranks of one metric, and p-values if the format has room for them.

    number: the metric's, from 0, since two metrics may have the same name.
    """
    ranking = results.rankings[number]
    scores = [system.scores[number] for system in results.systems]
    best_first = [-one.score if one.higher_is_better else one.score for one in scores]
    order = sorted(range(len(scores)), key=lambda index: (ranking.clusters[index], best_first[index]))
    names = _row_names(results, is_marked=False)
    rows = []
    for place, index in enumerate(order, 1):
        score = _figures(scores[index]._replace(interval=None), layout, markup)
        name = markup.escape(visible(names[index]))
        ends = map(markup.escape, (tell_ranks(ranking.ranks[index]), str(ranking.clusters[index])))
        rows.append([name, *([str(place)] if markup.pairs else []), score, *ends])
        if markup.pairs:
            p_values = [ranking.corrected[index][other] for other in order]
            rows[-1] += ["" if p is None else _star(f"{p:.4f}", p, markup) for p in p_values]
    titles = [_corner(results), _heading(scores[0], markup), "Ranks", "Cluster"]
    title = f"{ranking.name}: ranks that the tests of all pairs allow, corrected (step-down max-T)"
    if markup.pairs:
        titles = [titles[0], "No.", *titles[1:], *(f"vs {place}" for place, _ in enumerate(order, 1))]
        title = f"{ranking.name}: ranks, and p-values of all pairs, corrected (step-down max-T); * marks p ≤ 0.05"
    return Grid(title, _header(titles, markup), rows)


# --- cells


def _corner(results: Results) -> str:
    """Return what the first cell of a table of systems says: the group, if groups were tested."""
    labels = () if results.test is None else results.systems[0].labels
    return visible(name_row("", labels).strip()) or "System"


def _row_names(results: Results, is_marked: bool) -> list[str]:
    """Return the systems' names; is_marked: whether the baseline is marked. Tables of tested groups name these once."""
    if results.test is not None:
        results = results._replace(systems=[one._replace(name=one.bare_name) for one in results.systems])
    return marked_names(results) if is_marked else [system.name for system in results.systems]


def _header(titles: list[str], markup: Markup) -> list[str]:
    return [markup.paint("header", markup.escape(title)) for title in titles]


def _heading(record: ScoreRecord, markup: Markup) -> str:
    """Return a metric's name, with an arrow that points to better scores."""
    if record.higher_is_better is None or not markup.arrows:
        return record.name
    return f"{record.name} {'↑' if record.higher_is_better else '↓'}"


def _cell(results: Results, index: int, number: int, layout: Layout, markup: Markup) -> str:
    """Return a score with its interval, and what a test says of it.

    results: those of one group, if groups were tested. index: of the system. number: of the metric, from 0.
    """
    record = results.systems[index].scores[number]
    is_full = layout.style == "full"
    end = ""
    if results.rankings and (results.pairs or not is_full):  # else, ranks have tables of their own
        ranking = results.rankings[number]
        end = f" ({ranking.clusters[index]}; {tell_ranks(ranking.ranks[index])})"
    role = "baseline" if results.has_baseline() and index == 0 else ""
    cell = markup.paint(role, _figures(record, layout, markup, end))
    if not results.has_baseline() or record.p_value is None:  # the baseline has none
        return cell
    mark = markup.dagger if results.pairs else ""
    if is_full:
        test = "(identical)" if record.identical else f"(p = {record.p_value:.4f})"
        return cell + markup.before_p + _star(test, record.p_value, markup, mark)
    # Here, ties count, since the cell does not show the p-value
    return cell + (mark or markup.star or markup.escape("*")) * record.differs


def _figures(record: ScoreRecord, layout: Layout, markup: Markup, end: str = "") -> str:
    """Return `59.4 (59.1 ± 1.1)`, `59.4±1.1` or `59.4`, by style, and what follows; only the score can be bold."""
    layout = layout.of(record)
    if record.interval is not None and layout.style != "stars":
        mean, half_width = (_figure(number, layout) for number in record.interval)
        end = (f" ({mean} ± {half_width})" if layout.style == "full" else f"±{half_width}") + end
    score = _figure(record.score, layout)
    if layout.bold_best and record.best:
        return markup.bold(markup.escape(score)) + markup.escape(end)
    return markup.escape(score + end)


def _star(text: str, p_value: float, markup: Markup, mark: str = "") -> str:
    if p_value <= SIGNIFICANT:
        return markup.escape(text) + mark if mark else markup.escape(f"{text}*")
    return markup.paint("insignificant", markup.escape(text))


def _difference(record: ScoreRecord, layout: Layout) -> str:
    """Return `+1.2 [+0.3, +2.1]`; "" for the baseline."""
    if record.difference is None:
        return ""
    layout = layout.of(record)
    value, *bounds = (None if number is None else _figure(number, layout, plus="+") for number in record.difference)
    return f"{value} [{', '.join(map(str, bounds))}]" if None not in bounds else str(value)


def _figure(number: float, layout: Layout, plus: str = "") -> str:
    """Return a number with a real minus sign; plus: the sign of numbers above zero."""
    text = layout.figure(number)
    return f"{plus if float(text) > 0 else ''}{text}".replace("-", "−")
