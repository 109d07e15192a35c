"""How long threads wait for a CPU: by every source, with the same truth, and without harm to anybody."""

import contextlib
import ctypes
import errno
import json
import os
import platform
import re
import signal
import struct
import sys
import time

from answers import check_answer
from harness import (Program, SPROF, Target, as_plain_user, check_error, check_near, check_untouched, main, most_of, own_sprof,
                     own_target, paranoid, require, require_switches, run, sprof, state_of, status_field, target,
                     threads_of, tool, wait_for_cpu, wait_until, with_tracefs)

FAILED, USAGE = 2, 64
ROUNDS = 150
LARGE_PAGES = 4096  # of a ring, for each CPU
PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}
WATCHING = re.compile(r"watching process (\d+) by (.*); Ctrl-C", re.MULTILINE)


class Watcher(Program):
    """sprof rundelay at work; .source is what it has chosen."""

    def __init__(self, pid, *args, before=(), program=SPROF, by="-p", **options):
        super().__init__([*before, program, "rundelay", "-v", by, pid, *args], **options)
        wait_until(lambda: WATCHING.search(self.stderr()) or not self.alive(), "sprof watches")
        assert self.alive(), self.stderr()
        self.source = WATCHING.search(self.stderr()).group(2)

    def stop(self):
        """Ends it by Ctrl-C; returns its last table."""
        self.signal(signal.SIGINT)
        return tables(self.finish().check(0))[-1]


def tables(result):
    return [json.loads(line) for line in result.text().splitlines()]


def rows_of(table, tid=None):
    """{start: row} of a thread, or of all."""
    return {row["start"]: row for row in table["rows"] if row.get("tid") == tid}


def contend(watchers, rounds=ROUNDS):
    """Has threads contend for a CPU while they are watched; returns the last table of each watcher."""
    cpu = min(os.sched_getaffinity(0))
    program = Target(own_target("contend"), cpu, rounds, **as_plain_user())
    watching = [watch(program.pid) for watch in watchers]
    program.say("go\n")
    assert program.line() == "done"
    wait_until(lambda: state_of(program.pid) == "S", "the main thread waits")
    found = [watcher.stop() for watcher in watching]
    program.finish().check(0)
    return [watcher.source for watcher in watching], found


def check_sums(table):
    """The threads' rows add up to those of all."""
    tids = {row["tid"] for row in table["rows"] if "tid" in row}
    for start, row in rows_of(table).items():
        threads = [rows_of(table, tid).get(start) for tid in tids]
        for field in ("calls", "total_ns"):
            assert row[field] == sum(each[field] for each in threads if each), (start, field, table)


# Sources.

def test_switch_records_as_plain_user():
    require_switches()
    watch = lambda pid: Watcher(pid, "--per-thread", "--json", "--than", "1ms", program=own_sprof(), **as_plain_user())
    (source,), (table,) = contend([watch])
    assert source == table["source"] == "perf switch records + schedstat"
    check_sums(table)
    preempted, woken = rows_of(table)["preempted"], rows_of(table)["wakeup"]
    assert preempted["calls"] > 0 and not preempted["derived"], table
    assert 0 < preempted["min_ns"] <= preempted["p50_ns"] <= preempted["p99_ns"] <= preempted["max_ns"], table
    assert preempted["over"] <= preempted["calls"], table
    assert woken["calls"] >= ROUNDS * 0.5 and woken["derived"] and woken["p50_ns"] is None, table
    names = {row["comm"] for row in table["rows"] if "comm" in row}
    assert {"busy", "naps"} <= names <= {"busy", "naps", "contend"}, names
    assert table["lost"] == table["dropped"] == 0, table


def test_tracepoints_agree_with_switch_records():
    require_switches()
    before = with_tracefs()
    watchers = [
        lambda pid: Watcher(pid, "--per-thread", "--json", "-m", LARGE_PAGES, before=before),
        lambda pid: Watcher(pid, "--per-thread", "--json", program=own_sprof(), **as_plain_user()),
    ]
    for _ in range(5):  # where other programs switch too much, records are lost: what is left is no more than there was
        sources, (exact, derived) = contend(watchers, 3 * ROUNDS)
        assert sources == ["sched tracepoints", "perf switch records + schedstat"], sources
        check_sums(exact)
        rows = [rows_of(exact), rows_of(derived)]
        print(exact, derived)
        if not exact["lost"] and not derived["lost"]:
            break
        if not derived["lost"]:
            assert rows[0]["preempted"]["calls"] <= rows[1]["preempted"]["calls"]
    else:
        raise AssertionError("records were lost each time: nothing was compared")
    exact, derived = rows
    # They begin and end one after the other.
    calls = exact["preempted"]["calls"]
    check_near(derived["preempted"]["calls"], calls, most_of(calls, 0.02), "preemptions")
    check_near(derived["preempted"]["total_ns"] / exact["preempted"]["total_ns"], 1, 0.1, "preempted time")
    means = [rows["wakeup"]["total_ns"] / rows["wakeup"]["calls"] for rows in (exact, derived)]
    check_near(means[1] / means[0], 1, 0.2, "mean of wake-ups")
    assert not exact["wakeup"]["derived"] and exact["wakeup"]["p99_ns"] >= exact["wakeup"]["p50_ns"] > 0


def test_schedstat_alone():
    (source,), (table,) = contend([lambda pid: Watcher(pid, "--source", "proc", "--per-thread", "--json")])
    assert source == table["source"] == "schedstat"
    row = rows_of(table)["waiting"]
    assert row["calls"] > ROUNDS and row["total_ns"] > 0 and row["derived"], table
    assert row["p50_ns"] is None and row["max_ns"] is None, table


def forbid(call):
    """A seccomp filter as containers have it: the call with this number fails with EPERM (seccomp(2))."""
    libc = ctypes.CDLL(None, use_errno=True)
    load, equal, give = 0x20, 0x15, 0x06  # BPF_LD|W|ABS, BPF_JMP|JEQ|K, BPF_RET|K
    steps = [(load, 0, 0, 0), (equal, 0, 1, call),
             (give, 0, 0, 0x00050000 | errno.EPERM), (give, 0, 0, 0x7fff0000)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code))
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program):
        raise OSError(ctypes.get_errno(), "prctl")


def forbid_perf():
    forbid(PERF_EVENT_OPEN[platform.machine()])


def test_where_perf_is_forbidden():
    """It says so, and takes what there is."""
    watch = lambda pid: Watcher(pid, "--json", preexec_fn=forbid_perf)
    program = Target("spin-two")
    watcher = watch(program.pid)
    assert "seccomp" in watcher.stderr() and watcher.source == "schedstat", watcher.stderr()
    assert watcher.stop()["source"] == "schedstat"
    result = sprof("rundelay", "-p", program.pid, "-d", "100ms", "--source", "perf", preexec_fn=forbid_perf)
    check_error(result, FAILED, "seccomp", "--source proc")
    assert not result.out
    program.finish().check(0)


def test_another_users_process():
    require(os.geteuid() == 0, "takes another user")
    require(paranoid() >= 0, "every user may see every process")
    program = Target("spin-two")
    result = run(own_sprof(), "rundelay", "-p", program.pid, "-d", "100ms", "--source", "perf", **as_plain_user())
    check_error(result, FAILED, "perf_event_paranoid", "--source proc")
    program.finish().check(0)


def switches_of(pid):
    """Of all threads of a process."""
    return sum(int(status_field(pid, name, tid)) for tid in threads_of(pid)
               for name in ("voluntary_ctxt_switches", "nonvoluntary_ctxt_switches"))


def test_lost_records():
    """A reader that stands still loses records, says so, and makes no delay out of a gap."""
    require_switches()
    program = Target(own_target("contend"), min(os.sched_getaffinity(0)), 100 * ROUNDS, "yields",
                     **as_plain_user())
    if os.geteuid() == 0:
        with contextlib.suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, program.pid, -20)  # others on the CPU would make switches rare
    watcher = Watcher(program.pid, "--json", program=own_sprof(), **as_plain_user())
    watcher.signal(signal.SIGSTOP)
    begin = time.monotonic_ns()
    program.say("go\n")
    wait_until(lambda: switches_of(program.pid) > 50000, "many switches")
    stopped_ns = time.monotonic_ns() - begin
    watcher.signal(signal.SIGCONT)
    table = watcher.stop()
    program.signal(signal.SIGTERM)
    program.finish().check(-signal.SIGTERM)
    print(table)
    assert table["lost"] > 0, table
    assert rows_of(table)["preempted"]["max_ns"] < stopped_ns / 2, table


def schedstat_of(pid):
    """{tid: (ns in the run queue, slices)}"""
    return {tid: tuple(map(int, open(f"/proc/{pid}/task/{tid}/schedstat").read().split()[1:])) for tid in threads_of(pid)}


def test_lost_tracepoint_records_are_in_the_sums():
    """What a full ring has lost is computed from schedstat: each thread's sum is the kernel's."""
    before = with_tracefs()
    program = Target(own_target("contend"), min(os.sched_getaffinity(0)), 100 * ROUNDS, "yields", **as_plain_user())
    watcher = Watcher(program.pid, "--per-thread", "--json", "-m", 2, before=before)
    watcher.signal(signal.SIGSTOP)
    program.say("go\n")
    wait_until(lambda: switches_of(program.pid) > 20000, "many switches")
    watcher.signal(signal.SIGCONT)
    watcher.signal(signal.SIGUSR1)
    wait_until(lambda: "readings" in watcher.stderr(), "it reads again")
    program.signal(signal.SIGSTOP)
    wait_until(lambda: state_of(program.pid) == "T", "the program stands still")
    table, end = watcher.stop(), schedstat_of(program.pid)
    program.signal(signal.SIGKILL)
    program.finish().check(-signal.SIGKILL)
    print(table, end)
    assert table["lost"] > 0, table
    often = {tid: times for tid, times in end.items() if times[1] >= 1000}
    assert often, end
    for tid, (ns, slices) in often.items():
        rows = rows_of(table, tid).values()
        assert any(row["derived"] for row in rows), (tid, table)
        check_near(sum(row["calls"] for row in rows), slices, most_of(slices, 0.01), "delays")
        check_near(sum(row["total_ns"] for row in rows), ns, 0.01 * ns, "their sum")


# Threads.

def test_threads_that_are_born_later():
    program = Target("threads", 1, 1)
    watcher = Watcher(program.pid, "--per-thread", "--json")
    born = []
    for _ in range(5):
        program.say("b\n")
        born.append(int(program.line().split()[1]))
    for tid in born:
        wait_for_cpu(program.pid, 0.1, tid)
    tids = {row.get("tid") for row in watcher.stop()["rows"]}
    assert set(born) <= tids, (tids, born)
    program.finish()


def test_a_filter_of_names():
    (_,), (table,) = contend([lambda pid: Watcher(pid, "--per-thread", "--json", "--filter", "nap*")])
    assert {row["comm"] for row in table["rows"] if "comm" in row} == {"naps"}, table
    check_sums(table)


def test_filters_of_several_names():
    """Patterns with commas between them; names that no thread has are said, with the code of a partial result."""
    def check(pattern, code):
        result = sprof("rundelay", "--source", "proc", "--per-thread", "--json", "--filter", pattern, "--", target("exit-code"), "0")
        rows = tables(result.check(code))[-1]["rows"]
        assert {row["comm"] for row in rows if "comm" in row} <= {"exit-code"}, rows  # it may have had no delay
        assert (f"--filter {pattern}: no thread has such a name" in result.err) == code, result.err

    check("java,exit*", 0)
    check("*", 0)
    check("java,CPU*", 1)
    check("exit", 1)
    for pattern in ("", ",", "a,,b", "a,", "x" * 200):
        sprof("rundelay", "--filter", pattern, "--", "true").check(64)


def test_the_process_ends():
    program = Target("spin-two")
    watcher = Watcher(program.pid, "--json")
    program.finish()
    assert tables(watcher.finish().check(0))[-1]["table"] == "total"


# Tables.

def test_intervals_add_up():
    program = Target("spin-two")
    found = tables(sprof("rundelay", "-p", program.pid, "-i", "100ms", "-d", "550ms", "--json").check(0))
    program.finish()
    # Where sprof comes late, an interval is a longer one.
    intervals = len(found) - 1
    assert 1 <= intervals <= 6 and [table["table"] for table in found] == ["interval"] * intervals + ["total"], found
    for start, row in rows_of(found[-1]).items():
        for field in ("calls", "total_ns"):
            assert row[field] == sum(rows_of(table).get(start, {}).get(field, 0) for table in found[:-1]), (start, found)
    check_near(found[-1]["lived_ns"], found[-1]["duration_ns"], 0.5 * found[-1]["duration_ns"], "life")


def test_a_table_fits_the_terminal():
    """The screen has 80 columns, and every form of the table fits."""
    program = Target("threads", 2, 2)
    for options in (["--per-thread"], ["--per-thread", "--than", "4ms"], ["--per-thread", "--than", "4ms", "--source", "proc"]):
        words = " ".join([SPROF, "rundelay", "-q", "-p", str(program.pid), "-d", "300ms", *options])
        result = run(tool("script"), "-qec", f"stty cols 80; {words}", "/dev/null").check(0)
        lines = result.text().splitlines()
        assert "source: " in lines[0] and lines[1].split()[0] == "thread", lines
        assert all(len(line) <= 80 for line in lines), lines
    program.finish()


def test_names_are_as_wide_as_they_look():
    name = "wörker→x"
    program = Program([sys.executable, "-c", f"open('/proc/self/comm', 'w').write('{name}')\nprint(flush=True)\nwhile True: pass"])
    program.line()
    text = sprof("rundelay", "--source", "proc", "--perins", "-p", program.pid, "-d", "300ms").check(0).text()
    program.process.kill()
    _, head, *rows = text.splitlines()
    end = head.index("calls") + len("calls")
    found = [row for row in rows if row.split()[:1] in ([str(program.pid)], ["all"])]
    assert found and name in text, text
    for row in found:
        assert row[end - 1].isdigit() and row[end] == " ", text


# Single delays.

SINGLE = ("preempted", "woken", "runs", "sleeps")


def lines_of(lines):
    """The groups of lines, each of one delay."""
    groups = []
    for line in lines:
        if line["line"] == "event1":
            groups.append([])
        if line["line"] != "before":
            groups[-1].append(line)
    return groups


def watch_contention(*options, **how):
    """Threads that contend for a CPU."""
    how = how or {"program": own_sprof(), **as_plain_user()}
    program = Target(own_target("contend"), min(os.sched_getaffinity(0)), ROUNDS, **as_plain_user())
    watcher = Watcher(program.pid, *options, **how)
    program.say("go\n")
    assert program.line() == "done"
    watcher.signal(signal.SIGINT)
    result = watcher.finish().check(0)
    program.finish().check(0)
    return result


def watch_singles(*options, **how):
    """The lines of single delays, and the last table."""
    *lines, table = tables(watch_contention("--json", "--per-thread", *options, **how))
    return lines, table


def check_lines(lines, table):
    """One group for each delay that is too long, with what its thread did, and how long it took."""
    groups = lines_of(lines)
    assert len(groups) == sum(row["over"] for row in rows_of(table).values() if row["over"]), (len(groups), table)
    for group in groups:
        begin, end = group[0], group[-1]
        assert begin["event"] in ("preempted", "woken") and (end["line"], end["event"]) == ("event2", "runs"), group
        assert begin["tid"] == end["tid"] and end["latency_ns"] == end["time_ns"] - begin["time_ns"], group
        assert all(begin["time_ns"] <= line["time_ns"] <= end["time_ns"] and line["event"] in SINGLE for line in group), group
    return groups


def test_details_of_preemptions():
    require_switches()
    lines, table = watch_singles("--than", "1us", "--detail")
    groups = check_lines(lines, table)
    assert groups and {group[0]["event"] for group in groups} == {"preempted"}, table
    assert any(len(group) > 2 for group in groups), "while one waited, another one ran"


def test_details_name_the_others():
    """With tracepoints, also delays after a wake-up, and who had the CPU."""
    lines, table = watch_singles("--than", "1us", "--detail=sametid", before=with_tracefs())
    assert table["source"] == "sched tracepoints", table
    groups = check_lines(lines, table)
    assert {group[0]["event"] for group in groups} == {"preempted", "woken"}, table
    assert all({line["tid"] for line in group} == {group[0]["tid"]} for group in groups)
    others = {group[-1].get("other_comm") for group in groups}
    assert others & {"busy", "naps"}, others


def test_details_as_text():
    require_switches()
    text = watch_contention("-e", "sched:sched_switch,sched:sched_wakeup", "--than", "1us", "--detail=-1ms").text()
    begins = re.findall(r"(?m)^\d\d:\d\d:\d\d\.\d{6} +\S+ +\d+ preempted on CPU \d+", text)
    ends = re.findall(r"(?m)^\| \d+\.\d{3} us\n\d\d:\d\d:\d\d\.\d{6} +\S+ +\d+ runs on CPU \d+", text)
    assert begins and len(begins) == len(ends), text[:1000]


def test_heatmaps():
    require_switches()
    lines, table = watch_singles("--heatmap", "heat", program=SPROF)
    assert not lines, lines
    with open("heat-preempted.lat", encoding="utf-8") as file:
        points = [tuple(map(int, line.split())) for line in file]
    row = rows_of(table)["preempted"]
    assert (len(points), sum(ns for _, ns in points)) == (row["calls"], row["total_ns"]), row
    assert points == sorted(points) and os.path.exists("heat-preempted.svg") and os.path.exists("heat.html")


def test_one_thread():
    """perf's -t: the process is measured, and this thread shown: the main thread, which the others' end wakes."""
    require_switches()
    cpu = min(os.sched_getaffinity(0))
    program = Target(own_target("contend"), cpu, 3)
    watcher = Watcher(program.pid, "--per-thread", "--json", by="-t")
    program.say("go\n")
    assert program.line() == "done"
    wait_until(lambda: state_of(program.pid) == "S", "the main thread waits")
    table = watcher.stop()
    program.finish().check(0)
    assert {row["tid"] for row in table["rows"] if "tid" in row} == {program.pid}, table
    assert "measures whole" not in watcher.stderr(), watcher.stderr()


def test_events_of_others_are_refused():
    check_error(sprof("rundelay", "-e", "syscalls:sys_enter_read", "-p", "1"), USAGE, "only events of the scheduler", "sprof trace")
    check_error(sprof("rundelay", "-e", "sched:nothing", "-p", "1"), USAGE, "sched:nothing|no event")
    check_error(sprof("rundelay", "-e", "sched:sched_switch/prev_pid==5/", "-p", "1"), USAGE, "takes no filters of events", "--filter")


# A program that sprof starts.

def test_children_are_counted_and_not_watched():
    require_switches()
    script = "sh", "-c", "true & true & wait; exec true"
    for options, said in (((), "processes that it started: 2; they are not watched"),
                          (("--source", "proc"), "processes that it may have started are not watched")):
        assert said in sprof("rundelay", *options, "--", *script).check(0).text()
    assert tables(sprof("rundelay", "--json", "--", *script).check(0))[-1]["children"] == 2
    assert tables(sprof("rundelay", "--json", "--source", "proc", "--", *script).check(0))[-1]["children"] is None


def test_a_launched_program():
    result = sprof("rundelay", "--json", "--", "sh", "-c", "echo out; exit 3").check(3)
    assert tables(result)[-1]["table"] == "total"
    assert "out" in result.err.splitlines(), result.err
    sprof("rundelay", "--", "sh", "-c", "kill -TERM $$").check(128 + signal.SIGTERM)


def test_a_program_that_is_not_there():
    check_error(sprof("rundelay", "--", "/no/such/program"), FAILED, "/no/such/program", "no such file")


# Harm.

def test_sigkill_leaves_the_target():
    answer = Target("answer", 2)
    for _ in range(5):
        watcher = Watcher(answer.pid)
        watcher.signal(signal.SIGKILL)
        watcher.wait()
        check_untouched(answer.pid)
    check_answer(answer.finish().check(0).text())


def test_sigkill_leaves_a_launched_program():
    launched = Target("answer", 2, before=[SPROF, "rundelay", "--"])
    pid = int(launched.said[0])
    launched.signal(signal.SIGKILL)
    launched.wait()
    check_untouched(pid)


def test_wrong_command_lines():
    for args in ([], ["-p", "1", "--", "true"], ["-p", "abc"], ["-p", "1", "--than", "4x"],
                 ["-p", "1", "--than", "4parsec"], ["-p", "1", "--than", "ms"], ["-p", "1", "--than", "0ms"],
                 ["-p", "1", "-i", "-1"], ["-p", "1", "-i", "1x"], ["-p", "1", "--source", "ptrace2"],
                 ["-p", "1", "-d", "0"], ["-p", "1", "--no-such"]):
        result = sprof("rundelay", *args)
        check_error(result, USAGE)
        assert not result.out, result.out
    check_error(sprof("rundelay", "-p", "1", "--than", "12abc"), USAGE, "unit")


def test_no_such_process():
    ended = Program(["true"])
    pid = ended.pid
    wait_until(lambda: not ended.alive(), "its end")
    check_error(sprof("rundelay", "-p", pid), FAILED, str(pid), "no such process")


if __name__ == "__main__":
    main()
