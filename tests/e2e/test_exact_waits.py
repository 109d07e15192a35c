"""--waits=exact: each wait has its place and its length, by the kernel's own records of switches."""

import json
import os
import re
import subprocess

from harness import (PROFILE, SPROF, Skip, Target, as_nobody, check_error, check_near, main, own_sprof, own_target,
                     paranoid, read_folded, read_profile, require, require_switches, run, sprof, target, tool)
from report import FIGURE, UNITS, read_report
from test_rundelay import forbid_perf
from test_shares import check_identity

FAILED, USAGE = 2, 64
EXACT = ("--waits=exact",)
OFF = re.compile(rf"off the CPU: (\d+) waits? for {FIGURE}, longest {FIGURE}; (\d+) preemptions? for {FIGURE}")


def require_stacks():
    require(os.geteuid() == 0, "the kernel shows stacks at switches to root")


def off_cpu(text):
    """By thread id: number and seconds of its waits, and of its preemptions; from the counters of the text report."""
    threads, tid = {}, None
    for line in text.split("counters of the threads")[1].splitlines():
        found = OFF.search(line)
        if found:
            words = found.groups()
            threads[tid] = {"waits": int(words[0]), "wait": float(words[1]) * UNITS[words[2]],
                            "longest": float(words[3]) * UNITS[words[4]], "preemptions": int(words[5])}
        elif re.match(r"\s*\d+ ", line):
            tid = int(line.split()[0])
        elif not line and threads:
            break
    return threads


def saved(kind):
    """The saved profile's stacks with a kind of value, for each thread."""
    sprof("report", "x.pb.gz", "-t", "--weight", kind, "-f", "folded", "-o", "kind.folded").check(0)
    return read_folded("kind.folded")


def record(*command, options=(), **how):
    result = sprof("run", *EXACT, *PROFILE, "-o", "x.txt", "-o", "x.pb.gz", *options, "--", *command, **how).check(0)
    with open("x.txt", encoding="utf-8") as file:
        return result, file.read(), read_profile()[1]


def naps(*words, **how):
    result, text, stats = record(target("naps"), *words, **how)
    return {int(tid): truth for tid, truth in json.loads(result.text()).items()}, text, stats


def most_moved(stats):
    """A wait without a place stands at the next one of its thread. One that is broken off by a stop, because the thread fell asleep
    while the stop was on its way, is two: that is rare, but each stop may have done it."""
    return stats["exact_unplaced"] + stats["samples_stopped"]


def check_number(waits, truth, stats):
    """More: also for memory, at its begin and end. Fewer: a stop that came in a nap may have outlasted it."""
    own = truth["short"] + truth["long"]
    assert own - stats["samples_stopped"] <= waits <= own + 20, (waits, truth, stats)


def check_naps(truth, text, stats):
    """The number is exact, and the length nearly that which the program itself has seen."""
    threads, waits, lengths = off_cpu(text), saved("waits"), saved("off_cpu")
    shorts, longs = (sum(thread[kind] for thread in truth.values()) for kind in ("short", "long"))
    assert stats["exact_waits"] >= shorts + longs and not stats["exact_lost"], stats
    loose = most_moved(stats)
    assert abs(waits.weight("long_nap") - longs) <= loose < 0.5 * shorts, (waits.stacks, longs, stats)
    assert abs(waits.weight("short_nap") - shorts) <= loose, (waits.stacks, shorts, stats)
    seen = sum(thread["long_ns"] for thread in truth.values())
    # The program's own clock has the time in the queue for a CPU, too.
    assert 0.93 < lengths.weight("long_nap") / seen < 1.02, (lengths.stacks, seen)
    for tid, thread in truth.items():
        check_number(threads[tid]["waits"], thread, stats)
        seen = (thread["short_ns"] + thread["long_ns"]) / 1e9
        assert 0.8 * seen < threads[tid]["wait"] < 1.02 * seen, (tid, threads, truth)
    total = sum(thread["waits"] for thread in threads.values())
    assert sum(weight for _, weight in waits.stacks) == total, (threads, waits.stacks)


def test_each_wait_is_known():
    require_stacks()
    truth, text, stats = naps(3, 400)
    check_naps(truth, text, stats)
    check_identity(read_report("x.txt"))
    assert re.search(r"^ *time share% thr samples +waits +longest +kind", text, re.M), text


def test_ticks_are_not_needed():
    """At one tick a second, the shares of blocked time are as exact as before."""
    require_stacks()
    truth, text, stats = naps(1, 400, options=("-r", "1"))
    check_naps(truth, text, stats)
    (thread,) = truth.values()
    folded = read_profile()[0]
    short, long = folded.weight("short_nap"), folded.weight("long_nap")
    share = thread["long_ns"] / (thread["short_ns"] + thread["long_ns"])
    check_near(long / (short + long), share, 0.05, "share of the long naps")


def test_timers_and_attach():
    require_stacks()
    truth, text, stats = naps(2, 300, options=("--source", "kernel", "-r", "299"))
    check_naps(truth, text, stats)
    program = Target("threads", 2, 2)
    sprof("attach", "-p", program.pid, *EXACT, "-d", "500ms", *PROFILE, "-o", "x.txt").check(0)
    program.finish().check(0)
    check_identity(read_report("x.txt"))


def test_computing_is_no_wait():
    """Two threads on one CPU are preempted; their stops are ours."""
    require_stacks()
    _, text, stats = record("taskset", "-c", sorted(os.sched_getaffinity(0))[0], target("shares"), 1,
                            options=("--source", "stop", "-r", "499"))
    stops = stats["stops"]
    assert stops > 20 and stats["exact_waits"] < 0.5 * stops + 60, (stats, text)


def test_programs_one_after_the_other():
    """Forks and execs: what was recorded of one program is no place of the next one."""
    require_stacks()
    _, text, stats = record("sh", "-c", f"{target('naps')} 1 50; {target('naps')} 1 50; exec {target('naps')} 1 50")
    assert stats["processes_seen"] == 3 and not stats["exact_refused"], stats
    waits = saved("waits")
    assert waits.weight("long_nap") == 3 * 3, waits.stacks
    assert waits.has("main", "hand_to_and_fro"), waits.stacks


def test_periods_and_pauses():
    """Each wait is in one period."""
    require_stacks()
    sprof("run", *EXACT, "-q", "--every", "1s", "-o", "part-%n.pb.gz", "--", target("naps"), 1, 4000).check(0)
    parts = sorted(name for name in os.listdir(".") if name.startswith("part-"))
    assert len(parts) > 1, parts
    naps_seen = 0
    for name in parts:
        os.replace(name, "x.pb.gz")
        naps_seen += saved("waits").weight("(short|long)_nap")
    assert 0.99 * 4200 <= naps_seen <= 4200 + 20, naps_seen  # a stop or a busy host may outlast a nap


def perf_switches(*command):
    """By thread: number and seconds of blocked intervals, by perf's own records; without threads of which it misses some."""
    perf = tool("perf")
    subprocess.run([perf, "record", "-q", "-a", "-m", "8M", "-e", "sched:sched_switch", "-o", "s.data", "--", *map(str, command)],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    text = subprocess.run([perf, "script", "-i", "s.data", "--ns", "-F", "time,event,trace"], check=True, text=True,
                          capture_output=True).stdout
    switch = re.compile(r"(\d+\.\d+): +sched:sched_switch: .*prev_pid=(\d+) .*prev_state=(\S+) ==> .*next_pid=(\d+) ")
    left, seen, waits, incomplete = {}, set(), {}, set()
    for found in filter(None, map(switch.search, text.splitlines())):
        moment, prev, state, following = float(found[1]), int(found[2]), found[3], int(found[4])
        if prev in left:
            incomplete.add(prev)  # it has got a CPU without a record
        if following in seen and following not in left:
            incomplete.add(following)
        seen |= {prev, following}
        left[prev] = (moment, state)
        began, why = left.pop(following, (0, "R"))
        if why[0] in "SD":
            number, seconds = waits.get(following, (0, 0.0))
            waits[following] = (number + 1, seconds + moment - began)
    return {tid: wait for tid, wait in waits.items() if tid not in incomplete}


def cpus_that_perf_sees():
    """In some virtual machines perf has no records of a CPU that leaves its idle task."""
    for cpu in sorted(os.sched_getaffinity(0)) * 3:
        seen = perf_switches("taskset", "-c", cpu, target("naps"), 1, 200)
        if any(number >= 200 for number, _ in seen.values()):
            yield cpu


def compare_with_perf(cpu):
    """How many threads could be compared."""
    seen = perf_switches(SPROF, "run", *EXACT, "-q", "-o", "x.txt", "-o", "x.pb.gz", "--", "taskset", "-c", cpu,
                         target("naps"), 3, 400)
    with open("x.txt", encoding="utf-8") as file:
        threads = off_cpu(file.read())
    both = [(tid, *threads[tid].values(), *seen[tid]) for tid in threads if tid in seen and threads[tid]["waits"] >= 400]
    for tid, waits, length, *_, number, seconds in both:
        print(f"     {tid}: {waits} waits of {length:.4f} s; perf {number} of {seconds:.4f} s")
        assert abs(waits - number) <= 0.01 * number, (tid, threads[tid], seen[tid])
        check_near(length / seconds, 1, 0.01, f"length of the waits of {tid}")
    return len(both)


def test_sched_switch_agrees():
    """The same run, recorded by perf: number and total length of blocked intervals, for each thread."""
    require_stacks()
    for cpu in cpus_that_perf_sees():
        compared = sum(compare_with_perf(cpu) for _ in range(3))
        if compared >= 3:
            return
    raise Skip("perf misses switches on each of the CPUs")


def test_who_switches_too_often():
    """Places find no room, and the report says so; the times are complete."""
    require_stacks()
    _, text, stats = record(target("naps"), 0, 0, 20000)
    assert stats["exact_unplaced"] > 0 and "had no room for their stack" in text, (stats, text)
    check_identity(read_report("x.txt"))
    waits = saved("waits")
    assert waits.weight("take_byte") > 0.9 * sum(weight for _, weight in waits.stacks), waits.stacks


def test_a_user_without_rights():
    """Lengths without stacks: it says so, and what would help. Ticks say where."""
    require(os.geteuid() == 0, "takes another user")
    require_switches()
    require(paranoid() == 2, "kernel.perf_event_paranoid is not 2")
    result = run(own_sprof(), "run", *EXACT, *PROFILE, "-o", "x.txt", "--", own_target("naps"), 1, 400, **as_nobody()).check(0)
    assert "perf_event_paranoid" in result.err and "lengths" in result.err, result.err
    with open("x.txt", encoding="utf-8") as file:
        threads = off_cpu(file.read())
    ((tid, truth),) = json.loads(result.text()).items()
    check_number(threads[int(tid)]["waits"], truth, read_profile()[1])
    check_identity(read_report("x.txt"))


def test_a_user_who_may_see_the_kernel():
    """CAP_PERFMON is enough for stacks."""
    require(os.geteuid() == 0, "takes another user")
    with_perfmon = (tool("setpriv"), "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=+perfmon",
                    "--ambient-caps=+perfmon")
    if run(*with_perfmon, "true").code:
        raise Skip("CAP_PERFMON can't be given to a user here")
    result = run(*with_perfmon, own_sprof(), "run", *EXACT, *PROFILE, "-o", "x.pb.gz", "--", own_target("naps"), 1,
                 400).check(0)
    assert "perf_event_paranoid" not in result.err, result.err
    naps_seen, stats = saved("waits").weight("(short|long)_nap"), read_profile()[1]
    assert abs(naps_seen - 420) <= most_moved(stats) < 200, (naps_seen, stats)


def test_where_it_is_forbidden():
    result = sprof("run", *EXACT, "--", "touch", "started", preexec_fn=forbid_perf)
    check_error(result, FAILED, "seccomp", "allow perf_event_open")
    assert not os.path.exists("started")


def test_usage():
    check_error(sprof("run", "--waits=never", "--", "true"), USAGE, "exact")
    check_error(sprof("run", *EXACT, "--mode", "cpu", "--", "true"), USAGE, "exclude")
    check_error(sprof("report", "--waits=exact", "x.pb.gz"), USAGE, "takes no value")
    text = sprof("run", "--waits", "--", "sleep", "0.2").check(0).text()
    assert "waits: blocked for" in text, text


if __name__ == "__main__":
    main()
