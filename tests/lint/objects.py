#!/usr/bin/env python3
"""The rules about who uses whose symbols, checked on the object files of a build.

    objects.py [--edges] BUILD SOURCE

Prints one paragraph per violation; exits 1 if there is any. The rules:

- no cycle of references between the files of one folder;
- no reference upwards between folders: the table INCLUDES of lint.py;
- no external symbol without a user outside its file. Tests and benches are no users.

Works on builds of gcc and clang, with and without sanitizers. Sees only what the compiler left: a reference
in code that was optimized away does not count. Files that this machine's build leaves out are not checked.
"""

import argparse
import collections
import json
import os
import platform
import shutil
import subprocess
import sys

import lint

# Symbols that only tests or benches use -> why they stay external.
FOR_TESTS = {}

# Decoders are named after their machine and compiled, and tested, on all.
OTHER_MACHINES = tuple(f"_{machine}" for machine in ("x86_64", "aarch64") if machine != platform.machine())

# One object file: its source from the root, the symbols that it defines for others, those that it wants.
Object = collections.namedtuple("Object", "path defined wanted")


def folder_of(path):
    return path.split("/")[0]


def run_nm(paths):
    """The output of nm for these files, by file."""
    command = ["nm", "--format=posix", "--extern-only", "--print-file-name", "--", *paths]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(f"nm: {result.stderr.strip()}")
    lines = collections.defaultdict(list)
    for line in result.stdout.splitlines():
        path, _, rest = line.partition(": ")
        lines[path].append(rest.split())
    return lines


def symbols_of(fields):
    """(defined, wanted) names. Names with two underscores are the compiler's and the sanitizers'."""
    names = [(words[0], words[1]) for words in fields if not words[0].startswith("__")]
    defined = {name for name, kind in names if kind not in "Uvw"}
    return defined, {name for name, kind in names if kind in "Uvw"}


def compiled_in(build, source):
    """(object file, source from the root) of everything that the build compiles."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        for entry in json.load(file):
            path = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
            yield os.path.join(entry["directory"], entry["output"]), os.path.relpath(path, source)


def read_objects(build, source):
    """(objects of the layers, objects of tests and benches as far as they are built)."""
    of_layers, of_others = {}, {}
    for output, path in compiled_in(build, source):
        folder = folder_of(os.path.relpath(output, build))
        if folder in lint.INCLUDES and folder_of(path) == folder:
            of_layers[output] = path
        elif folder in lint.ANYTHING and os.path.exists(output):
            of_others[output] = path
    if not of_layers:
        sys.exit(f"{build}: compiles no file of {source}")
    lines = run_nm([*of_layers, *of_others])

    def objects(paths):
        return [Object(path, *symbols_of(lines[output])) for output, path in sorted(paths.items())]

    return objects(of_layers), objects(of_others)


def references(objects):
    """{(user, definer): {symbol, ...}} between different files."""
    definers = {symbol: each.path for each in objects for symbol in each.defined}
    edges = collections.defaultdict(set)
    for each in objects:
        for symbol in each.wanted:
            definer = definers.get(symbol, each.path)
            if definer != each.path:
                edges[each.path, definer].add(symbol)
    return edges


def reachable(start, successors):
    """{file: the one before it on a shortest way from start}; start itself only if a way leads back."""
    before, queue = {}, collections.deque([start])
    while queue:
        path = queue.popleft()
        for following in sorted(successors[path]):
            if following not in before:
                before[following] = path
                queue.append(following)
    return before


def circles(edges):
    """Groups of files that all reach each other (strongly connected components), with one shortest cycle each."""
    successors = collections.defaultdict(set)
    for user, definer in edges:
        successors[user].add(definer)
    ways = {path: reachable(path, successors) for path in sorted(successors)}
    seen = set()
    for path, before in ways.items():
        if path in seen or path not in before:
            continue
        group = [other for other in before if path in ways.get(other, ())]
        seen.update(group)
        yield sorted(group), min((cycle_at(each, ways[each]) for each in sorted(group)), key=len)


def cycle_at(start, before):
    """The edges of the shortest cycle through a file."""
    cycle, path = [], start
    while not cycle or path != start:
        cycle.insert(0, (before[path], path))
        path = before[path]
    return cycle


def edge_line(edge, symbols):
    user, definer = (os.path.basename(path) for path in edge)
    return f"    {user} -> {definer}: {', '.join(sorted(symbols))}"


def check_cycles(edges, all_edges=False):
    for folder in lint.INCLUDES:
        inside = {edge: symbols for edge, symbols in edges.items() if {folder_of(path) for path in edge} == {folder}}
        for group, cycle in circles(inside):
            if all_edges:
                cycle = sorted(edge for edge in inside if set(edge) <= set(group))
            names = ", ".join(os.path.basename(path) for path in group)
            lines = [edge_line(edge, inside[edge]) for edge in cycle]
            yield f"{folder}/: {len(group)} files use each other in a cycle: {names}\n" + "\n".join(lines)


def check_layers(edges):
    for (user, definer), symbols in sorted(edges.items()):
        folder, other = folder_of(user), folder_of(definer)
        if folder != other and other not in lint.INCLUDES[folder]:
            yield f"{user}: {folder}/ may not use {other}/: {', '.join(sorted(symbols))} ({definer})"


def check_unused(layers, others):
    used = {symbol for each in layers for symbol in each.wanted}
    tested = {symbol for each in others for symbol in each.wanted}
    for each in layers:
        for symbol in sorted(each.defined - used - {"main"} - set(FOR_TESTS)):
            if symbol.endswith(OTHER_MACHINES):
                continue
            who = "only tests and benches use it" if symbol in tested else "nobody uses it"
            yield f"{each.path}: {symbol}: {who} outside its file"


def check(build, source, all_edges=False):
    """All violations, as texts."""
    layers, others = read_objects(build, source)
    edges = references(layers)
    yield from check_cycles(edges, all_edges)
    yield from check_layers(edges)
    yield from check_unused(layers, others)


def main():
    parser = argparse.ArgumentParser(description="Checks who uses whose symbols.")
    parser.add_argument("--edges", action="store_true", help="print all references of a cycle's files")
    parser.add_argument("build")
    parser.add_argument("source")
    args = parser.parse_args()
    if not shutil.which("nm"):
        print("skipped: there is no nm (Debian: binutils)")
        return 1 if os.environ.get("SPROF_TESTS_MUST_RUN") else 77
    violations = list(check(os.path.abspath(args.build), os.path.abspath(args.source), args.edges))
    for violation in violations:
        print(violation)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
