"""Figures of a bench: series over rounds, rows of the table, and the marks that are to be reached."""


class Series:
    """One value per round: the median counts, the lowest and highest show the spread."""

    def __init__(self, values):
        self.values = list(values)
        ordered = sorted(self.values)
        middle = len(ordered) // 2
        self.low, self.high = ordered[0], ordered[-1]
        self.median = ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2

    def over(self, other):
        """The ratio to another series, round by round."""
        return Series(one / two if two else float("inf") for one, two in zip(self.values, other.values))

    def minus(self, other):
        return Series(one - two for one, two in zip(self.values, other.values))


def number(value):
    if value in (float("inf"), float("-inf")):
        return "-"
    if abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


class Row:
    """One line of the table: a figure, and its ratio to what it is compared with."""

    def __init__(self, what, series, unit, against="", base=None):
        self.what, self.series, self.unit, self.against = what, series, unit, against
        self.ratio = series.over(base) if base else None

    HEAD = ("figure", "median", "spread", "unit", "ratio", "spread", "to")

    def cells(self):
        spread = f"{number(self.series.low)} .. {number(self.series.high)}"
        cells = [self.what, number(self.series.median), spread, self.unit]
        if not self.ratio:
            return cells + ["", "", self.against]
        return cells + [f"{number(self.ratio.median)} x",
                        f"{number(self.ratio.low)} .. {number(self.ratio.high)}", self.against]


class Check:
    """A mark to be reached: what was measured has to be at most (or at least) the mark."""

    def __init__(self, text, measured, mark, unit="x", at_least=False):
        self.text, self.measured, self.mark, self.unit, self.at_least = text, measured, mark, unit, at_least

    @property
    def passed(self):
        return self.measured >= self.mark if self.at_least else self.measured <= self.mark

    HEAD = ("mark", "wanted", "measured", "")

    def cells(self):
        sign = ">=" if self.at_least else "<="
        unit = f" {self.unit}" if self.unit else ""
        return [self.text, f"{sign} {number(self.mark)}{unit}", f"{number(self.measured)}{unit}",
                "pass" if self.passed else "fall short"]


class Result:
    """What a part has measured."""

    def __init__(self, title, notes):
        self.title, self.notes = title, notes
        self.rows, self.checks = [], []


def aligned(head, lines):
    """A plain table; numbers to the right, the first column to the left."""
    lines = [list(head)] + lines
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join("  ".join(
        cell.ljust(width) if i in (0, len(head) - 1) else cell.rjust(width)
        for i, (cell, width) in enumerate(zip(line, widths))).rstrip() for line in lines)


def markdown(head, lines):
    rule = ["---"] + ["---:"] * (len(head) - 2) + ["---"]
    return "\n".join("| " + " | ".join(line) + " |" for line in [list(head), rule, *lines])
