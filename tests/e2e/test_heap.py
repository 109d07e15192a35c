"""sprof heap: who makes memory grow, of a program that knows it, by every source."""

import os
import re
import shlex
import sys

from harness import (SPROF, Program, Target, as_plain_user, check_error, check_near, main, own_sprof, own_target, read_folded,
                     require, require_switches, run, sprof, target, tool, tracer_of)
from subjects import build, write

TARGET = "grower"
PAGE = 4096
# Pages that each function of the target touches.
TOUCHED = {"grow_a_lot": 6000, "grow_a_little": 2000, "grow_in_a_thread": 3000}


def grown(*options, program=SPROF, words=(), **how):
    """Bytes by function, and of all, as the folded stacks have them."""
    name = f"growth-{len(os.listdir('.'))}.folded"
    result = run(program, "heap", *options, "-o", name, "--", *(words or [target(TARGET)]), **how).check(7)
    folded = read_folded(name)
    sums = {name: sum(value for stack, value in folded.stacks if name in stack) for name in TOUCHED}
    return sums, folded.total, result


def check(sums, tolerance):
    for name, pages in TOUCHED.items():
        check_near(sums[name], pages * PAGE, tolerance * pages * PAGE, name)


def test_some_faults():
    """Each stands for as many as were left out; ordinary users learn the same."""
    require_switches()
    own = own_sprof(), own_target(TARGET)
    sums, total, _ = grown()
    check(sums, 0.08)
    assert sum(sums.values()) <= total < 1.2 * sum(sums.values()), (sums, total)
    sums, _, result = grown("--period", "50", program=own[0], words=[own[1]], **as_plain_user())
    check(sums, 0.08)
    assert os.geteuid() != 0 or "root only" in result.err, result.err


def test_system_calls():
    """What is mapped, where page faults are not told."""
    sums, _, result = grown("--source", "ptrace")
    for name, pages in TOUCHED.items():
        assert sums[name] == pages * PAGE, sums
    assert "mapped" in result.err and "not permitted" not in result.err, result.err


def test_a_running_process():
    require_switches()
    program = Target("threads", 1, 1)
    result = sprof("heap", "-p", program.pid, "-d", "300ms", "-f", "text").check(0)
    assert "growth" in result.text() and tracer_of(program.pid) == 0, result.text()
    program.finish().check(0)


def test_the_end_of_a_running_process():
    """It has an exit code of its own, which is not sprof's."""
    require_switches()
    program = Program([target("steady")])
    sprof("heap", "-p", program.pid, "-o", "ended.folded").check(0)
    program.finish().check(7)


def test_formats():
    """The figures are a profile's: report, pprof and the flame graph have them."""
    require_switches()
    sprof("heap", "-o", "growth.pb.gz", "-o", "growth.svg", "--", target(TARGET)).check(7)
    text = sprof("report", "growth.pb.gz", "-f", "text").check(0).text()
    assert "growth" in text and "grow_a_lot" in text and "MiB" in text, text
    text = sprof("report", "growth.pb.gz", "--weight", "faults", "-f", "folded").check(0).text()
    assert "grow_a_lot" in text, text
    assert os.path.getsize("growth.svg") > 1000


def typed(*words):
    """What a terminal of 100 columns shows, in which nobody answers a pager."""
    command = f"stty cols 100 rows 30; {shlex.join(words)}"
    environment = {**os.environ, "XDG_CACHE_HOME": os.path.abspath("cache"), "TERM": "xterm", "LESS": ""}
    environment.pop("PAGER", None)
    result = run(tool("script"), "-qefc", command, "/dev/null", env=environment)
    return re.sub(r"\r|\x1b\[[0-9;?]*[a-zA-Z]", "", result.text())


def test_a_terminal_gets_the_answer():
    """The program's place comes first, not the allocator's functions; no pager waits; the rest is kept."""
    require_switches()
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/examples/sessions.c"),
              encoding="utf-8") as file:
        program = build("sessions", source=file.read())
    text = typed(SPROF, "heap", "--", program)
    assert re.search(r"verdict +\d\d\.\d MiB growth, (9\d|100) % of it in read_history \(sessions\.c:\d+\)", text), text
    first = re.search(r"places +(.*)", text)[1]
    assert "read_history" in first and "malloc" not in first, text
    assert "sprof report" in text and "self%" not in text, text
    text = typed(SPROF, "report", "--no-pager")
    assert text.index("read_history") < text.index("malloc"), text
    assert "user%" not in text and "verdict" not in text, text


def test_a_program_without_growth():
    """It hears why there is none, and how to see what there is."""
    require_switches()
    few = sprof("heap", "-f", "summary", "--", "true").check(0)
    assert "no growth was seen" in few.text() and "touched 256 KiB of new memory: --period 1" in few.err, few.err
    every = sprof("heap", "--period", "1", "-f", "summary", "--", "true").check(0)
    assert "growth, " in every.text() and "--period" not in every.err, every.text()


def test_rates_are_estimates():
    """From windows, and it says how far off they may be: bench/truths/heap.py compares them with the program's."""
    require("libZydis" in sprof("--version").text(), "this build has no breakpoints")
    said = sprof("heap", "--rate", "--overhead", "5", "-o", "rates.folded", "--", target("steady")).check(7).err
    assert re.search(r"an estimate from [1-9]\d* windows", said), said
    assert "standard error" in said and "stops took at most" in said, said


# hold() keeps 100 blocks, each of its own mapping, from its second line.
PYTHON = """
kept = []
def hold(count):
    for _ in range(count):
        kept.append(bytearray(300000))
def work():
    hold(100)
work()
"""
PYTHON_LINE = 5


def python_summary(*options):
    """The verdict on the Python program, and what sprof says beside it."""
    result = sprof("heap", *options, "-f", "summary", "--", sys.executable, write("holds.py", PYTHON)).check(0)
    print(result.text(), result.err)
    return re.search(r"verdict +(.*)", result.text())[1], result.err


def test_python_functions():
    """Where a thread stops they are known, with their lines; the kernel's records of page faults have none."""
    place = rf"hold \(holds\.py:{PYTHON_LINE}\)"
    verdict, said = python_summary("--source", "ptrace")
    assert re.search(rf"mapped, .* % of it in {place}", verdict) and "Python functions are missing" not in said, verdict
    if "libZydis" in sprof("--version").text():
        verdict, _ = python_summary("--exact", "--weight", "alloc_space")
        assert re.search(rf"% of it in {place}", verdict), verdict
    require_switches()
    verdict, said = python_summary()
    assert "hold" not in verdict and "Python functions are missing: --rate and --exact name them" in said, (verdict, said)


def test_bad_input():
    for code, words, *said in (
            (64, (), "needs a program"),
            (64, ("--period", "0", "--", "true"), "period"),
            (64, ("--rate", "--exact", "--", "true"), "exclude each other"),
            (64, ("--rate", "--overhead", "0", "--", "true"), "overhead"),
            (64, ("--source", "proc", "--", "true"), "not one of"),
            (64, ("-f", "nothing", "--", "true"), "nothing"),
            (2, ("--", "no-such-program"), "no-such-program")):
        check_error(sprof("heap", *words), code, *said)


if __name__ == "__main__":
    main()
