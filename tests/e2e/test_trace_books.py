"""sprof trace --impl call, call-delay and kmemprof: who calls whom, and who allocates, of programs that know it."""

import json
import os
import tempfile

from harness import (SPROF, as_plain_user, check_error, main, own_sprof, own_target, run, sprof, target,
                     with_tracefs)

CALLS = ("-e", "raw_syscalls:sys_enter,raw_syscalls:sys_exit")
ENDS = ("returned", "cut", "open", "left", "lost", "counted")


def functions(*names):
    return [word for name in names for word in ("-e", f"uprobe:{name},uretprobe:{name}")]


def tables_of(result, code=7):
    lines = [json.loads(line) for line in result.check(code).text().splitlines()]
    rows = [line["rows"] for line in lines if line.get("last")]
    table = [line for line in lines if "functions" in line][-1]
    assert table["lost"] == 0, table
    for row in table["functions"]:
        check_sums(row)
    return {row["function"]: row for row in table["functions"]}, rows[-1] if rows else None, lines


def check_sums(row):
    for figure in ("self_ns", *ENDS):
        assert row[figure] == sum(caller[figure] for caller in row["callers"]), (figure, row)
    assert row["calls"] == sum(row[end] for end in ENDS) and row["self_ns"] <= row["total_ns"], row


def call(*words, impl="call", program="callers", parts=()):
    return tables_of(sprof("trace", "--json", "--impl", impl, *words, "--", target(program), *parts))


def call_beside_tracepoints(*words, parts, code=7):
    """Breakpoints tell of functions, and the kernel of system calls."""
    result = run(*with_tracefs(), SPROF, "trace", "--json", "--impl", "call", *words, *CALLS, "--", target("callers"), *parts)
    return tables_of(result, code)[0]


def callers_of(row):
    return {caller["caller"]: caller["calls"] for caller in row["callers"]}


def test_recursion():
    table, _, _ = call(*functions("fib", "is_even", "is_odd"), parts=["recursion"])
    fib, even, odd = table["fib"], table["is_even"], table["is_odd"]
    assert (fib["calls"], fib["deepest"], fib["nested"]) == (177, 10, 176), fib
    assert callers_of(fib) == {None: 1, "fib": 176} and fib["total_ns"] == fib["max_ns"] == fib["self_ns"], fib
    assert callers_of(even) == {None: 1, "is_odd": 10} and callers_of(odd) == {"is_even": 10}, table
    assert even["total_ns"] == even["self_ns"] + odd["self_ns"], table


def test_threads_forks_and_jumps():
    table, _, _ = call(*functions("work", "leaf"), parts=["work", "threads", "fork"])
    assert callers_of(table["work"]) == {None: 210} and callers_of(table["leaf"]) == {"work": 630}, table
    assert table["work"]["total_ns"] == table["work"]["self_ns"] + table["leaf"]["total_ns"], table
    table, _, _ = call(*functions("jumps", "leaver", "leaf"), parts=["jumps"])
    assert callers_of(table["leaf"]) == {"leaver": 20, "jumps": 20}, table
    assert table["leaver"]["left"] == 20 and table["leaver"]["total_ns"] == 0, table
    table, _, _ = call(*functions("work_in_child", "repeat"), parts=["fork"])
    assert callers_of(table["repeat"]) == {"work_in_child": 1} and table["work_in_child"]["calls"] == 1, table
    table, _, _ = call(*functions("hand_over", "taker"), parts=["tails"])
    assert callers_of(table["hand_over"]) == {None: 30} and callers_of(table["taker"]) == {"hand_over": 30}, table


def test_a_deep_recursion():
    row = call(*functions("sink_deep"), parts=["deep"])[0]["sink_deep"]
    assert (row["calls"], row["deepest"], row["returned"]) == (100, 100, 100), row


def test_ends():
    """What the end of the program, or another program, cuts off."""
    for part, function in (("exit", "leave_early"), ("exec", "run_another")):
        table, _, _ = tables_of(sprof("trace", "--json", "--impl", "call", *functions(function, "leaf"), "--",
                                      target("callers"), part), 9)
        row = table[function]
        assert (row["calls"], row["cut"]) == (1, 1) and callers_of(table["leaf"])[function] == 1, table
    table = call_beside_tracepoints(*functions("run_another"), parts=["exec"], code=9)
    row = table["execve"]
    assert (row["returned"], row["unpaired"]) == (1, 0) and callers_of(row) == {"run_another": 1}, row
    assert table["run_another"]["total_ns"] >= row["total_ns"], "it ends with the old program"


def test_two_positions_are_one_function():
    table, _, _ = call("-e", "uprobe:handle//alias=work/", "-e", "uretprobe:handle", "--perins", program="probes")
    assert set(table) == {"work"}, table
    rows = [row for row in call("-e", "uprobe:handle", "-e", "uretprobe:handle", "--perins",
                                program="probes")[2][-1]["functions"]]
    assert [row["calls"] for row in rows] == [1000, 500, 250] and len({row["tid"] for row in rows}) == 3, rows


def check_system_calls(result, source):
    table, _, lines = tables_of(result)
    assert lines[-1]["source"] == source, lines[-1]["source"]
    for name, calls in (("getppid", 1000), ("dup", 200), ("sched_yield", 800), ("readv", 1)):
        assert (table[name]["calls"], table[name]["returned"]) == (calls, calls), table[name]
        assert callers_of(table[name]) == {None: calls}, table[name]
    # (The ends of threads and programs.)
    assert table["exit_group"]["cut"] == table["exit_group"]["calls"] >= 1, table["exit_group"]


def test_each_system_call_is_a_function():
    words = ["trace", "--json", "--impl", "call", *CALLS]
    check_system_calls(run(own_sprof(), *words, "--source", "ptrace", "--", own_target("syscalls"), **as_plain_user()), "ptrace")
    check_system_calls(run(*with_tracefs(), SPROF, *words, "--source", "perf", "--", target("syscalls")), "tracepoints")


def test_system_calls_of_functions():
    table = call_beside_tracepoints(*functions("naps", "snooze"), parts=["naps"])
    assert callers_of(table["snooze"]) == {"naps": 3} and callers_of(table["clock_nanosleep"]) == {"snooze": 3}, table
    assert table["clock_nanosleep"]["min_ns"] >= 20e6 and table["snooze"]["self_ns"] < table["snooze"]["total_ns"] / 2, table
    table = call_beside_tracepoints(*functions("work_in_child"), parts=["fork"])
    assert callers_of(table["clone"]) == callers_of(table["wait4"]) == {"work_in_child": 1}, "a child is not in clone()"


def test_a_key():
    """The stack is that of the key: of each argument, whoever calls."""
    rows = call("-e", "uprobe:work//key=7/,uretprobe:work//key=7/", "-e", "uprobe:leaf//key=7/,uretprobe:leaf//key=7/",
                "--perins", parts=["work"])[2][-1]["functions"]
    assert {(row["function"], row["key"], row["calls"]) for row in rows} == {("work", 7, 100), ("leaf", 7, 300)}, rows
    assert not any("threads" in row for row in rows), rows
    text = sprof("trace", "--impl", "call", "-k", "_pid+0*_tid", *functions("work"), "--perins", "--", target("callers"),
                 "work").check(7).text()
    assert "_pid+0*_tid  comm  function" in text, text


def test_latencies():
    """Each call of a recursion has its own; those above a time are shown, calls within calls as well."""
    table, rows, _ = call(*functions("fib"), impl="call-delay", parts=["recursion"])
    assert [row["calls"] for row in rows] == [177] == [table["fib"]["calls"]], rows
    assert (rows[0]["max_ns"], rows[0]["min_ns"]) == (table["fib"]["max_ns"], table["fib"]["min_ns"]), rows
    table, rows, lines = call(*functions("naps", "snooze"), "--than", "10ms", impl="call-delay", parts=["naps"])
    assert {(row["start"], row["calls"], row["over"]) for row in rows} == {
        ("uprobe:snooze", 3, 3), ("uprobe:naps", 1, 1)}, rows
    assert len([line for line in lines if line.get("line") == "event2"]) == 4, lines
    with tempfile.TemporaryDirectory() as folder:
        text = sprof("trace", "--impl", "call-delay", *functions("work", "leaf"), "--heatmap", f"{folder}/heat", "--limit", "4",
                     "--", target("callers"), "work").check(7).text()
        with open(f"{folder}/heat-uprobe:leaf-uretprobe:leaf.lat", encoding="ascii") as file:
            assert len(file.readlines()) == 300
        assert os.path.exists(f"{folder}/heat.html")
    tree = text[text.rindex("function "):].splitlines()
    assert [line.split()[:2] for line in tree[1:3]] == [["work", "1"], ["leaf", "3"]] and "396 more" in tree[3], text


def memory(*words, program="allocator", parts=(), code=7):
    result = sprof("trace", "--json", "--impl", "kmemprof", *words, "--", target(program), *parts).check(code)
    report = json.loads(result.text().splitlines()[-1])
    assert report["lost"] == 0, report
    return report


def pair(figure):
    return figure["bytes"], figure["objects"]


def figures_of(report, function):
    """Allocated, freed, in use at the peak, not freed, of all stacks that end in the function."""
    found = [stack for stack in report["stacks"] if stack["frames"][:1] == [function]]
    return tuple(tuple(map(sum, zip(*(pair(stack[name]) for stack in found))))
                 for name in ("allocated", "freed", "peak", "not_freed"))


def libc():
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return next(line.split()[-1] for line in maps if "libc.so.6" in line)


def malloc_and_free():
    return ("-e", f'uprobe:malloc@"{libc()}"//size=arg0/stack/', "-e", f'uretprobe:malloc@"{libc()}"//key=ret/',
            "-e", f'uprobe:free@"{libc()}"//key=arg0/')


def test_an_allocator():
    report = memory(*malloc_and_free())
    nothing = (0, 0)
    assert figures_of(report, "keep") == ((5000, 50), nothing, (5000, 50), (5000, 50)), report
    assert figures_of(report, "make_temporary") == ((100000, 100), (100000, 100), nothing, nothing), report
    assert figures_of(report, "make_peak") == ((240000, 60), (240000, 60), (240000, 60), nothing), report
    assert pair(report["totals"]["peak"]) == (245000, 110) and report["totals"]["temporary"]["objects"] >= 100, report


def test_the_code_that_frees():
    """A stack of the free's event, too."""
    *allocation, free = malloc_and_free()
    report = memory(*allocation, free + "stack/")
    found = {stack["frames"][0]: pair(stack["released"]) for stack in report["stacks"] if stack["released"]["objects"]}
    assert found.get("make_temporary") == (100000, 100) and found.get("make_peak") == (240000, 60), report
    text = sprof("trace", "--impl", "kmemprof", *allocation, free + "stack/", "--", target("allocator")).check(7).text()
    assert "which code frees most:" in text, text


def test_memory_of_threads_and_processes():
    report = memory(*malloc_and_free(), parts=["threads"])
    assert figures_of(report, "keep")[0] == figures_of(report, "keep")[3] == (15000, 150), report
    assert figures_of(report, "hand_over")[:2] == ((24000, 120), (24000, 120)), "others free them"
    report = memory(*malloc_and_free(), parts=["exec", "jump"])
    assert pair(report["totals"]["gone_by_exec"]) == (5000, 50), report["totals"]
    report = memory(*malloc_and_free(), parts=["fork"])
    assert figures_of(report, "run_child")[:2] == ((300, 1), (300, 1)), "the child frees its copy"
    assert figures_of(report, "leave_in_child")[3] == (50, 5), report


def test_one_event_with_size_and_address():
    """handle(index, caller): of main a begin of index bytes, of the thread its end."""
    report = memory("-e", "uprobe:handle/arg1==1/size=arg0/key=arg0+1/", "-e", "uprobe:handle/arg1==2/key=arg0+1/",
                    program="probes")
    assert pair(report["totals"]["allocated"]) == (sum(range(1000)), 1000), report["totals"]
    assert pair(report["totals"]["freed"]) == (sum(range(500)), 500), report["totals"]
    assert report["unknown_frees"] == report["null_frees"] == report["failed"] == 0, report


def test_system_calls_that_map_memory():
    """Without any right."""
    result = run(own_sprof(), "trace", "--json", "--impl", "kmemprof", "-e", "syscalls:sys_enter_mmap//size=args[1]/stack/",
                 "-e", "syscalls:sys_exit_mmap//key=ret/", "-e", "syscalls:sys_enter_munmap//key=args[0]/", "--",
                 own_target("probes"), **as_plain_user())
    report = json.loads(result.check(7).text())
    found = [stack for stack in report["stacks"] if "touch_pages" in stack["frames"]]
    assert [pair(stack["not_freed"]) for stack in found] == [(200 * 4096, 1)], report["stacks"]


def test_text():
    text = sprof("trace", "--impl", "kmemprof", *malloc_and_free(), "--", target("allocator")).check(7).text()
    for words in ("by breakpoints at 3 events", "which code allocates most", "5000 bytes in 50 objects were not freed"):
        assert words in text, text
    result = sprof("trace", "--json", "-i", "1ms", "--impl", "kmemprof", *malloc_and_free(), "--", target("allocator")).check(7)
    times = [json.loads(line)["time_ns"] for line in result.text().splitlines()]
    assert times == sorted(times), times
    text = sprof("trace", "--impl", "call", *functions("work", "leaf"), "-i", "1ms", "--", target("callers"), "work").check(7).text()
    assert "<- work" in text.splitlines()[-1] or "<- [unwatched]" in text, text


def test_bad_input():
    pair_of = ("-e", "syscalls:sys_enter_read", "-e", "syscalls:sys_exit_read")
    cases = [
        (("--impl", "call", "-e", "proc:exit"), "two events"),
        (("--impl", "call", "-e", "sched:off,sched:on,proc:exit"), "two events"),
        (("--impl", "call", "-e", "sched:off,sched:on", "-e", "proc:exit"), "two events"),
        (("--impl", "call-delay", "--cycle", *pair_of), "--cycle"),
        (("--impl", "call", "--than", "1ms", *pair_of), "--than"),
        (("--impl", "call", "--heatmap", "x", *pair_of), "--heatmap"),
        (("--impl", "call", "-e", "syscalls:sys_enter_read//key=fd/,syscalls:sys_exit_read"), "keys"),
        (("--impl", "kmemprof", "-e", "proc:exit"), "two -e"),
        (("--impl", "kmemprof", *pair_of), "size="),
        (("--impl", "kmemprof", "-e", "syscalls:sys_enter_mmap//size=1/", *pair_of), "key="),
        (("--impl", "kmemprof", "-e", "syscalls:sys_enter_mmap//size=args[1]/key=1/", "-e",
          "syscalls:sys_enter_munmap//key=1/", "--per-thread"), "--per-thread"),
        (("--impl", "kmemprof", "-e", "syscalls:sys_enter_mmap//size=args[1]/key=1/", "-e",
          "syscalls:sys_enter_munmap//key=1/", "--than", "1ms"), "--than"),
        (("--impl", "kmemprof", "-e", "kmem:kmalloc//size=bytes_alloc/key=ptr/", "-e", "kmem:kfree//key=ptr/"), "kernel's own"),
        (("--impl", "calls", *pair_of), "not one of"),
    ]
    for words, said in cases:
        check_error(sprof("trace", *words, "--", "true"), 64, said)


if __name__ == "__main__":
    main()
