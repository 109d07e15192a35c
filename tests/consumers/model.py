"""Profiles made up for the tests, and the truth about them: self and total per function.

A model is written as a saved profile (pprof_file.py), sprof turns that into another format, and what
the format's consumer understood is compared with the figures computed here.
"""

import random
from collections import Counter, namedtuple

WEIGHTS = ("samples", "wall", "user", "sys", "runq", "wait")
STOLEN = "stolen"  # only in files that have such time
CLASSES = (*WEIGHTS[2:], STOLEN)

Module = namedtuple("Module", "path build_id")
Function = namedtuple("Function", "name module file line unresolved linkage", defaults=(None, 0, False, None))
Thread = namedtuple("Thread", "pid process tid name host rank", defaults=(None, None))
# stack: places, outermost first; a place is a list of (function, line), outermost first: all but the
# first are inlined.
Row = namedtuple("Row", "thread state stack values")


def clean(name):
    """What sprof shows of a name: no control characters, nothing that is no UTF-8."""
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return "".join("?" if is_control(ord(c)) else c for c in text) or "?"


def is_control(point):
    return (point < 0x20 or 0x7f <= point < 0xa0 or 0x2028 <= point <= 0x202e
            or 0x2066 <= point <= 0x2069 or point in (0x200e, 0x200f, 0xfeff))


class Model:
    """Rows, and what they add up to."""

    def __init__(self, rows, threads):
        self.rows = rows
        self.threads = threads
        self.weights = (*WEIGHTS, STOLEN) if self.whole(STOLEN) else WEIGHTS

    def functions_of(self, row):
        """Outermost first, inlined ones too."""
        return [function for place in row.stack for function, _line in place]

    def names_of(self, row):
        return [clean(function.name) for function in self.functions_of(row)]

    def tables(self, weight, thread=None):
        """({name: self}, {name: total})."""
        own, total = Counter(), Counter()
        for row in self.rows:
            if thread is not None and row.thread != thread:
                continue
            value = value_of(row, weight)
            names = self.names_of(row)
            own[names[-1]] += value
            for name in set(names):
                total[name] += value
        return own, total

    def whole(self, weight):
        return sum(value_of(row, weight) for row in self.rows)


def value_of(row, weight):
    if weight == "wall":
        return sum(row.values[name] for name in CLASSES)
    return row.values[weight]


def values(samples, **times):
    return {"samples": samples, **dict.fromkeys(CLASSES, 0), **times}


HOSTILE = (
    "semi;colon", 'quote"back\\slash', "new\nline\r\ttab", "<script>alert(1)</script>", "b<int>",
    "esc\x1b[31mred", "f(int, char *) const", "bad\udcff\udcfeutf8", "числа", "percent%s%n", "{brace}",
    "right\u202eleft", "two  blanks", "ends in 123", "a&b;c&lt;", "'single'", "(7) number", "[odd]",
    "comma,tab", "#hash", "$dollar`tick`", "cfn=(1) x", "x" * 3000,
)


def plain(name, module, line=10):
    return Function(name, module, "/src/" + name.split("(")[0] + ".c", line)


def canonical():
    """Everything that has ever gone wrong in a profile, once."""
    program = Module("/usr/bin/prog ram", "aa" * 20)
    library = Module("/usr/lib/lib;odd.so", "bb" * 20)
    kernel = Module("[kernel]", None)
    names = ("main", "a(int)", "b", "inl", "rec", "even", "odd", "worker", "deep", "hot")
    f = {name: plain(name, program) for name in names}
    f["lib"] = plain("lib_call", library)
    f["sys"] = Function("do_sys_read", kernel)
    f["unknown"] = Function("lib;odd.so+0x1f00", library, unresolved=True)
    f["unsampled"] = Function("[unsampled]", None)
    threads = [Thread(4711, "/usr/bin/prog ram --x", tid, name) for tid, name in
               ((4711, "main"), (4712, "wor;ker"), (4713, 'na"me\n'))]
    threads += [Thread(5000, "child<b>", 5000, "child"), Thread(5000, "child<b>", 5001, "")]
    one, two, three, four, five = threads
    ms = 10 ** 6

    def parts_of(place):
        return place if isinstance(place, tuple) and not isinstance(place, Function) else (place,)

    def stack(*places):
        return [[(f[part] if isinstance(part, str) else part, 3 + i)
                 for i, part in enumerate(parts_of(place))] for place in places]

    rows = [
        Row(one, "user", stack("main", "a(int)", "b"), values(3, user=28 * ms, runq=2 * ms)),
        Row(one, "user", stack("main", "a(int)", ("b", "inl")), values(2, user=20 * ms + 1)),
        Row(one, "user", stack("main", "rec", "rec", "rec"), values(4, user=40 * ms)),
        Row(one, "user", stack("main", "even", "odd", "even", "odd"), values(5, user=50 * ms + 7)),
        Row(one, "sys", stack("main", "lib", "sys"), values(6, sys=60 * ms)),
        Row(one, None, stack("unsampled"), values(0, sys=3 * ms)),
        Row(two, "sleep", stack("worker", "b"), values(10, wait=100 * ms)),
        Row(two, "disk", stack("worker", "unknown"), values(1, wait=10 * ms)),
        Row(three, "user", stack("hot"), values(200000, user=2 ** 53 + 12345)),
        Row(four, "user", stack("deep", *["rec"] * 300), values(7, user=70 * ms)),
        Row(five, "stopped", stack("main"), values(1, wait=1)),
    ]
    for i, name in enumerate(HOSTILE):
        hostile = Function(name, program, f"/src/{name[:40]}.c", 5 + i)
        rows.append(Row(four, "user", stack("main", hostile, "b"), values(i + 1, user=(i + 1) * ms)))
        rows.append(Row(four, "user", stack("main", hostile), values(1, user=1000 + 10 * i)))
    return Model(rows, threads)


WORKED = (("main", 1), ("main;a", 2), ("main;a;b", 4), ("main;a;b;c", 8), ("main;a;c", 2))


def worked():
    """The example of the reports' definition: 17 samples, 1 ms each."""
    module = Module("/usr/bin/example", None)
    thread = Thread(100, "example", 101, "example")
    rows = [Row(thread, "user", [[(plain(name, module), 0)] for name in stack.split(";")],
                values(count, user=count * 10 ** 6)) for stack, count in WORKED]
    return Model(rows, [thread])


def make_random(seed, functions=12, stacks=150, recursion=True, kernel=False):
    """Random stacks over few functions, with inlining; all weights below 2^40."""
    rng = random.Random(seed)
    module = Module("/usr/bin/random", "cc" * 20)
    pool = [plain(f"f{i}", module, 10 + i) for i in range(functions)]
    threads = [Thread(100 + i // 2, f"p{i // 2}", 200 + i, f"t{i}") for i in range(4)]
    seen, rows = set(), []
    for _ in range(stacks):
        depth = rng.randint(1, 8)
        chosen = ([rng.choice(pool) for _ in range(depth)] if recursion
                  else sorted(rng.sample(pool, min(depth, functions)), key=lambda f: f.line))
        places, i = [], 0
        while i < len(chosen):
            width = rng.choice((1, 1, 1, 2, 3))
            places.append([(function, rng.randint(1, 4)) for function in chosen[i:i + width]])
            i += width
        thread, state = rng.choice(threads), rng.choice(("user", "sys", "sleep"))
        key = (thread, state, str(places))
        if key in seen:
            continue
        seen.add(key)
        amount = rng.randint(1, 2 ** 40 // stacks)
        times = {"user": dict(user=amount, runq=amount // 3, stolen=amount // 5 * (seed % 2)),
                 "sys": dict(sys=amount), "sleep": dict(wait=amount)}[state]
        rows.append(Row(thread, state, places, values(rng.randint(1, 50), **times)))
    return Model(rows, threads)
