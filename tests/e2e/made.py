"""Profiles that no run has recorded: what is in them is known, and the same on every machine."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../consumers"))

# pylint: disable=wrong-import-position
from model import Function, Model, Module, Row, Thread, values
from pprof_file import encode, number, write

MS = 10 ** 6
PROGRAM = Module("/usr/bin/made", "aa" * 20)
LIBRARY = Module("/usr/lib/libmade.so", "bb" * 20)


def stack_of(*names):
    """Outermost first; names that begin with lib_ are the library's, all others the program's."""
    return [[(Function(name, LIBRARY if name.startswith("lib_") else PROGRAM, f"/src/{name}.c", 10), 11)]
            for name in names]


def row(thread, state, names, samples, **times):
    return Row(thread, state, stack_of(*names), values(samples, **{name: ms * MS for name, ms in times.items()}))


def small(path, factor=1):
    """
    Two threads of two processes; every state but one; a recursion; a library's function with callers in the program.
    The factor multiplies the time of `parse` alone.
    """
    one, two = Thread(100, "made", 101, "worker", "ash", "0"), Thread(200, "other", 201, "writer", "oak", "1")
    rows = [
        row(one, "user", ("main", "parse"), 40 * factor, user=400 * factor),
        row(one, "user", ("main", "walk", "walk", "walk"), 30, user=300),
        row(one, "sys", ("main", "store", "lib_write"), 10, sys=100),
        row(two, "sleep", ("main", "rest"), 10, wait=100),
        row(two, "disk", ("main", "store", "lib_sync"), 5, wait=50),
        row(two, "user", ("main", "rare"), 5, user=40, runq=10),
    ]
    return write(path, Model(rows, [one, two]))


def large_model():
    thread = Thread(100, "made", 101, "worker")
    return Model([row(thread, "user", ("main", f"function_{i:04}_with_a_long_name"), 1, user=10)
                  for i in range(1500)], [thread])


def large(path):
    """Its whole report is larger than what a pipe takes at once (64 KiB)."""
    return write(path, large_model())


def large_runs(count):
    """The same of as many runs, each with its start."""
    same = encode(large_model())
    for i in range(count):
        with open(f"run-{i}.pb", "wb") as file:
            file.write(same + number(9, 1 + i))
    return [f"run-{i}.pb" for i in range(count)]


def templates(path):
    thread = Thread(100, "made", 101, "worker")
    name = "space::twice<std::vector<int, std::allocator<int> > >(std::vector<int, std::allocator<int> > const&)"
    return write(path, Model([row(thread, "user", ("main", name), 10, user=100)], [thread]))


def stubs(path):
    """Functions as reports name them, some of them the stubs through which other files are called."""
    thread = Thread(100, "made", 101, "worker")
    return write(path, Model([row(thread, "user", ("main", "strcmp@plt"), 10, user=100),
                              row(thread, "user", ("main", "lib_strcmp@plt"), 10, user=100),
                              row(thread, "user", ("main", "lib_strcmp"), 10, user=100)], [thread]))


def instances(path, build, functions, samples, thread="worker", **keywords):
    """Functions of one build of the program, each a pair of names: as shown, and mangled."""
    thread, program = Thread(100, "made", 101, thread), Module("/usr/bin/made", build * 20)
    places = [[(Function(name, program, "/src/f.rs", 10, linkage=linkage), 11)] for name, linkage in functions]
    return write(path, Model([Row(thread, "user", [place], values(samples + i, user=(samples + i) * MS))
                              for i, place in enumerate(places)], [thread]), **keywords)
