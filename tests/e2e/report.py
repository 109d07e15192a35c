"""Reads the text report back: its table of threads and its flat profile."""

import re

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
FIGURE = r"(\d+(?:\.\d+)?) (ns|us|ms|s)"
PERCENT = r"(\d+\.\d|-)"
CLASSES = ("user", "sys", "runq", "wait", "stolen")
LEAST_STOLEN = 0.005  # of the wall time: with less there is no such column

THREAD = re.compile(rf"\s*(\d+)" + rf"\s+{FIGURE}" * 5 + rf"(?:\s+{FIGURE})?"
                    r"\s+(\d+) (\S+) +(.*)")
FUNCTION = re.compile(rf"\s*{PERCENT}\s+{FIGURE}\s+{FIGURE}" + rf"\s+{PERCENT}" * 4 +
                      rf"(?:\s+{PERCENT})?" r"\s+(\d+)\s+(\d+) +(\S*) +(\S+) +(\S.*?)(?:  \S+:\d+)?")


class Figure(float):
    """Seconds, and half of what the last digit shown stands for."""

    def __new__(cls, number, unit):
        figure = super().__new__(cls, float(number) * UNITS[unit])
        figure.rounding = 0.5 * 10 ** -len(number.partition(".")[2]) * UNITS[unit]
        return figure


def _section(text, title):
    """The lines behind the line that begins with title, to the next empty one."""
    lines = iter(text.splitlines())
    assert any(line.startswith(title) for line in lines), f"no section {title!r} in:\n{text}"
    section = []
    for line in lines:
        if not line:
            break
        section.append(line)
    return section


def _thread(match):
    words = match.groups()
    figures = [Figure(*words[i:i + 2]) for i in range(1, 13, 2) if words[i]]
    return {"tid": int(words[0]), "samples": int(words[13]), "verdict": words[14],
            "name": words[15], **dict(zip(("wall", *CLASSES), figures))}


def _function(match):
    words = match.groups()
    split = [0.0 if word == "-" else float(word) / 100 for word in words[5:10] if word]
    return {"self": Figure(*words[1:3]), "total": Figure(*words[3:5]), "samples": int(words[10]),
            "verdict": words[12], "dso": words[13], "name": words[14], **dict(zip(CLASSES, split))}


class Report:
    """threads: a list of rows; functions: a row by its name; times in seconds, splits as shares."""

    def __init__(self, text):
        rows = map(THREAD.fullmatch, _section(text, "threads"))
        self.threads = [_thread(match) for match in rows if match]
        rows = map(FUNCTION.fullmatch, _section(text, "flat profile"))
        functions = [_function(match) for match in rows if match]
        self.functions = {row["name"]: row for row in functions}

    def sums(self):
        """Of each thread: its row, the sum of its classes, and how far from its wall time that may be."""
        walls = sum(row["wall"] for row in self.threads)
        for row in self.threads:
            parts = [row[name] for name in CLASSES if name in row]
            rounding = sum(part.rounding for part in (row["wall"], *parts))
            yield row, sum(parts), rounding + (0 if "stolen" in row else LEAST_STOLEN * walls)


def read_report(path):
    with open(path, encoding="utf-8") as file:
        return Report(file.read())
