"""
Whose an event is: random programs of threads and processes that begin, end and execute in any order, whose own log says
what each has done. Every count is at its right owner, exact.

Of a thread whose end the kernel doesn't report, because another one has executed a program, nobody can ask for the
name that it had last: it has one that it had.
"""

import collections
import json
import os

from harness import SPROF, main, random_numbers, require_machine, run, sprof, target, with_tracefs

PROGRAMS = int(os.environ.get("SPROF_TEST_OWNERS", "20"))
HALF, FEW = max(PROGRAMS // 2, 1), max(PROGRAMS // 10, 1)  # of what takes longer, and of what takes long
THREADS, PROCESSES, STEPS, DEPTH = 8, 6, 30, 3
EVERY = ("--max-overhead", "0")  # on a busy machine, windows would leave calls out
CALL = ("-e", "syscalls:sys_enter_getppid", "-e", "syscalls:sys_exit_getppid")

KINDS = "cccwwwnneEhfrx"
SPARE = 50  # times that a thread may get a CPU before its first count and after its last one, on a busy machine
FEW_MISSING = 3
MOST_DRAWN = 3

Owner = collections.namedtuple("Owner", "pid tid name steps slices is_followed")


class Plan:
    """A random plan of tests/targets/owners.c."""

    def __init__(self, numbers, threads=THREADS, processes=PROCESSES, kinds=KINDS):
        self.numbers, self.names, self.threads, self.processes = numbers, 0, threads, processes
        self.kinds = kinds
        self.text = self.process(0)

    def name(self):
        self.names += 1
        return f"o{self.names}"

    def process(self, depth):
        """The plan of one process, up to its end or an exec."""
        words, alive, count, leader = [f"w0:{self.numbers.randint(1, STEPS)}"], [0], 1, 0
        for _ in range(self.numbers.randint(3, 14)):
            thread = self.numbers.choice(alive)
            kind = self.numbers.choice(self.kinds)
            if kind == "c" and count < self.threads:
                words.append(f"c{self.name()}")
                alive.append(count)
                count += 1
            elif kind == "w":
                words.append(f"w{thread}:{self.numbers.randint(1, STEPS)}")
            elif kind == "n":
                words.append(f"n{thread}:{self.name()}")
            elif kind in "eE" and thread != leader:
                words.append(f"{kind}{thread}")
                alive.remove(thread)
            elif kind == "h":
                words.append(f"h{thread}")
                leader = thread
            elif kind == "r":
                words.append("r")
            elif kind in "fx" and depth < DEPTH and self.processes > 1:
                self.processes -= 1
                who = "" if kind == "f" else f"{thread}:"
                words.append(f"{kind}{who}{self.name()}({self.process(depth + 1)})")
                if kind == "x":
                    break
        return " ".join(words)


def truth():
    """The log. The last word: its process's first thread, whose id another one has got by an exec."""
    owners, last = [], set()
    with open("log", encoding="utf-8") as file:
        for line in reversed(file.readlines()):
            pid, tid, name, steps, _, slices = line.split()
            owners.append(Owner(int(pid), int(tid), name, int(steps), int(slices), pid == tid and pid in last))
            if pid == tid:
                last.add(pid)
    os.remove("log")
    return owners


def check(found, owners, plan):
    """`found`: of each row a thread's id, its name and a count."""
    left = collections.Counter(found)
    certain = collections.Counter(
        (owner.tid, owner.name, owner.steps) for owner in owners if owner.steps and not owner.is_followed)
    missing, left = certain - left, left - certain
    counts, steps = collections.Counter(), collections.Counter()
    for (tid, name, count), times in left.items():
        assert name not in ("", "-", "?"), (plan, left)
        counts[tid] += count * times
    for owner in owners:
        if owner.is_followed:
            steps[owner.tid] += owner.steps
    assert not missing and counts == +steps, f"{plan}\nmissing: {missing}\nleft: {left}\nlog: {owners}"


def rows_of(result):
    tables = [json.loads(line) for line in result.text().splitlines() if line.startswith("{")]
    return tables[-1]


def known(table, rows):
    """None: the kernel has lost records, and sprof says so."""
    return None if table["lost"] else rows


def watch(how, count=PROGRAMS, **sizes):
    """Runs as many random programs: how(command) gives the rows of one. Some are judged, whatever the kernel loses."""
    numbers, judged = random_numbers(), 0
    for _ in range(count):
        plan = Plan(numbers, **sizes).text
        found, owners = how([target("owners"), "log", plan]), truth()
        if found is None:
            print("     the kernel has lost records")
        else:
            check(found, owners, plan)
            judged += 1
    assert judged, "the kernel has lost records of every program"


def syscalls(*options, before=()):
    def rows(command):
        result = run(*before, SPROF, "syscalls", *options, "-e", "getppid", "--per-thread", "--json", "--", *command)
        table = rows_of(result.check(0))
        return known(table, [(row["tid"], row["comm"], row["calls"]) for row in table["rows"]])
    return rows


def trace(*options, before=(), events=CALL):
    def rows(command):
        result = run(*before, SPROF, "trace", *options, *events, "--per-thread", "--json", "--", *command).check(0)
        tables = [json.loads(line) for line in result.text().splitlines() if line.startswith("{")]
        table = [table for table in tables if "rows" in table][-1]
        return known(table, [(int(row["key"]), row["comm"], row["calls"]) for row in table["rows"]])
    return rows


def calls(*options):
    def rows(command):
        table = rows_of(sprof("calls", *options, "-F", "owners_step", "--per-thread", "--json", "--", *command).check(0))
        return known(table, [(row["tid"], row["comm"], row["calls"]) for row in table["functions"]])
    return rows


def of_profile(weight, function):
    """The threads' own values of a saved profile."""
    counts = collections.Counter()
    text = sprof("report", "--weight", weight, "-t", "-f", "folded", "x.pb.gz").check(0).text()
    for line in text.splitlines():
        stack, value = line.rsplit(" ", 1)
        frames = stack.split(";")
        if frames[-1] == function:
            name, ids = frames[0].rsplit("-", 1)
            counts[int(ids.split("/")[1]), name] += int(value)
    return [(tid, name, count) for (tid, name), count in counts.items()]


def saved_calls(command):
    sprof("syscalls", "--source", "ptrace", "-e", "getppid", "-o", "x.pb.gz", "--", *command).check(0)
    return of_profile("calls", "[getppid]")


def allocations(command):
    report = rows_of(sprof("heap", "--exact", "--breakpoints", "--json", "-o", "x.pb.gz", "--", *command).check(0))
    assert report["lost"] == 0, report
    return of_profile("alloc_objects", "owners_step")


def test_system_calls_by_stops():
    watch(syscalls("--source", "ptrace"))


def test_system_calls_by_tracepoints():
    watch(syscalls("--source", "perf", before=with_tracefs()), HALF)


def test_pairs_by_tracepoints():
    watch(trace("--source", "perf", before=with_tracefs()), HALF)


def test_pairs_by_stops():
    watch(trace("--source", "ptrace"))


def test_calls():
    watch(calls(*EVERY))


def test_an_id_that_is_given_again_at_once():
    """An exec has given it back, but has not reported that."""
    require_machine(os.geteuid() == 0, "only root can choose ids")
    stops, records = ("--source", "ptrace"), ("--source", "perf")
    found = [rows([target("exec-reused")]) for rows in (
        syscalls(*stops), trace(*stops), syscalls(*records, before=with_tracefs()), trace(*records, before=with_tracefs()))]
    assert None not in found[:2], "stops lose no records"
    for rows in found:
        assert rows is None or sorted(count for _, _, count in rows) == [7, 8], found


def test_a_profile_of_system_calls():
    watch(saved_calls)


def test_allocations():
    watch(allocations, FEW)


def timeline(plan):
    """Its calls have the thread's id, which may be two threads' one after the other."""
    sprof("calls", "--breakpoints", *EVERY, "-F", "owners_step", "--timeline", "calls.json", "--", target("owners"),
          "log", plan).check(0)
    with open("calls.json", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    return collections.Counter((event["pid"], event["tid"]) for event in events if event["ph"] == "X")


def test_a_timeline():
    numbers = random_numbers()
    for _ in range(FEW):
        plan = Plan(numbers).text
        counts, steps = timeline(plan), collections.Counter()
        for owner in truth():
            steps[owner.pid, owner.tid] += owner.steps
        assert counts == +steps, f"{plan}\n{counts}\n{steps}"


def check_slices(found, owners, plan):
    """
    `found`: of each id how often its owner has got a CPU, one after the other. What came before and after the
    owner's own count is not in it; a wake-up that just meets the sleep may be missing.
    """
    of_ids = collections.defaultdict(list)
    for owner in owners:
        of_ids[owner.tid].append(owner.slices)
    assert set(found) <= set(of_ids), (plan, found, owners)
    for tid, slices in of_ids.items():
        counts = sorted(found.get(tid, []))
        counts = [0] * (len(slices) - len(counts)) + counts
        pairs = list(zip(sorted(slices), counts))
        assert len(counts) == len(slices) and all(
            low - low // 10 - FEW_MISSING <= count <= 2 * low + SPARE for low, count in pairs), (
                f"{plan}\n{found}\n{owners}")


def delays(plan, before):
    """How often each thread of a plan has got a CPU; None: records are lost, or wake-ups without one."""
    result = run(*before, SPROF, "rundelay", "--per-thread", "--json", "--", target("owners"), "log", plan,
                 env=dict(os.environ, OWNERS_NAP="1")).check(0)
    table, counts = rows_of(result), collections.Counter()
    for row in table["rows"]:
        if "tid" in row:
            counts[row["tid"], row["comm"]] += row["calls"]
    found = collections.defaultdict(list)
    for (tid, _), count in counts.items():
        found[tid].append(count)
    return None if table["lost"] or table["dropped"] or table["unseen"] else found


def test_delays_by_tracepoints():
    """Not of the processes that the program starts. Where records are lost, further programs are drawn."""
    numbers, judged, drawn = random_numbers(), 0, 0
    while judged < HALF and drawn < MOST_DRAWN * HALF:
        drawn += 1
        plan = Plan(numbers, kinds=KINDS.replace("f", "")).text
        found, owners = delays(plan, with_tracefs()), truth()
        if found is None:
            print("     the kernel has lost records")
        else:
            check_slices(found, owners, plan)
            judged += 1
    assert judged, "the kernel has lost records of every program"


def table_with_keys(*options, before=()):
    """A program whose threads end in another order than they begin: rows of keys, and who has which id."""
    plan = "w0:3 cone w1:4 ctwo w2:5 cthree w3:6 e2 e1 e3"
    result = run(*before, SPROF, "trace", *options, "--per-thread", "--json", "--", target("owners"), "log", plan).check(0)
    tables = [json.loads(line) for line in result.text().splitlines() if line.startswith("{")]
    table = [table for table in tables if "rows" in table or "functions" in table][-1]
    return table, {owner.tid: owner.name for owner in truth()}


def check_names(table, names, least):
    """Every thread has a row of its name, apart from `least`, and no row is another's."""
    rows = table["rows"] if "rows" in table else table["functions"]
    found = {int(row["key"]): row["comm"] for row in rows}
    assert len(found) == len(rows), rows
    for tid, name in found.items():
        assert name == names.get(tid, name) and name not in ("", "-"), (tid, found, names)
    assert table["lost"] or set(names) - set(found) <= least, (found, names)


def test_keys_that_are_ids():
    """A key that is a thread's id has that thread's name, whoever had the event."""
    stops = ("--source", "ptrace")
    table, names = table_with_keys(*stops, "-e", "proc:clone//key=child_pid/", "-e", "proc:exit//key=_tid/")
    check_names(table, names, {tid for tid, name in names.items() if name == "first"})
    table, names = table_with_keys(*stops, "-k", "_tid", *CALL)
    check_names(table, names, set())
    table, names = table_with_keys(*stops, "--impl", "call", "-k", "_tid", *CALL)
    check_names(table, names, set())


def test_keys_of_others():
    """The scheduler's events of our threads are of others, too, which have no rows unless a filter asks for ids."""
    switches = ("-e", "sched:sched_switch//key=next_pid/", "-e", "sched:sched_switch//key=prev_pid/")
    table, names = table_with_keys("--source", "perf", *switches, before=with_tracefs())
    check_names(table, names, set())
    assert {int(row["key"]) for row in table["rows"]} <= set(names), (table, names)
    asked = ("-e", "sched:sched_switch/prev_pid>=0/key=next_pid/", "-e", "sched:sched_switch/prev_pid>=0/key=prev_pid/")
    table, names = table_with_keys("--source", "perf", *asked, before=with_tracefs())
    check_names(table, names, set())
    wakeups = ("-e", "sched:sched_wakeup", "-e", "sched:sched_switch")
    table, names = table_with_keys("--source", "perf", *wakeups, before=with_tracefs())
    check_names(table, names, set(names))


if __name__ == "__main__":
    main()
