"""--waits=exact: each wait has its place and its length, by the kernel's own records of switches."""

import json
import os
import re
import signal
import sys

from harness import (PROFILE, Program, Target, as_plain_user, check_error, main, own_sprof, own_target, paranoid, perf_opens,
                     read_folded, read_profile, require, require_machine, require_switches, run, sprof, target, wait_until,
                     with_perfmon)
from report import FIGURE, UNITS, read_report
from test_rundelay import forbid_perf
from test_shares import check_identity

FAILED, USAGE = 2, 64
EXACT = ("--waits=exact",)
SHORT_NS, LONG_NS = 200_000, 5_000_000  # of the naps of tests/targets/naps
OFF = re.compile(rf"off the CPU: (\d+) waits? for {FIGURE}, longest {FIGURE}; (\d+) preemptions? for {FIGURE}")


def require_stacks():
    require(os.geteuid() == 0, "the kernel shows stacks at switches to root")
    require_machine(perf_opens(with_kernel=True), "no stacks of switches here")


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


def truths(text):
    """By thread id, what the program says; of several programs, that of all of them."""
    found = {}
    while text := text.strip():
        said, end = json.JSONDecoder().raw_decode(text)
        found.update({int(tid): truth for tid, truth in said.items()})
        text = text[end:]
    return found


def naps(*words, **how):
    result, text, stats = record(target("naps"), *words, **how)
    return truths(result.text()), text, stats


def most_moved(stats):
    """
    A wait without a place stands at the next one of its thread, and one without a record nowhere. One that is broken off by a
    stop, because the thread fell asleep while the stop was on its way, is two: that is rare, but each stop may have done it.
    """
    return stats["exact_unplaced"] + stats["exact_lost"] + stats["samples_stopped"]


def check_number(waits, truth, stats):
    """More: also for memory, at its begin and end. Fewer: a stop that came in a nap may have outlasted it."""
    own = truth["short"] + truth["long"]
    stopped = stats["samples_stopped"] + stats["exact_lost"]
    assert own - stopped <= waits <= 1.5 * own + stopped + 20, (waits, truth, stats)


def check_naps(truth, text, stats):
    """The number is exact. A nap is as long as it was asked for, and not longer than the program itself has seen it."""
    threads, waits, lengths = off_cpu(text), saved("waits"), saved("off_cpu")
    shorts, longs = (sum(thread[kind] for thread in truth.values()) for kind in ("short", "long"))
    loose = most_moved(stats)
    assert abs(waits.weight("long_nap") - longs) <= loose, (waits.stacks, longs, stats)
    assert abs(waits.weight("short_nap") - shorts) <= loose, (waits.stacks, shorts, stats)
    assert waits.weight("short_nap") > 0.5 * shorts, (waits.stacks, stats)
    assert lengths.weight("long_nap") >= (longs - loose) * LONG_NS, (lengths.stacks, stats)
    for tid, thread in truth.items():
        check_number(threads[tid]["waits"], thread, stats)
        asked = thread["short"] * SHORT_NS + (thread["long"] - stats["samples_stopped"]) * LONG_NS
        # Its clock has the time in the queue for a CPU, too; it was not asked when it waited for memory.
        seen = thread["short_ns"] + thread["long_ns"]
        assert 0.9 * asked / 1e9 < threads[tid]["wait"] < 1.5 * seen / 1e9, (tid, threads, truth)
    total = sum(thread["waits"] for thread in threads.values())
    assert sum(weight for _, weight in waits.stacks) == total, (threads, waits.stacks)


def test_each_wait_is_known():
    require_stacks()
    truth, text, stats = naps(3, 400)
    check_naps(truth, text, stats)
    check_identity(read_report("x.txt"))
    assert re.search(r"^ *time share% thr samples +waits +longest +kind", text, re.M), text


def test_ticks_are_not_needed():
    """At one tick a second, blocked time is as exact as before."""
    require_stacks()
    check_naps(*naps(1, 400, options=("-r", "1")))


def test_timers_and_attach():
    require_stacks()
    truth, text, stats = naps(2, 300, options=("--source", "kernel", "-r", "299"))
    check_naps(truth, text, stats)
    program = Target("threads", 2, 2)
    sprof("attach", "-p", program.pid, *EXACT, "-d", "500ms", *PROFILE, "-o", "x.txt").check(0)
    program.finish().check(0)
    check_identity(read_report("x.txt"))


def test_a_sleep_that_began_before_the_recording():
    """It has no switch, and is all that the thread does."""
    require_stacks()
    program = Program([sys.executable, "-c", "print('ready', flush=True); import time; time.sleep(100)"])
    program.line()
    with open(f"/proc/{program.pid}/syscall", encoding="ascii") as call:
        wait_until(lambda: call.seek(0) == 0 and call.read() != "running\n", "the sleep")
    sprof("attach", "-p", program.pid, *EXACT, "-d", "1s", *PROFILE, "-o", "x.txt").check(0)
    program.signal(signal.SIGKILL)
    (thread,) = read_report("x.txt").threads
    assert thread["wait"] > 0.9 * thread["wall"], thread


def test_python_has_none():
    """Its stacks take more than the kernel's copy: the table says so, and what else there is."""
    require_stacks()
    nap = [sys.executable, "-c", "import time\nfor _ in range(10): time.sleep(0.02)"]
    said = "-: seen by ticks only, as are waits of Go, and of Python without --python=none\n"
    text = sprof("run", "-q", "--waits=exact", "-f", "text", "-o", "-", "--", *nap).check(0).text()
    assert re.search(r"^.* - +- +time +clock_nanosleep", text, re.MULTILINE) and said in text, text
    _, text, stats = record(*nap, options=("--python=none",))
    # Without debug information it is one row for each exported function: the interpreter changes code that runs often.
    waits = sum(int(count) for count in re.findall(r"(\d+) +[\d.]+ m?s +time +clock_nanosleep", text))
    assert abs(waits - 10) <= most_moved(stats), (text, stats)


def test_computing_is_no_wait():
    """Two threads on one CPU are preempted; their stops are ours."""
    require_stacks()
    _, text, stats = record("taskset", "-c", sorted(os.sched_getaffinity(0))[0], target("shares"), 1,
                            options=("--source", "stop", "-r", "499"))
    stops = stats["stops"]
    assert stops > 0 and stats["exact_waits"] < 0.5 * stops + 100, (stats, text)  # it sleeps 51 times


def test_stops_are_no_waits():
    """The program never blocks. Each of its signals stops it for its tracer: far more often than its switches are read."""
    require_stacks()
    _, text, stats = record(target("alarms"), 3000)
    waits = sum(thread["waits"] for thread in off_cpu(text).values())
    # It is loaded from disk.
    assert stats["exact_waits"] < 100 and waits < 100, (waits, stats)


def test_programs_one_after_the_other():
    """Forks and execs: what was recorded of one program is no place of the next one."""
    require_stacks()
    result, _, stats = record("sh", "-c", f"{target('naps')} 1 50; {target('naps')} 1 50; exec {target('naps')} 1 50")
    assert stats["processes_seen"] == 3 and not stats["exact_refused"], stats
    waits = saved("waits")
    longs = sum(truth["long"] for truth in truths(result.text()).values())
    assert 0 < longs <= 3 * 3 and abs(waits.weight("long_nap") - longs) <= most_moved(stats), (waits.stacks, longs, stats)
    assert waits.has("main", "hand_to_and_fro"), waits.stacks


def test_periods_and_pauses():
    """Each wait is in one period."""
    require_stacks()
    result = sprof("run", *EXACT, "-q", "--every", "1s", "-o", "part-%n.pb.gz", "--stats", "part-%n.json", "--", target("naps"),
                   1, 4000).check(0)
    parts = sorted(name for name in os.listdir(".") if name.endswith(".pb.gz"))
    assert len(parts) > 1, parts
    seen, loose = 0, 0
    for name in parts:
        os.replace(name, "x.pb.gz")
        seen += saved("waits").weight("(short|long)_nap")
        with open(name.replace(".pb.gz", ".json"), encoding="utf-8") as file:
            loose += most_moved(json.load(file))
    (truth,) = truths(result.text()).values()
    assert abs(seen - truth["short"] - truth["long"]) <= loose, (seen, truth, loose)


def test_who_switches_too_often():
    """Where places find no room, the report says so; the times are complete. A slow machine may have room for all."""
    require_stacks()
    _, text, stats = record(target("naps"), 0, 0, 20000, options=("-r", "1"))
    assert (stats["exact_unplaced"] > 0) == ("had no room for their stack" in text), (stats, text)
    check_identity(read_report("x.txt"))
    waits = saved("waits")
    assert waits.weight("take_byte") > 0.9 * sum(weight for _, weight in waits.stacks), waits.stacks


def test_a_user_without_rights():
    """Lengths without stacks: it says so, and what would help. Ticks say where."""
    require(os.geteuid() == 0, "takes another user")
    require_switches()
    require(paranoid() == 2, "kernel.perf_event_paranoid is not 2")
    result = run(own_sprof(), "run", *EXACT, *PROFILE, "-o", "x.txt", "--", own_target("naps"), 1, 400, **as_plain_user()).check(0)
    assert "perf_event_paranoid" in result.err and "lengths" in result.err, result.err
    with open("x.txt", encoding="utf-8") as file:
        text = file.read()
    threads = off_cpu(text)
    assert "-: seen by ticks only: the kernel shows this user no stacks of switches\n" in text, text
    ((tid, truth),) = truths(result.text()).items()
    check_number(threads[tid]["waits"], truth, read_profile()[1])
    check_identity(read_report("x.txt"))


def test_a_user_who_may_see_the_kernel():
    """CAP_PERFMON is enough for stacks."""
    result = run(*with_perfmon(), own_sprof(), "run", *EXACT, *PROFILE, "-o", "x.pb.gz", "--", own_target("naps"), 1,
                 400).check(0)
    assert "perf_event_paranoid" not in result.err, result.err
    seen, stats = saved("waits").weight("(short|long)_nap"), read_profile()[1]
    (truth,) = truths(result.text()).values()
    own = truth["short"] + truth["long"]
    assert abs(seen - own) <= most_moved(stats) and seen > 0.5 * own, (seen, truth, stats)


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
