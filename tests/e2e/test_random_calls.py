"""
Calls of random programs, as each has counted them.

    test_random_calls.py --seeds FIRST END     these programs, and how many of them agree
"""

import json
import os
import sys

from call_programs import make
from harness import main, random_numbers, require_machine, run, sprof, tool
from subjects import command, write

PROGRAMS = 5  # of each run of the test


def build(seed):
    program, plugin, how = make(seed)
    common = [tool("gcc"), how, "-g", "-w"]
    command(*common, "-pthread", write(f"random-{seed}.c", program), "-ldl", "-o", f"random-{seed}")
    command(*common, "-shared", "-fPIC", write(f"plugin-{seed}.c", plugin), "-o", f"plugin-{seed}.so")
    return [f"./random-{seed}", f"truth-{seed}.txt", f"./plugin-{seed}.so"]


def read_truth(seed):
    with open(f"truth-{seed}.txt") as file:
        rows = [line.split() for line in file]
    return {name: tuple(map(int, figures)) for name, *figures in rows if figures[0] != "0"}


def differences(seed):
    """What sprof says of a program that is not so, as text."""
    argv = build(seed)
    alone = run(*argv)
    assert alone.code == 0, f"seed {seed}: the program alone ends with {alone.code}\n{alone.err}"
    found = sprof("calls", "--overhead", "0", "--json", "-o", f"calls-{seed}.json",
                  "-F", "fn_*,loop_*", "-F", f"plug_*@plugin-{seed}.so", "--", *argv)
    truth = read_truth(seed)
    has_plugin = any(name.startswith("plug") for name in truth)
    if found.code != 0 and (has_plugin or "plug_" not in found.err):
        return [f"exit {found.code}: {found.err}"]
    with open(f"calls-{seed}.json") as file:
        rows = json.load(file)["functions"]
    seen = {row["function"].split("@")[0]: (row["calls"], row["returned"]) for row in rows}
    for name in os.listdir("."):
        if f"-{seed}" in name:
            os.remove(name)
    return [f"{name}: {seen.get(name)} of {truth.get(name)} calls, returned"
            for name in sorted({*seen, *truth}) if seen.get(name) != truth.get(name)]


def test_calls_of_random_programs():
    require_machine(os.uname().machine == "x86_64", "breakpoints need x86_64")
    numbers = random_numbers()
    for seed in [numbers.randrange(1 << 30) for _ in range(PROGRAMS)]:
        wrong = differences(seed)
        assert not wrong, f"call_programs.make({seed}):\n" + "\n".join(wrong)


def check_seeds(first, end):
    agree = 0
    for seed in range(first, end):
        wrong = differences(seed)
        agree += not wrong
        if wrong:
            print(f"seed {seed}: " + "; ".join(wrong), flush=True)
    print(f"{agree} of {end - first} agree")


if sys.argv[1:2] == ["--seeds"]:
    check_seeds(int(sys.argv[2]), int(sys.argv[3]))
else:
    main()
