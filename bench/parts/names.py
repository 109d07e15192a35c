"""Names of a large program: the session of names beside eu-addr2line and addr2line, on the same addresses."""

import os
import random
import re
import resource
import subprocess
import time

from figures import Check, Result, Row, Series

INSTANCES = 24  # per unit, each of several containers and algorithms

HEAD = """
#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

namespace bench {
template <int N> struct key {
    long value;
    bool operator<(const key &o) const { return value < o.value; }
    bool operator==(const key &o) const { return value == o.value; }
};
template <int N> struct hash { std::size_t operator()(const key<N> &k) const { return k.value * 31 + N; } };
template <int N> long work(long seed)
{
    std::map<key<N>, std::vector<std::string>> tree;
    std::unordered_map<key<N>, std::deque<long>, hash<N>> table;
    std::set<std::tuple<key<N>, long>> pairs;
    std::vector<std::variant<long, std::string, key<N>>> mixed;
    std::function<long(key<N>)> f = [&](key<N> k) { return k.value + seed; };
    for (long i = 0; i < seed; i++) {
        key<N> k{i * seed % 97};
        tree[k].push_back(std::to_string(i));
        table[k].push_back(i);
        pairs.insert({k, i});
        mixed.emplace_back(k);
    }
    std::sort(mixed.begin(), mixed.end(), [](const auto &a, const auto &b) { return a.index() < b.index(); });
    long sum = std::accumulate(pairs.begin(), pairs.end(), 0L,
        [](long s, const auto &p) { return s + std::get<1>(p); });
    for (auto &[k, list] : tree)
        sum += f(k) + (long)list.size() + (long)table[k].size();
    return sum;
}
}
"""


def compile_once(folder):
    """The assembly of the first unit, whose instances are numbered from 0."""
    source, assembly = os.path.join(folder, "unit.cc"), os.path.join(folder, "unit.s")
    if os.path.exists(assembly):
        return assembly
    with open(source, "w", encoding="utf-8") as file:
        file.write(HEAD + "long unit_0000(long seed)\n{\n    long sum = 0;\n")
        file.writelines(f"    sum += bench::work<{i}>(seed);\n" for i in range(INSTANCES))
        file.write("    return sum;\n}\n")
    subprocess.run(["g++", "-O2", "-g3", "-S", source, "-o", assembly + ".new"], check=True)
    os.rename(assembly + ".new", assembly)
    return assembly


def derive_unit(text, number):
    """The same unit with other instances: as if the compiler had been run again, in a tenth of the time."""
    first = number * INSTANCES
    text = text.replace("unit_0000", f"unit_{number:04}")
    text = re.sub(r"ILi(\d+)E", lambda match: f"ILi{int(match.group(1)) + first}E", text)
    return re.sub(r"<(\d+)>", lambda match: f"<{int(match.group(1)) + first}>", text)


def assemble_all(folder, units):
    with open(compile_once(folder), encoding="utf-8") as file:
        text = file.read()
    objects = []
    for number in range(units):
        target = os.path.join(folder, f"unit-{number}.o")
        objects.append(target)
        if not os.path.exists(target):
            subprocess.run(["as", "-o", target + ".new", "-"], check=True,
                           input=derive_unit(text, number).encode())
            os.rename(target + ".new", target)
    return objects


def build_program(folder, units):
    program = os.path.join(folder, f"program-{units}")
    if os.path.exists(program):
        return program
    objects = assemble_all(folder, units)
    main = os.path.join(folder, "main.cc")
    with open(main, "w", encoding="utf-8") as file:
        file.writelines(f"long unit_{i:04}(long);\n" for i in range(units))
        file.write("int main(int argc, char **)\n{\n    long sum = 0;\n")
        file.writelines(f"    sum += unit_{i:04}(argc);\n" for i in range(units))
        file.write("    return sum & 1;\n}\n")
    subprocess.run(["g++", "-O2", "-g3", main, *objects, "-o", program], check=True)
    return program


def text_of(program):
    """(address, size) of .text."""
    out = subprocess.run(["readelf", "-SW", program], capture_output=True, text=True, check=True).stdout
    match = re.search(r"\s\.text\s+PROGBITS\s+([0-9a-f]+)\s+[0-9a-f]+\s+([0-9a-f]+)", out)
    return int(match.group(1), 16), int(match.group(2), 16)


def choose(program, count):
    start, size = text_of(program)
    chosen = random.Random(1)
    return "".join(f"0x{start + chosen.randrange(size):x}\n" for _ in range(count))


def once(argv, addresses):
    """(wall seconds, CPU seconds, peak kB, the last line of output) of one run, which is its only child."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if not pid:
        begin = time.monotonic()
        out = subprocess.run(argv, input=addresses, capture_output=True, text=True, check=True).stdout
        wall = time.monotonic() - begin
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        last = out.rstrip("\n").rpartition("\n")[2][-200:]
        os.write(write_end, f"{wall} {usage.ru_utime + usage.ru_stime} {usage.ru_maxrss} {last}".encode())
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end, encoding="utf-8") as file:
        wall, cpu, peak, last = file.read().split(" ", 3)
    os.waitpid(pid, 0)
    return float(wall), float(cpu), int(peak), last


def measure(bench):
    units, count = bench.seconds(20, 2), bench.seconds(500, 100)
    program = build_program(bench.folder, units)
    addresses = choose(program, count)
    tools = {
        "sprof": [bench.program("names"), program],
        "eu-addr2line -f -i": ["eu-addr2line", "-f", "-i", "-e", program],
        "addr2line -f -i": ["addr2line", "-f", "-i", "-e", program],
    }
    result = Result("Names", [
        f"{count} random text addresses of a C++ program with thousands of template instances at -g3, "
        f"{os.path.getsize(program) / 2**20:.0f} MB,",
        "each with its inline chain, file and line, without demangling. One process per tool and round.",
    ])
    runs = {name: [once(argv, addresses) for _ in range(bench.rounds)] for name, argv in tools.items()}
    walls = {name: Series(run[0] for run in values) for name, values in runs.items()}
    peaks = {name: Series(run[2] / 1024 for run in values) for name, values in runs.items()}
    for name in tools:
        base = walls["sprof"] if name != "sprof" else None
        result.rows.append(Row(f"names: {name}", walls[name], "s", "sprof" if base else "", base))
    for name in tools:
        result.rows.append(Row(f"peak memory: {name}", peaks[name], "MB"))
    touched = Series(int(re.search(r"of it (\d+) kB", run[3]).group(1)) / 1024 for run in runs["sprof"])
    result.rows.append(Row("touched part of the file: sprof", touched, "MB"))
    others = [walls[name].over(walls["sprof"]).median for name in tools if name != "sprof"]
    result.checks.append(Check("names: time of the faster of the others over ours", min(others), 5, at_least=True))
    result.checks.append(Check("names: peak memory over the touched part", peaks["sprof"].over(touched).median, 1.5))
    return result
