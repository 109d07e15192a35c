"""`go tool pprof -top` on a profile, as two tables."""

import re
from collections import Counter

import harness

GO = harness.need("go", "golang-go")
EVERYTHING = ("-nodecount=0", "-nodefraction=0", "-edgefraction=0", "-symbolize=none")
# sprof writes " (tail call)" behind a name, for such a function has two of them; its own reports put both together.
LINE = re.compile(r"\s*(\d+)(?:ns|B)?\s+\S+%\s+\S+%\s+(\d+)(?:ns|B)?\s+\S+%  (.*?)"
                  r"( \(tail call\??\))?( \((partial-)?inline\))?$")


def top(path, *options):
    """({name: self}, {name: total}); the unit is one of the options, "ns" without."""
    text = harness.run(GO, "tool", "pprof", "-top", "-unit=ns", *EVERYTHING, *options, path)
    own, total = Counter(), Counter()
    for match in filter(None, map(LINE.match, text.splitlines())):
        own[match[3].strip()] += int(match[1])
        total[match[3].strip()] += int(match[2])
    return own, total
