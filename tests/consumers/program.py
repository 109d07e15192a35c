"""A real program whose functions are the model's, for formats that are about addresses."""

import random
import re

import harness
import model
from model import Function, Module, Row, Model, Thread, values

NAMES = [f"f{i}" for i in range(8)]


def build(path, names):
    """Compiles main and the functions; {name: (link-time address, size)} and the executable segments."""
    compiler = harness.need("gcc", "gcc")
    with open("prog.c", "w", encoding="ascii") as file:
        file.write("volatile int s;\n")
        for i, name in enumerate(names):
            file.write(f"__attribute__((noinline)) int {name}(int x) {{ s += x; {'s++; ' * (3 * i + 1)}"
                       "return s; }\n")
        file.write("int main(void) { return " + " + ".join(f"{name}(1)" for name in names) + "; }\n")
    harness.run(compiler, "-g", "-O1", "-Wl,--build-id", "-o", path, "prog.c")
    symbols = {}
    for line in harness.run("nm", "-S", path).splitlines():
        words = line.split()
        if len(words) == 4 and words[2] == "T" and words[3] in (*names, "main"):
            symbols[words[3]] = int(words[0], 16), int(words[1], 16)
    segments = []
    for line in harness.run("readelf", "-lW", path).splitlines():
        match = re.match(r"\s*LOAD\s+(0x\w+) (0x\w+) 0x\w+ (0x\w+) 0x\w+ (...)", line)
        if match and "E" in match[4]:
            segments.append(tuple(int(word, 16) for word in match.groups()[:3]))
    return symbols, segments


def build_id(path):
    return re.search(r"Build ID: (\w+)", harness.run("readelf", "-n", path))[1]


class Program:
    """Random models over the program's functions."""

    def __init__(self, path="./prog ram", names=tuple(NAMES)):
        import os
        self.path = os.path.abspath(path)
        self.symbols, self.segments = build(self.path, names)
        self.module = Module(self.path, build_id(self.path))
        self.functions = {name: Function(name, self.module, "/src/prog.c", 1) for name in self.symbols}

    def address_of(self, place):
        """In the tests' files, the program is mapped at 0x10000000 from its first byte on."""
        address = self.symbols[place[0][0].name][0] + 4
        for offset, start, size in self.segments:
            if start <= address < start + size:
                return 0x10000000 + address - start + offset
        raise AssertionError(f"{place} is in no segment")

    def make_model(self, seed, recursion, heavy=False):
        rng = random.Random(seed)
        names = [name for name in sorted(self.functions) if name != "main"]
        threads = [Thread(100, self.path, 100, "prog"), Thread(100, self.path, 101, "work er")]
        rows = {}
        for _ in range(80):
            depth = rng.randint(1, 6)
            chosen = (rng.choices(names, k=depth) if recursion else sorted(rng.sample(names, depth)))
            stack = [[(self.functions[name], 0)] for name in ["main"] + chosen]
            amount = rng.randint(1, 200) * 10 ** 7
            rows[str(stack)] = Row(rng.choice(threads), "user", stack,
                                   values(rng.randint(1, 30), user=amount))
        if heavy:
            stack = [[(self.functions[name], 0)] for name in ("main", "f1", "f2")]
            rows["heavy"] = Row(threads[1], "user", stack, values(200000, user=2 ** 53 + 12345))
        return Model(list(rows.values()), threads)


UNKNOWN = "[unknown]"


class Canonical(Program):
    """The canonical model over functions that are a program's, for consumers that take the names from it.

    Its names are plain, for they are the file's own and never pass through sprof; what is inlined has no
    address of its own, and is part of where it was inlined into; the library, the kernel and what was not
    sampled have no file here, so that nobody can name what is in them.
    """

    def __init__(self):
        self.source = model.canonical()
        self.names = {}
        for row in self.source.rows:
            for place in row.stack:
                function = place[0][0]
                if function.module and function.module.path == "/usr/bin/prog ram":
                    self.names.setdefault(function.name, f"s{len(self.names)}")
        self.names["main"] = "main"
        super().__init__(names=tuple(name for name in self.names.values() if name != "main"))

    def place(self, place):
        function, line = place[0]
        name = self.names.get(function.name)
        return [(self.functions[name] if name else function, line)]

    def make(self):
        """The model to write."""
        self.rows = [row._replace(stack=[self.place(place) for place in row.stack]) for row in self.source.rows]
        return Model(self.rows, self.source.threads)

    def known(self, kernel=False):
        """The same as a consumer can know it; `kernel`: it is told the names of the kernel's functions."""
        rows = [row._replace(stack=[[(self.known_function(place[0][0], kernel), 0)] for place in row.stack])
                for row in self.rows]
        return Model(rows, self.source.threads)

    def known_function(self, function, kernel):
        is_kernel = kernel and function.module and function.module.path == "[kernel]"
        return function if function.module is self.module or is_kernel else Function(UNKNOWN, None)

    def address_of(self, place):
        return super().address_of(place) if place[0][0].module is self.module else None
