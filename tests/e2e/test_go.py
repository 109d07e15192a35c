"""Go programs as people build them: whole stacks with names, over every change of stacks; sleepers left alone."""

import json
import os
import sys
import time

from harness import (PROFILE, SPROF, Program, attach_for, attach_while, check_quality, go_target, main, read_profile, sprof,
                     state_of, threads_of, tool, wait_until)
from subjects import command

SECONDS = 2
COMPLETE = 0.995
FULL = ("-o", "x.full", "-f", "json")
QUIET_S = 0.5

WORK = ("runtime.goexit", "main.main.func1", "main.(*worker).work")
PLAIN = [
    (*WORK, "main.spin", "main.small"),
    (*WORK, *["main.recurse"] * 41, "main.spin", "main.small"),
    (*WORK, "main.clocks", "time.Now", "time.now"),
    (*WORK, "main.sums", "main.sum[...]"),
    (*WORK, "main.locked", "main.spin"),
    (*WORK, "main.allocate", "runtime.mallocgc"),
    ("runtime.goexit", "main.(*worker).work.func1", *["main.grow"] * 10),
]

# From a goroutine's stack to the thread's; two seconds need not have a sample of each.
SWITCHES = [
    (*WORK, "main.allocate", "runtime.mallocgc", "runtime.systemstack"),
    ("runtime.goexit", "main.(*worker).work.func1", "main.grow", "runtime.morestack", "runtime.newstack"),
    ("runtime.goexit", "runtime.gcBgMarkWorker", "runtime.systemstack", "runtime.gcDrain"),
]

IN_MAIN = ("runtime.goexit", "runtime.main", "main.main")
TO_C = ("runtime.cgocall", "runtime.asmcgocall")
TO_GO = ("crosscall2", "runtime.cgocallback", "runtime.cgocallbackg", "runtime.cgocallbackg1", "main.goBack")
MIXED_OF_GO = [
    (*IN_MAIN, "main._Cfunc_c_outer", *TO_C),
    (*IN_MAIN, "main._Cfunc_c_calls_go", *TO_C, *TO_GO, "main.goSpin"),
    (*IN_MAIN, *(("main._Cfunc_c_calls_go", *TO_C, *TO_GO) * 3), "main.goSpin"),
    ("runtime.goexit", "main.waits", "main._Cfunc_c_waits", *TO_C),
]
MIXED = [
    *MIXED_OF_GO,
    (*IN_MAIN, "main._Cfunc_c_outer", *TO_C, "c_outer", "c_spin"),
    (*IN_MAIN, "main._Cfunc_c_calls_go", *TO_C, "c_calls_go", "goBack", *TO_GO, "main.goSpin"),
    ("runtime.goexit", "main.waits", "main._Cfunc_c_waits", *TO_C, "c_waits"),
]


def begin_of_c(name):
    """Where Go's functions end in a file of the system's linker. Static functions of cgo behind it have no names."""
    exported = command(tool("nm"), "-D", go_target(name)).splitlines()
    addresses = [int(line.split()[0], 16) for line in exported if line.endswith(" T _cgo_panic")]
    return min(addresses, default=sys.maxsize)


def check_names(name):
    """No function of Go is without a name. C may have functions that it doesn't name."""
    with open("x.full", encoding="utf-8") as file:
        profile = json.load(file)
    nameless = [function["name"] for function in profile["functions"]
                if function["unresolved"] and
                os.path.basename(profile["modules"][function["module"]]["path"]) == name]
    of_go = [place for place in nameless if int(place.rpartition("+")[2], 16) < begin_of_c(name)]
    assert not of_go, f"without a name: {of_go[:20]}"


def check_stacks(folded, stats, chains):
    check_quality(stats, threads=2, complete=COMPLETE)
    for chain in chains:
        assert folded.has(*chain), f"no stack with {chain}; functions: {sorted(folded.names())}"
    assert chains is not PLAIN or any(folded.has(*chain) for chain in SWITCHES), sorted(folded.names())


def run_it(name, chains, *args, **options):
    """`sprof run` of a program that works for so long, and its profile."""
    program = Program([SPROF, "run", "-d", f"{SECONDS}s", *PROFILE, *FULL, "--", go_target(name), 2 * SECONDS, *args],
                      **options)
    wait_until(lambda: os.path.exists("x.full"), "the profile is written")
    program.finish().check(0)
    folded, stats = read_profile()
    check_stacks(folded, stats, chains)
    return folded


def start(name, *args, **options):
    program = Program([go_target(name), *args], **options)
    assert program.line() == "ready"
    return program


def attach_to(name, chains, *args):
    program = start(name, 30, *args)
    folded, stats = attach_while(program.pid, SECONDS, *FULL)
    program.finish().check(0)
    check_stacks(folded, stats, chains)


def check_both_ways(name, chains, *args):
    run_it(name, chains, *args)
    check_names(name)
    os.remove("x.full")
    attach_to(name, chains, *args)
    check_names(name)


def test_plain():
    check_both_ways("plain", PLAIN, 5)


def test_without_dwarf():
    check_both_ways("plain-no-dwarf", PLAIN, 5)


def test_stripped():
    check_both_ways("plain-stripped", PLAIN, 5)


def test_position_independent():
    check_both_ways("plain-pie", PLAIN, 5)


def test_position_independent_by_the_system_linker():
    check_both_ways("plain-pie-external", PLAIN, 5)


def test_c_in_both_directions():
    check_both_ways("mixed", MIXED)


def test_c_in_both_directions_without_symbols():
    """C functions have no names then."""
    run_it("mixed-no-dwarf", MIXED_OF_GO)
    attach_to("mixed-no-dwarf", MIXED_OF_GO)


def test_many_goroutines():
    """Each of them has a stack, and only those that threads run are sampled."""
    check_both_ways("plain", PLAIN, 10000)


def test_busy_garbage_collector():
    """It begins again whenever the heap has grown by 1 %, and looks at all stacks."""
    folded = run_it("plain", SWITCHES[-1:], 10000, env={**os.environ, "GOGC": "1"})
    check_names("plain")
    share = folded.share(r"runtime\.gcDrain|runtime\.gcDrainN")
    assert share > 0.02, f"the collector has {share:.3f} of all time"


def test_goroutines_and_who_created_them():
    program = start("plain", 30, 5)
    folded, _ = attach_for(f"{SECONDS}s", program.pid, "--goroutines", "-o", "x.pb.gz")
    program.finish().check(0)
    assert folded.has("created by main.main", *WORK), folded.names()
    assert folded.has("created by main.(*worker).work", "runtime.goexit", "main.(*worker).work.func1")
    assert not folded.has("created by runtime.newproc"), "the first goroutine was created by nobody"
    report = sprof("report", "x.pb.gz", "--by", "goroutine", "--no-pager").check(0).text()
    assert report.count("== goroutine ") >= 3, report[:4000]
    assert "no goroutine to run" in sprof("report", "x.pb.gz", "--no-pager").check(0).text()


def timeslices(pid):
    """How often each thread was given a CPU."""
    counts = {}
    for tid in threads_of(pid):
        with open(f"/proc/{pid}/task/{tid}/schedstat", encoding="utf-8") as file:
            counts[tid] = int(file.read().split()[2])
    return counts


def settled(pid):
    """The same, once nobody has run for half a second."""
    seen, since = timeslices(pid), time.monotonic()

    def is_quiet():
        nonlocal seen, since
        now = timeslices(pid)
        if now != seen:
            seen, since = now, time.monotonic()
        return time.monotonic() > since + QUIET_S and all(state_of(pid, tid) == "S" for tid in now)
    wait_until(is_quiet, "all threads sleep")
    return seen


def test_sleepers():
    """All threads sleep, the runtime's too; sprof sees them all, and to the kernel's own count stops none."""
    program = start("plain", 0, 1000)
    before = settled(program.pid)
    folded, stats = attach_for("2s", program.pid)
    after = timeslices(program.pid)
    assert after == before, f"ran, by thread and how often: {after}, not {before}"
    check_quality(stats, threads=len(before), complete=1)
    folded.check("main.endOfInput", "syscall.read")
    program.finish().check(0)


if __name__ == "__main__":
    main()
