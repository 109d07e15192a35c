"""sprof trace: pairs of events of known programs, thresholds, keys, details, heatmaps; bad input is one line."""

import glob
import json
import os
import re
import signal
import subprocess
from xml.etree import ElementTree

from harness import (SPROF, Program, Target, check_error, main, run, sprof, state_of, target, tracer_of, wait_until,
                     with_tracefs, without_tracefs)

TARGET = "syscalls"


def trace(*options):
    result = sprof("trace", "--source", "ptrace", "--json", *options, "--", target(TARGET)).check(7)
    lines = [json.loads(line) for line in result.text().splitlines()]
    tables = [line for line in lines if "rows" in line]
    assert tables[-1]["last"], result.text()
    return tables[-1]["rows"], [line for line in lines if "rows" not in line], tables


def calls_of(name):
    return "-e", f"syscalls:sys_enter_{name}", "-e", f"syscalls:sys_exit_{name}"


def test_a_call_from_its_begin_to_its_end():
    for name, calls in (("nanosleep", 30), ("getppid", 1000), ("sched_yield", 800), ("readv", 1)):
        rows, _, _ = trace(*calls_of(name))
        assert len(rows) == 1 and rows[0]["calls"] == calls, rows
        assert (rows[0]["start"], rows[0]["end"]) == (f"sys_enter_{name}", f"sys_exit_{name}"), rows
    assert rows[0]["total_ns"] > 0, rows


def test_each_thread_has_its_pairs():
    rows, _, _ = trace("--per-thread", *calls_of("sched_yield"))
    assert [row["calls"] for row in rows] == [200] * 4, rows
    assert len({row["key"] for row in rows}) == 4 and {row["comm"] for row in rows} == {TARGET}, rows


def test_a_filter_and_a_key():
    """Descriptors from their opening to their closing; what can't be opened is not among them."""
    rows, _, _ = trace("-e", "syscalls:sys_exit_openat/ret>=0/key=ret/", "-e", "syscalls:sys_enter_close//key=fd/",
                       "--per-thread")
    assert rows and all(int(row["key"]) >= 3 for row in rows), rows
    rows, _, _ = trace("-e", "raw_syscalls:sys_exit/ret==-2&&syscall_name(id)==\"openat\"/", "--cycle")
    assert rows[0]["calls"] >= 19, rows


def test_pairs_as_calls():
    """--impl syscalls: the table of `sprof syscalls`, of the pairs that the events make."""
    rows, _, _ = trace("--impl", "syscalls", "-e", "raw_syscalls:sys_enter", "-e", "raw_syscalls:sys_exit")
    calls = {row["syscall"]: (row["calls"], row["errors"]) for row in rows}
    for name, expected in (("getppid", (1000, 0)), ("dup", (200, 200)), ("sched_yield", (800, 0)), ("readv", (1, 0))):
        assert calls[name] == expected, (name, calls[name])
    rows, _, _ = trace("--impl", "syscalls", "-e", "raw_syscalls:sys_enter", "-e", "syscalls:sys_exit_dup/ret<0/",
                       "--per-thread")
    assert {row["syscall"] for row in rows} == {"dup"} and sum(row["errors"] for row in rows) == 200, rows


def test_sigkill():
    """As the manual says: a program goes on whose calls all stop; one with a filter in the kernel is killed."""
    for events, survives in ((("raw_syscalls:sys_enter", "raw_syscalls:sys_exit"), True),
                             (("syscalls:sys_enter_getppid", "syscalls:sys_exit_getppid"), False)):
        options = ["--source", "ptrace", "-e", events[0], "-e", events[1]]
        program = Target(TARGET, "loop", before=[SPROF, "trace", *options, "--"])
        pid = int(program.said[0])
        program.signal(signal.SIGKILL)
        program.process.wait()
        if survives:
            wait_until(lambda: tracer_of(pid) == 0, "the kernel lets go")
            assert state_of(pid) in "SR", state_of(pid)
            os.kill(pid, signal.SIGTERM)
        else:
            wait_until(lambda: not os.path.exists(f"/proc/{pid}") or state_of(pid) == "Z", "the program is killed")
        loop = Target(TARGET, "loop")
        attached = Program([SPROF, "trace", *options, "-p", loop.pid])
        wait_until(lambda: tracer_of(loop.pid) == attached.pid, "sprof attaches")
        attached.signal(signal.SIGKILL)
        attached.wait()
        wait_until(lambda: tracer_of(loop.pid) == 0, "the kernel lets go")
        loop.finish().check(0)


def events_of(lines, event, syscall):
    return [line for line in lines if line.get("event") == event and line.get("syscall") == syscall]


def test_what_takes_longer():
    rows, lines, _ = trace(*calls_of("clock_nanosleep"), "--than", "1ns")
    over = rows[0]["over"]
    assert rows[0]["calls"] == over == 5, rows
    ends = events_of(lines, "raw_syscalls:sys_exit", "clock_nanosleep")
    assert [end["fields"]["ret"] for end in ends] == [-4] * over, lines
    assert all(end["line"] == "event2" and end["latency_ns"] > 0 for end in ends), ends
    rows, lines, _ = trace(*calls_of("getuid"), "--than", "10s")
    assert rows[0]["over"] == 0 and not lines, lines
    text = sprof("trace", *calls_of("clock_nanosleep"), "--than", "1ns", "--", target(TARGET)).check(7).text()
    assert text.count("sys_exit: clock_nanosleep") == text.count("ret=-4") == 5, text


def test_what_still_goes_on():
    """It is looked for now and then, so the call is one that lasts for many of these looks."""
    command = ["trace", "--source", "ptrace", *calls_of("clock_nanosleep"), "--than", "1ms"]
    lines = [json.loads(line) for line in sprof(*command, "--json", "--", "sleep", "0.3").check().text().splitlines()]
    shown = [line for line in lines if line.get("line") == "in flight"]
    assert shown and all(line["latency_ns"] > 1e6 for line in shown), lines
    assert "in flight after" in sprof(*command, "--", "sleep", "0.3").check().text()


def test_what_lies_between():
    _, lines, _ = trace("-e", "syscalls:sys_enter_readv", "-e",
                        "syscalls:sys_exit_readv,signal:deliver//untraced/", "--than", "1ms", "--detail", "all")
    signals = [line for line in lines if line.get("event") == "signal:deliver"]
    # Of ten, but for those that came before the call.
    assert len([line for line in signals if line["fields"]["sig"] == 14 and line["line"] == "between"]) >= 1, lines


def test_births_and_ends():
    rows, _, _ = trace("-e", "proc:fork//key=child_pid/", "-e", "proc:exit//key=_pid/")
    assert rows[0]["calls"] == 3, rows
    rows, _, _ = trace("-e", "proc:clone//key=child_pid/", "-e", "proc:exit//key=_tid/")
    assert rows[0]["calls"] == 5, rows


def test_signals():
    rows, _, _ = trace("-e", "signal:deliver/sig==14/", "--cycle")
    assert rows[0]["calls"] >= 13, rows


def test_intervals():
    _, _, tables = trace(*calls_of("getppid"), "-i", "10ms")
    assert len(tables) > 3 and sum(row["calls"] for table in tables[:-1] for row in table["rows"]) <= 1000


def test_an_interval_is_shown_when_it_ends():
    program = Target(TARGET, "loop", before=[SPROF, "trace", *calls_of("nanosleep"), "-i", "50ms", "--"])
    # A first interval can be over before there was a call.
    while "sys_enter_nanosleep" not in program.line():
        pass
    assert program.alive()
    program.finish().check(0)


def test_heatmap():
    trace(*calls_of("nanosleep"), "--heatmap", "lat")
    with open("lat-sys_enter_nanosleep-sys_exit_nanosleep.lat", encoding="utf-8") as file:
        points = [tuple(map(int, line.split())) for line in file]
    assert len(points) == 30 and all(latency >= 1e6 for _, latency in points), points
    assert points == sorted(points), points
    picture = ElementTree.parse("lat-sys_enter_nanosleep-sys_exit_nanosleep.svg")
    titles = [title.text for title in picture.iter("{http://www.w3.org/2000/svg}title")]
    assert sum(int(title.split()[0]) for title in titles) == 30 and " ms" in titles[0], titles
    with open("lat.html", encoding="utf-8") as file:
        page = file.read()
    assert all(page.count(f"<title>{title}</title>") == titles.count(title) for title in titles), page[:400]
    trace(*calls_of("nanosleep"), "--heatmap", "lat")
    assert len(glob.glob("lat-*.lat")) == len(glob.glob("lat-*.lat.old")) == 1, glob.glob("*")
    check_error(sprof("trace", *calls_of("nanosleep"), "--heatmap", "no/such/folder", "-o", "x.txt", "--", target(TARGET)),
                2, "no/such/folder")


def test_no_heatmap_through_a_planted_link():
    """In a folder that is open to all, where another user may put a link at any moment."""
    os.mkdir("open")
    os.chmod("open", 0o1777)
    with open("kept", "w", encoding="utf-8") as file:
        file.write("of root\n")
    link = "open/lat-sys_enter_nanosleep-sys_exit_nanosleep.lat"
    os.symlink("../kept", link)
    check_error(sprof("trace", "--source", "ptrace", *calls_of("nanosleep"), "--heatmap", "open/lat", "-o", "x.txt", "--",
                      target(TARGET)), 2, "a symbolic link")
    with open("kept", encoding="utf-8") as file:
        assert file.read() == "of root\n"
    assert os.path.islink(link) and not os.path.lexists(link + ".old")


def frames_of(text, number):
    """The functions of a stack that the text has a number for."""
    _, _, rest = text.partition(f"\nstack {number}:\n")
    return [line.split()[1] for line in rest.split("\n\n")[0].splitlines() if line.startswith("  #")]


def test_stacks_of_events():
    """Of a call's begin and its end, which come from the same place."""
    text = sprof("trace", "-e", "syscalls:sys_enter_nanosleep//stack/", "-e", "syscalls:sys_exit_nanosleep//stack/",
                 "--than", "900us", "--", target(TARGET)).check(7).text()
    numbers = set(re.findall(r"sys_(?:enter|exit): nanosleep.*\(stack (\d+)\)", text))
    assert numbers and len(re.findall(r"sys_exit: nanosleep.*\(stack \d", text)) == 30, text
    assert not [line for line in text.splitlines() if "sys_enter: nanosleep" in line and "(stack " not in line], text
    for number in numbers:
        frames = frames_of(text, number)
        assert [frame for frame in frames if frame in ("nap", "count", "main")] == ["nap", "count", "main"], text
    text = sprof("trace", *calls_of("nanosleep"), "--than", "900us", "--", target(TARGET)).check(7).text()
    assert "(stack" not in text, text
    _, lines, _ = trace("-e", "syscalls:sys_enter_nanosleep//stack/", "-e", "syscalls:sys_exit_nanosleep", "--than",
                        "900us")
    stacks = {stack["stack"]: stack["frames"] for stack in lines[-1]["stacks"]}
    begins = events_of(lines, "raw_syscalls:sys_enter", "nanosleep")
    assert len(begins) >= 30 and all("nap" in stacks[begin["stack"]] for begin in begins), begins
    check_error(sprof("trace", "-e", "proc:exec//stack/", "-e", "proc:exit", "--", "true"), 64, "proc:exec", "stacks")


def test_stacks_in_flight():
    """A call that takes too long is looked at while its thread sleeps in it."""
    text = sprof("trace", "--source", "ptrace", *calls_of("nanosleep"), "--than", "100us", "--",
                 target(TARGET)).check(7).text()
    numbers = re.findall(r"in flight after .*, now at stack (\d+)", text)
    assert numbers and all("nap" in frames_of(text, number) for number in numbers), text


def test_stacks_of_what_has_no_partner():
    text = sprof("trace", "-e", "syscalls:sys_enter_exit_group//stack/max-stack=2/", "-e",
                 "syscalls:sys_exit_exit_group", "--impl", "pair", "--", target(TARGET)).check(7).text()
    counts = re.findall(r"(\d) from stack (\d+)", text)
    assert sum(int(count) for count, _ in counts) == 4, text
    assert all(len(frames_of(text, number)) == 2 for _, number in counts), text
    _, lines, _ = trace(*calls_of("exit_group"), "--impl", "pair")
    assert lines[0]["unpaired"] == [{"event": "sys_enter_exit_group", "as": "event1", "count": 4}], lines


def last_table(result):
    return json.loads([line for line in result.check(7).text().splitlines() if line.startswith('{"last":true')][-1])


def test_tracepoints_count_the_same():
    """What the kernel writes down for root is what the stops of ptrace tell: threads, children, errors."""
    before = with_tracefs()
    for name, calls in (("getppid", 1000), ("getuid", 300), ("dup", 200), ("readv", 1), ("clock_nanosleep", 5)):
        tables = [last_table(run(*before, SPROF, "trace", "--json", "--source", source, *calls_of(name), "--",
                                 target(TARGET))) for source in ("ptrace", "perf", "auto")]
        assert [table["source"] for table in tables] == ["ptrace", "tracepoints", "tracepoints"], tables
        assert [table["rows"][0]["calls"] for table in tables] == [calls] * 3, tables
        # What a stop takes is in the latencies of ptrace only.
        shortest = [table["rows"][0]["min_ns"] for table in tables]
        assert calls < 100 or shortest[1] < shortest[0], tables
    table = last_table(run(*before, SPROF, "trace", "--json", "--no-children", *calls_of("getuid"), "--", target(TARGET)))
    assert not table["rows"], table


def test_switches_by_tracepoints():
    """The time that a thread is off its CPU: at least that of its naps."""
    table = last_table(run(*with_tracefs(), SPROF, "trace", "--json", "-e", "sched:sched_switch//key=prev_pid/", "-e",
                           "sched:sched_switch//key=next_pid/", "--", target(TARGET)))
    (row,) = table["rows"]
    assert row["calls"] >= 30 and row["total_ns"] >= 30e6, table
    text = run(*with_tracefs(), SPROF, "trace", "-e", "sched:sched_wakeup//key=pid/", "-e",
               "sched:sched_switch//key=next_pid/", "--than", "1ns", "--", target(TARGET)).check(7).text()
    assert re.search(r"sched:sched_wakeup: comm=syscalls pid=\d+ prio=\d+ target_cpu=\d+", text), text


def test_no_tracepoints():
    """Where they are not there, the reason is said; system calls come from ptrace instead."""
    before = without_tracefs()
    switches = ("-e", "sched:sched_switch//key=prev_pid/", "-e", "sched:sched_switch//key=next_pid/", "--", "true")
    check_error(run(*before, SPROF, "trace", *switches), 2, "tracefs")
    check_error(run(*before, SPROF, "trace", "--source", "perf", *calls_of("read"), "--", "true"), 2, "tracefs")
    table = last_table(run(*before, SPROF, "trace", "--json", *calls_of("getppid"), "--", target(TARGET)))
    assert table["source"] == "ptrace" and table["rows"][0]["calls"] == 1000, table
    assert "not here: tracepoints: tracefs" in run(*before, SPROF, "events").check(0).text()


def test_what_has_no_partner():
    result = sprof("trace", *calls_of("exit_group"), "--impl", "pair", "--", target(TARGET)).check(7)
    assert "sys_enter_exit_group: 4 without an event after it" in result.text(), result.text()


def test_statistics_on_a_signal():
    program = Target(TARGET, "loop", before=[SPROF, "trace", *calls_of("nanosleep"), "--"])
    program.signal(signal.SIGUSR1)
    wait_until(lambda: "events, " in program.stderr(), "the statistics come")
    program.finish().check(0)


def test_the_events_are_listed():
    text = sprof("events").check(0).text()
    for name in ("raw_syscalls:sys_enter", "proc:exit", "signal:deliver", "sched:off"):
        assert name in text, text
    assert "proc:" not in sprof("events", "sched:*").check(0).text()
    check_error(sprof("events", "nothing:*"), 64, "nothing")


def test_bad_input():
    gone = subprocess.Popen(["true"])
    gone.wait()
    pair = calls_of("read")
    cases = [
        (64, (), "needs events"),
        (64, pair, "needs a program"),
        (64, ("-e", "syscalls:sys_enter_raed", "-e", "proc:exit", "--", "true"), "column 1"),
        (64, ("-e", "raw_syscalls:sys_enter/idd==1/", "-e", "proc:exit", "--", "true"), "column 24", "idd"),
        (64, ("-e", "raw_syscalls:sys_enter/id==/", "-e", "proc:exit", "--", "true"), "column 28"),
        (64, ("-e", "proc:exec/filename+1/", "-e", "proc:exit", "--", "true"), "column"),
        (64, ("-e", "irq:softirq_entry", "--", "true"), "softirq", "interrupts"),
        (64, ("-e", "proc:exit", "--", "true"), "-e"),
        (64, ("-C", "0", *pair, "--", "true"), "-C", "all CPUs"),
        (64, ("-e", "sample", "--cycle", "--", "true"), "sample", "sprof run"),
        (64, ("-e", "proc:exit", "--cycle", "--source", "perf", "--", "true"), "proc:exit", "ptrace"),
        (64, ("-e", "sched:off", "--cycle", "--source", "ptrace", "--", "true"), "sched:off", "ptrace"),
        (64, ("-e", "profile/-F 9/,profile/-F 10/", "--cycle", "--", "true"), "profile", "one rate"),
        (64, ("-e", "uprobe:no_such_function", "--cycle", "--", "true"), "column 1", "no_such_function"),
        (64, ("-e", 'uprobe:malloc@""', "--cycle", "--", "true"), "column 1", "path"),
        (2, ("-e", 'uprobe:malloc@"/no/such/file"', "--cycle", "--", "true"), "/no/such/file"),
        (64, ("-e", "sched:sched_switch", "--cycle", "--source", "ptrace", "--", "true"), "sched:sched_switch"),
        (64, (*pair, "--source", "proc", "--", "true"), "not one of"),
        (64, (*pair, "--than", "4x", "--", "true"), "unit"),
        (64, (*pair, "--impl", "rundelay", "--", "true"), "not one of"),
        (64, (*pair, "--than", "4ms", "--detail", "hid", "--", "true"), "column"),
        (2, (*pair, "-p", gone.pid), "no such process"),
    ]
    for code, words, *said in cases:
        check_error(sprof("trace", *words), code, *said)


if __name__ == "__main__":
    main()
