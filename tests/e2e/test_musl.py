"""Programs with musl, whose code has no unwind tables, and busybox: whole stacks, by rows computed from the code."""

import bisect
import json
import os
import re
import signal
import subprocess
import time

from harness import (PROFILE, SPROF, Folded, Program, Target, attach_for, attach_while, check_quality, main, most_of, musl_target,
                     read_profile, run, state_of, target, threads_of, tool, wait_for_cpu, wait_until)
from test_sleepers import check_asleep, thread_name, timeslices

COMPLETE = 0.99
RATE = 199
CPU_SECONDS = 2.4  # of two threads
QUIET_S = 0.5
FULL = ("-o", "x.full", "-f", "json")
SLEEPERS = {"nap": "wait_nap", "poll": "wait_poll", "condition": "wait_condition", "lock": "wait_lock",
            "read": "wait_read"}
THREADS = 2 + len(SLEEPERS)

# A program's and a thread's first function, and what runs before them while the program is loaded.
PROGRAM, THREAD, LOADER = "_start", "__clone", "_dlstart"
KINDS = ("sort_numbers", "print_lines", "allocate", "calculate", "copy_memory")
CHAINS = [
    *[(PROGRAM, "main", "work", kind) for kind in KINDS],
    *[("busy_thread", "work", kind) for kind in KINDS],
    *[("sleeping_thread", wait) for wait in SLEEPERS.values()],
    ("work", "sort_numbers", "compare"),
]
# What the C library's own symbols tell.
STATIC_CHAINS = [
    *CHAINS,
    (PROGRAM, "libc_start_main_stage2", "main", "work"),
    ("work", "sort_numbers", "__qsort_r", "compare"),
    ("work", "print_lines", "snprintf", "vsnprintf", "vfprintf", "printf_core"),
    (THREAD, "start", "busy_thread", "work", "sort_numbers"),
    (THREAD, "start", "sleeping_thread", "wait_nap", "nanosleep"),
    (THREAD, "start", "sleeping_thread", "wait_poll", "poll"),
    (THREAD, "start", "sleeping_thread", "wait_read", "read"),
    (THREAD, "start", "sleeping_thread", "wait_lock", "__pthread_mutex_timedlock"),
    (THREAD, "start", "sleeping_thread", "wait_condition", "__pthread_cond_timedwait"),
]


def check_chains(folded, chains):
    for chain in chains:
        assert folded.has(*chain), f"no stack with {chain}; functions: {sorted(folded.names())}"


def check_figures(stats, threads=THREADS):
    """Nearly all stacks are whole, and nobody is kept standing."""
    check_quality(stats, threads, complete=COMPLETE)
    assert stats["stop_ns_total"] < 0.1 * threads * stats["duration_ns"], stats


def outermost(profile, stack):
    """The name of a stack's first function. Stack 0 is the empty one, which all others begin with."""
    if stack == 0:
        return None
    while profile["stacks"][stack][0] != 0:
        stack = profile["stacks"][stack][0]
    location = profile["locations"][profile["stacks"][stack][1]]
    return profile["functions"][location[-1][0]]["name"]


def samples_by_root():
    """How many samples have which outermost function."""
    with open("x.full", encoding="utf-8") as file:
        profile = json.load(file)
    roots = {}
    for row in profile["rows"]:
        name = outermost(profile, row["stack"])
        roots[name] = roots.get(name, 0) + row["values"]["samples"]
    return roots


def check_roots(stats, expected):
    """A stack that ended too early can't have counted as whole: those that begin elsewhere are the cut ones."""
    roots = samples_by_root()
    print("outermost frames:", roots)
    elsewhere = sum(count for name, count in roots.items() if name not in expected)
    assert elsewhere <= stats["stacks_truncated"], f"{stats['stacks_truncated']} stacks are cut, begin in: {roots}"


def run_it(name):
    """`sprof run` of the program, and its profile."""
    program = Target(musl_target(name), before=[SPROF, "run", "-r", RATE, "--threads", *PROFILE, *FULL, "--"])
    wait_for_cpu(int(program.said[0]), CPU_SECONDS)
    program.finish().check(0)
    folded, stats = read_profile()
    check_figures(stats)
    return folded, stats


def timeslices_of_sleepers(pid):
    return {name: count for name, count in timeslices(pid).items() if name in SLEEPERS}


def start(name):
    """The program, all of whose threads are there, and how often each sleeper was given a CPU."""
    program = Target(musl_target(name))
    seen, since = {}, time.monotonic()

    def is_quiet():
        nonlocal seen, since
        now = timeslices_of_sleepers(program.pid)
        if now != seen or set(now) != set(SLEEPERS):
            seen, since = now, time.monotonic()
        return time.monotonic() > since + QUIET_S and all(
            state_of(program.pid, tid) == "S" for tid in threads_of(program.pid)
            if thread_name(program.pid, tid) in SLEEPERS)
    wait_until(is_quiet, "the sleepers sleep")
    return program, seen


def attach_to(name):
    """`sprof attach`, which stops no sleeper: to the kernel's own count none of them has run."""
    program, before = start(name)
    folded, stats = attach_while(program.pid, CPU_SECONDS, "-r", RATE, "--threads", *FULL)
    after = timeslices_of_sleepers(program.pid)
    assert after == before, f"sleepers that ran, and how often: {after}, not {before}"
    program.finish().check(0)
    check_figures(stats)
    return folded, stats


def check_static(folded, stats):
    check_chains(folded, STATIC_CHAINS)
    check_roots(stats, (PROGRAM, THREAD))


def check_dynamic(folded, stats):
    """musl's own symbols are not in its file: a thread's first function has no name, but it is one."""
    check_chains(folded, CHAINS)
    roots = samples_by_root()
    threads = [name for name in roots if name not in (PROGRAM, LOADER, None)]
    first = max(threads, key=roots.get)
    check_roots(stats, (PROGRAM, LOADER, first))


def test_dynamic():
    check_dynamic(*run_it("dynamic"))


def test_dynamic_by_attach():
    check_dynamic(*attach_to("dynamic"))


def test_dynamic_without_tables():
    check_dynamic(*run_it("dynamic-no-tables"))


def test_dynamic_stripped():
    run_it("dynamic-stripped")


def test_static():
    check_static(*run_it("static"))


def test_static_without_tables():
    check_static(*run_it("static-no-tables"))


def test_static_small():
    check_static(*run_it("static-small"))


def test_static_small_by_attach():
    check_static(*attach_to("static-small"))


def test_static_position_independent():
    check_static(*run_it("static-pie"))


def test_static_position_independent_stripped():
    attach_to("static-pie-stripped")


def symbols_of(name):
    """The functions of a program that is not stripped: sorted addresses, and names."""
    text = run(tool("nm"), "-n", target(musl_target(name))).check(0).text()
    found = re.findall(r"^([0-9a-f]+) [tTwW] (\S+)$", text, re.MULTILINE)
    return [int(address, 16) for address, _ in found], [name for _, name in found]


def named(folded, name, symbols):
    """The same stacks with the names that another build of the same code has for its addresses."""
    addresses, names = symbols

    def name_of(frame):
        match = re.fullmatch(re.escape(name) + r"\+0x([0-9a-f]+)", frame)
        return names[bisect.bisect_right(addresses, int(match.group(1), 16)) - 1] if match else frame
    return Folded("".join(f"{';'.join(map(name_of, frames))} {weight}\n" for frames, weight in folded.stacks))


def check_stripped(name, unstripped):
    """
    Without a symbol the stacks are those of the program before it was stripped. Functions that nothing but a table
    leads to have the names of those before them.
    """
    folded, stats = run_it(name)
    symbols = symbols_of(unstripped)
    folded = named(folded, name, symbols)
    check_chains(folded, [(PROGRAM, "main", "work", kind) for kind in KINDS])
    check_chains(folded, [(THREAD, "start", call) for call in ("[nanosleep]", "[poll]", "[futex]", "[read]")])
    roots = {frames[1] for frames, _ in folded.stacks}
    # As many as there may be cut ones, and time without a sample.
    assert len(roots - {PROGRAM, THREAD, "[unsampled]"}) <= stats["stacks_truncated"], roots


def test_static_stripped():
    check_stripped("static-stripped", "static-no-tables")


def test_static_small_stripped():
    check_stripped("static-small-stripped", "static-small")


def test_all_asleep():
    """Nobody runs, whether sprof looks or not."""
    program = Target(musl_target("static-small-stripped"), "idle")
    wait_until(lambda: set(timeslices(program.pid)) >= set(SLEEPERS) and
               all(state_of(program.pid, tid) == "S" for tid in threads_of(program.pid)), "all threads sleep")
    before = timeslices(program.pid)
    _, stats = attach_for("1s", program.pid)
    check_asleep(program.pid, before)
    check_quality(stats, threads=1 + len(SLEEPERS), complete=1)
    program.finish().check(0)


def busybox(*words):
    """An applet that would go on, for a second. To read so much code for its functions takes a tick or more."""
    program = Program([tool("busybox"), *words], stdout=subprocess.DEVNULL)
    if words[0] == "sleep":
        wait_until(lambda: state_of(program.pid) == "S", "it sleeps")
    else:
        wait_for_cpu(program.pid, 0.1)
    folded, stats = attach_for("1s", program.pid)
    program.signal(signal.SIGKILL)
    program.wait()
    print(f"{stats['stacks_complete']} of {stats['samples']} stacks complete; cut: {stats['truncated_reasons']}")
    # What comes while the code is read has the first, short copies of its stack.
    cut = stats["stacks_truncated"] - stats["ticks_missed"] - stats["ticks_late"]
    assert stats["samples"] and cut <= most_of(stats["samples"], 1 - COMPLETE), stats
    depth = sum(len(frames) * weight for frames, weight in folded.stacks) / folded.total
    assert depth > 3, f"{depth:.1f} frames on average: {folded.stacks[:10]}"


def test_busybox_awk():
    busybox("awk", "BEGIN { for (;;) { s += i++ % 7; t = substr(\"some words\" i, 3); a[i % 100] = t } }")


def test_busybox_sort():
    with open("numbers", "w", encoding="ascii") as file:
        file.writelines(f"{i * 7919 % 1000003}\n" for i in range(1000000))
    busybox("sort", *["numbers"] * 4)


def test_busybox_gzip():
    busybox("gzip", "-c", "/dev/zero")


def test_busybox_sha256sum():
    busybox("sha256sum", "/dev/zero")


def test_busybox_sh():
    busybox("sh", "-c", "i=0; while :; do i=$((i + 1)); case $i in *77) x=${i%7}$x; x=${x#????};; esac; done")


def test_busybox_sleep():
    busybox("sleep", "30")


if __name__ == "__main__":
    main()
