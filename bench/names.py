#!/usr/bin/env python3
"""Names of a large program: sprof's resolver beside eu-addr2line and addr2line.

    names.py [--build FOLDER] [--work FOLDER] [--units N] [--addresses N]

Generates a C++ program with thousands of template instances at -g3, which comes to about 300 MB,
takes random addresses of its text, and has all three name each with its inline chain. Prints wall
time and peak memory of each, and for sprof the part of the file that it touched.
"""

import argparse
import os
import random
import re
import resource
import subprocess
import sys
import time

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


def measure(argv, stdin, env=None):
    """(wall seconds, peak bytes, stdout) of a program."""
    begin = time.monotonic()
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as process:
        out, _ = process.communicate(stdin.encode())
    seconds = time.monotonic() - begin
    if process.returncode:
        sys.exit(f"{argv[0]} failed")
    return seconds, out.decode(errors="replace")


def peak_of_children():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


def in_child(function, *args):
    """Runs the function in a process of its own, so that its children's peak is known; see measure()."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if not pid:
        seconds, out = function(*args)
        os.write(write_end, f"{seconds} {peak_of_children()} {out[-200:]}".encode())
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end, encoding="utf-8") as file:
        seconds, peak, out = file.read().split(" ", 2)
    os.waitpid(pid, 0)
    return float(seconds), int(peak), out


def median(values):
    return sorted(values)[len(values) // 2]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build", help="where bench/names was built")
    parser.add_argument("--work", default="build-bench-names", help="where the program is generated")
    parser.add_argument("--units", type=int, default=20)
    parser.add_argument("--addresses", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()

    os.makedirs(options.work, exist_ok=True)
    program = build_program(options.work, options.units)
    start, size = text_of(program)
    chosen = random.Random(1)
    addresses = "".join(f"0x{start + chosen.randrange(size):x}\n" for _ in range(options.addresses))
    tools = {
        "sprof": [os.path.join(options.build, "bench/names"), program],
        "eu-addr2line": ["eu-addr2line", "-f", "-i", "-e", program],
        "addr2line": ["addr2line", "-f", "-i", "-e", program],
    }
    print(f"{options.addresses} addresses of {os.path.getsize(program) / 2**20:.0f} MB, "
          f"median of {options.rounds}")
    results = {}
    for name, argv in tools.items():
        runs = [in_child(measure, argv, addresses) for _ in range(options.rounds)]
        results[name] = median([run[0] for run in runs])
        print(f"{name:14} {results[name]:8.2f} s  peak {median([run[1] for run in runs]) / 2**20:7.0f} MB")
        if name == "sprof":
            print(f"{'':14} {runs[-1][2].strip().splitlines()[-1]}")
    fastest = min(results["eu-addr2line"], results["addr2line"])
    print(f"sprof is {fastest / results['sprof']:.1f} times as fast as the faster of the others")


if __name__ == "__main__":
    main()
