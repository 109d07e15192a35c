"""--waits=exact beside perf's own records of the same switches: number and length of the waits, to a percent."""

import os
import re
import subprocess

from harness import SPROF, Skip, check_near, main, target, tool
from test_exact_waits import EXACT, off_cpu, require_stacks


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


if __name__ == "__main__":
    main()
