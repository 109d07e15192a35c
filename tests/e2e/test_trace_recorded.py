"""sprof trace: the events that the kernel writes down, against programs that know how many there are."""

import json
import os
import re

from harness import (PATIENCE, SPROF, Target, as_plain_user, check_error, main, own_sprof, own_target, require, require_machine,
                     require_switches, run, sprof, target, tool, with_tracefs, without_tracefs)

TARGET = "probes"
CALLS = {"main": 1000, "thread": 500, "child": 250}
PROBE, RETURN = "uprobe:handle", "uretprobe:handle"


def lines_of(result, code=7):
    return [json.loads(line) for line in result.check(code).text().splitlines()]


def ended(lines):
    """Without what is shown of an instance while it is under way: it comes once more when it is over."""
    under_way, kept = False, []
    for number, line in enumerate(lines):
        if line.get("line") == "event1":
            under_way = number > 0 and lines[number - 1].get("line") == "in flight"
        if not under_way or line.get("last"):
            kept.append(line)
    return kept


def last_table(result, code=7):
    return [line for line in lines_of(result, code) if line.get("last")][-1]


def trace(*options, program=TARGET):
    return last_table(sprof("trace", "--json", *options, "--", target(program)))


def require_root():
    require(os.geteuid() == 0, "uprobes take root")
    require_machine(os.path.exists("/sys/bus/event_source/devices/uprobe"), "this kernel has no uprobes")


def test_page_faults():
    """The first touch of each of 200 pages; a user learns the same of code of his own."""
    require_switches()
    own = own_sprof(), own_target(TARGET)
    for options in ({}, as_plain_user()):
        table = last_table(run(own[0], "trace", "--json", "-e", "mem:fault//key=(addr>>12)/", "-e",
                               "mem:fault//key=(addr>>12)-1/", "--", own[1], **options))
        assert table["source"] == "perf page faults", table
        # From each page to the next one, and few others lie as close.
        assert 199 <= table["rows"][0]["calls"] <= 260, table


def test_the_task_clock():
    """It runs while the program has the CPU: 499 ticks a second of 0.5 s."""
    require_switches()
    result = run(own_sprof(), "trace", "--json", "-e", "profile/-F 499/", "--cycle", "--", own_target(TARGET), "spin",
                 **as_plain_user())
    table = last_table(result)
    assert table["source"] == "perf task clock", table
    # (What its calls of clock(2) take is not told to a user.)
    # A host that takes the CPU delays them.
    assert 0 < table["rows"][0]["calls"] < 280, table


def test_switches():
    """Each nap leaves the CPU: 30 of 1 ms."""
    require_switches()
    for options in ((), ("--source", "perf")):
        result = run(own_sprof(), "trace", "--json", "-e", "sched:off/!preempt/", "-e", "sched:on", *options, "--",
                     own_target("syscalls"), **as_plain_user())
        table = last_table(result)
        (row,) = table["rows"]
        assert table["source"] == "perf switch records" and row["calls"] >= 30 and row["total_ns"] >= 30e6, table


def test_the_cpu_before():
    require_switches()
    for line in lines_of(sprof("trace", "--json", "-e", "sched:off", "-e", "sched:on", "--than", "1ns", "--",
                               target(TARGET))):
        if line.get("event") == "sched:off":
            left = line["fields"]["cpu"]
        elif line.get("event") == "sched:on":
            assert line["fields"]["prev_cpu"] == left, line


def test_functions():
    """Each call of a function, of its file or of all that run it; threads and children as well."""
    for place in ("", f'@"{target(TARGET)}"'):
        table = trace("--perins", "-e", PROBE + place, "-e", RETURN + place)
        assert table["source"] == "breakpoints", table
        assert [row["calls"] for row in table["rows"]] == list(CALLS.values()), table
        assert {(row["start"], row["end"]) for row in table["rows"]} == {(PROBE, RETURN)}, table
    table = trace("--no-children", "-e", PROBE, "-e", RETURN)
    assert table["rows"][0]["calls"] == CALLS["main"] + CALLS["thread"], table


def test_begins_alone_stop_nobody():
    """The kernel's uprobes tell of them to root; breakpoints to others, and where there are too many."""
    require_root()
    for options, source in ((("--source", "perf"), "uprobes"), (("--source", "ptrace"), "breakpoints")):
        table = trace("--no-children", "-e", PROBE, "--cycle", *options)
        assert table["source"] == source and table["rows"][0]["calls"] == CALLS["main"] - 1 + CALLS["thread"] - 1, table
    table = last_table(run(own_sprof(), "trace", "--json", "-e", PROBE, "--cycle", "--", own_target(TARGET), **as_plain_user()))
    assert table["source"] == "breakpoints" and table["rows"][0]["calls"] == sum(CALLS.values()) - 3, table


def test_uprobes_of_new_threads_come_late():
    """The result says so, as their first calls may be missing."""
    require_root()
    for source, has_line in (("perf", True), ("ptrace", False)):
        text = sprof("trace", "-e", PROBE, "--cycle", "--source", source, "--", target(TARGET)).check(7).text()
        assert ("uprobes were opened late" in text) == has_line, text


def test_an_instruction_that_takes_no_uprobe():
    """A lock prefix: the kernel refuses it, and sprof says so. A breakpoint can be there."""
    require_root()
    require_machine(os.uname().machine == "x86_64", "its input is code of x86_64")
    with open("locked.c", "w", encoding="ascii") as file:
        file.write("""static long count;
__attribute__((noipa)) void locked(void) { __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST); }
int main(void) { for (int i = 0; i < 50; i++) locked(); return count != 50; }
""")
    run(tool("gcc"), "-O2", "-fcf-protection=none", "-o", "locked", "locked.c").check(0)
    words = "trace", "-e", "uprobe:locked", "--cycle"
    assert "1 uprobes of threads can't be where their functions begin" in sprof(*words, "--", "./locked").check(0).text()
    table = last_table(sprof(*words, "--json", "--source", "ptrace", "--", "./locked"), 0)
    assert table["rows"][0]["calls"] == 49, table


def many_functions(count):
    """A program that calls each of so many functions once."""
    with open("many.c", "w", encoding="ascii") as file:
        for number in range(count):
            print(f"__attribute__((noipa)) void many_{number}(void)\n{{\n}}", file=file)
        print("int main(void)\n{", *(f"\tmany_{number}();" for number in range(count)), "}", sep="\n", file=file)
    run(tool("gcc"), "-o", "many", "many.c").check(0)
    return "./many"


def test_many_functions():
    """The kernel takes some milliseconds to open a uprobe, for each thread."""
    require_root()
    count = 33
    program = many_functions(count)
    words = ["trace", "--json", "-e", ",".join(f"uprobe:many_{number}" for number in range(count)), "--cycle"]
    table = last_table(sprof(*words, "--", program), 0)
    assert table["source"] == "breakpoints" and sum(row["calls"] for row in table["rows"]) >= count - 1, table
    check_error(sprof(*words, "--source", "perf", "--", program), 64, "uprobes", "the limit is 32", "breakpoints are used")


def test_arguments_and_results():
    lines = ended(lines_of(sprof("trace", "--json", "-e", f"{PROBE}/arg0>=490&&arg1==2/", "-e", f"{RETURN}/ret>=492/",
                                 "--than", "1ns", "--", target(TARGET))))
    begins = [line["fields"] for line in lines if line.get("event") == PROBE]
    ends = [line["fields"] for line in lines if line.get("event") == RETURN]
    assert [(begin["arg0"], begin["arg1"]) for begin in begins] == [(index, 2) for index in range(490, 500)], begins
    assert [end["ret"] for end in ends] == list(range(492, 502)), ends


def test_an_attached_process():
    """Its own functions are meant; another process of the same program has no breakpoints."""
    loop, other = Target(TARGET, "loop"), Target(TARGET, "loop")
    for duration in PATIENCE:
        table = last_table(sprof("trace", "--json", "-d", duration, "-e", PROBE, "-e", RETURN, "--perins", "-p", loop.pid), 0)
        if table["rows"] and table["rows"][0]["calls"] > 20:
            break
    (row,) = table["rows"]
    assert row["calls"] > 20 and row["key"] == str(loop.pid), table
    loop.finish().check(0)
    other.finish().check(0)


def frames_of(text, number):
    """The functions of a stack that the text has a number for."""
    _, _, rest = text.partition(f"\nstack {number}:\n")
    return [line.split()[1] for line in rest.split("\n\n")[0].splitlines() if line.startswith("  #")]


def test_stacks():
    """The kernel copies them at the event."""
    require_root()
    text = sprof("trace", "-e", "profile/-F 199/stack/", "--cycle", "--than", "1ns", "--", target(TARGET),
                 "spin").check(7).text()
    numbers = set(re.findall(r"profile: .*\(stack (\d+)\)", text))
    whole = [number for number in numbers if "main" in frames_of(text, number)]
    assert numbers and len(whole) > len(numbers) / 2, text
    text = sprof("trace", "-e", f"{PROBE}/arg0==5/stack/", "-e", f"{RETURN}", "--than", "1ns", "--",
                 target(TARGET)).check(7).text()
    callers = {tuple(frames_of(text, number)[:2]) for number in re.findall(r"uprobe:handle: .*\(stack (\d+)\)", text)}
    assert callers and callers <= {("handle", "main"), ("handle", "call_from_thread"), ("handle", "call_from_child")}, text


def test_stacks_of_calls():
    """Beside tracepoints; only the chosen calls are recorded."""
    text = run(*with_tracefs(), SPROF, "trace", "--source", "perf", "-e", "syscalls:sys_enter_nanosleep//stack/", "-e",
               "syscalls:sys_exit_nanosleep", "--than", "900us", "--", target("syscalls")).check(7).text()
    assert "source: tracepoints" in text and " 30 " in text, text
    numbers = set(re.findall(r"sys_enter: nanosleep.*\(stack (\d+)\)", text))
    assert numbers and all("nap" in frames_of(text, number) for number in numbers), text


def test_sources_together():
    """Stops and the kernel's records are one order of time."""
    require_switches()
    result = run(own_sprof(), "trace", "--json", "--than", "1ns", "-e", "syscalls:sys_exit_mmap//untraced/,proc:clone",
                 "-e", "mem:fault//untraced/,proc:exit", "--detail", "all", "-k", "0", "--", own_target(TARGET),
                 **as_plain_user())
    lines = ended(lines_of(result))
    table = [line for line in lines if line.get("last")][-1]
    assert table["source"] == "ptrace + perf page faults" and table["rows"][0]["calls"] == 1, table
    times = [line["time_ns"] for line in lines if "event" in line]
    assert times == sorted(times) and {line["event"] for line in lines if "event" in line} >= {
        "proc:clone", "mem:fault", "proc:exit"}, lines
    check_error(run(*without_tracefs(), SPROF, "trace", "-e", "sched:off", "-e", "sched:on", "-e",
                    "syscalls:sys_enter_nanosleep", "--", "true"), 64, "scheduler", "tracepoints")


def test_samples_beside_events():
    """--sample: what computes, in the same run as the exact events."""
    require_switches()
    text = sprof("trace", "--sample", "-F", "499", "-e", "mem:fault", "--cycle", "--", target(TARGET),
                 "spin").check(7).text()
    assert "source: perf page faults" in text and "burn" in text and "verdict" in text, text


def test_what_is_refused():
    """Uprobes are for root. A stop at a breakpoint is a switch; a returning function has no stack any more."""
    check_error(run(own_sprof(), "trace", "--source", "perf", "-e", PROBE, "--cycle", "--", own_target(TARGET), **as_plain_user()), 2,
                "CAP_SYS_ADMIN")
    both = "trace", "-e", PROBE, "-e"
    for code, words, *said in (
            (64, (RETURN, "--source", "perf"), "ptrace only"),
            (64, (RETURN + "//stack/",), "stacks"),
            (64, (RETURN + ",sched:off//untraced/",), "scheduler", "breakpoints"),
            (64, (RETURN, "--sample"), "--sample", "breakpoints"),
            (64, (RETURN + ",raw_syscalls:sys_enter//untraced/", "--source", "ptrace"), "system calls", "tracefs")):
        check_error(sprof(*both, *words, "--", target(TARGET)), code, *said)


if __name__ == "__main__":
    main()
