"""A sleeper is never stopped: not to the kernel's own count, and no call of it shows that it was looked at."""

import json
import os
import time

from harness import (PROFILE, SPROF, Program, Target, attach_for, check_quality, main, read_profile, run, sprof, state_of,
                     threads_of, tool, wait_until)

WAITS = {"epoll": "wait_epoll", "poll": "wait_poll", "futex": "wait_futex", "nap": "wait_nap",
         "read": "wait_read", "recv": "wait_recv", "alloca": "wait_with_alloca",
         "write": "wait_write", "writev": "wait_writev", "send": "wait_send",
         "terminal": "wait_write"}
MEGABYTE = 1 << 20
NAP_S = 8  # as in tests/targets/framed.c
RESULTS = {"epoll": 1, "poll": 1, "futex": 0, "nap": 0, "read": 1, "recv": 1, "alloca": 1,
           "write": MEGABYTE, "writev": MEGABYTE, "send": MEGABYTE, "terminal": MEGABYTE}

# vfork(3) keeps its return address in a register: the child has the same stack.
VFORK = """
#include <unistd.h>
__attribute__((noinline)) int starts(int count)
{
	char byte;

	if (!vfork())
		_exit(write(1, "ready\\n", 6) != 6 || read(0, &byte, 1) < 0);
	return count + 1;
}
int main(int count, char *arguments[]) { return starts(count) - 2; }
"""


def thread_name(pid, tid):
    with open(f"/proc/{pid}/task/{tid}/comm", encoding="utf-8") as file:
        return file.read().strip()


def timeslices(pid):
    """By the name of each thread, how often it was given a CPU."""
    counts = {}
    for tid in threads_of(pid):
        with open(f"/proc/{pid}/task/{tid}/schedstat", encoding="utf-8") as file:
            counts[thread_name(pid, tid)] = int(file.read().split()[2])
    return counts


def naps_ended(pid):
    """How many naps of tests/targets/framed may have ended since it was started; proc_pid_stat(5)."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        started = int(file.read().rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
    return (time.clock_gettime(time.CLOCK_BOOTTIME) - started) // NAP_S


def check_asleep(pid, before):
    after = timeslices(pid)
    ran = {name: count - before[name] for name, count in after.items() if count != before[name]}
    if ran.get("nap", 0) <= naps_ended(pid):
        ran.pop("nap", None)
    assert not ran, f"sleepers that ran, and how often: {ran}"


def start(*before):
    """tests/targets/framed, all of whose threads sleep."""
    program = Target("framed", before=before)
    pid = int(program.said[0])
    wait_until(lambda: set(timeslices(pid)) >= set(WAITS) and
               all(state_of(pid, tid) == "S" for tid in threads_of(pid)), "all threads sleep",
               lambda: {thread_name(pid, tid): state_of(pid, tid) for tid in threads_of(pid)})
    return program, pid


def check_results(program):
    """Each call did all that it was asked for, as if nobody had looked."""
    results = json.loads(program.finish().check(0).text().splitlines()[-1])
    assert results == RESULTS, f"calls that noticed: {results}"


def check_stacks(folded, stats):
    """All frames of all of them, from the call to the thread's start."""
    check_quality(stats, threads=1 + len(WAITS))
    for name, function in WAITS.items():
        stacks = [stack for stack, _ in folded.stacks if stack[0].startswith(name + "-")]
        assert stacks, f"{name} has no samples"
        for stack in stacks:
            at = stack.index("worker")
            below = ["wait_below"] if name == "alloca" else []
            assert stack[at:at + 4 + len(below)] == ["worker", "outer", "middle", *below, function], f"{stack}"


def test_under_attach():
    program, pid = start()
    before = timeslices(pid)
    folded, stats = attach_for("1s", pid, "--threads")
    check_asleep(pid, before)
    check_stacks(folded, stats)
    check_results(program)


def test_under_run():
    """The waits end behind the sampling, and begin before its first tick: a writer that runs may be stopped in its write."""
    program, pid = start(SPROF, "run", "--rate", "5", "-d", "1500ms", "--threads", *PROFILE, "--")
    before = timeslices(pid)
    wait_until(lambda: os.path.exists("x.json"), "the profile is written")
    check_asleep(pid, before)
    check_results(program)
    folded, _ = read_profile()
    for function in WAITS.values():
        folded.check(function)


def test_under_dump():
    program, pid = start()
    before = timeslices(pid)
    for _ in range(5):
        text = sprof("dump", "-p", pid).check(0).text()
        for function in WAITS.values():
            assert function in text, f"{function} not in:\n{text}"
        assert text.count("outer at") == len(WAITS), text
    check_asleep(pid, before)
    check_results(program)


def test_in_vfork():
    """A parent that waits for its child to exec has a whole stack, too."""
    with open("vfork.c", "w", encoding="utf-8") as file:
        file.write(VFORK)
    run(tool("cc"), "-O1", "-w", "-o", "vfork", "vfork.c").check(0)
    program = Program(["./vfork"])
    assert program.line() == "ready"
    wait_until(lambda: state_of(program.pid) == "D", "it waits for its child")
    sprof("attach", "-p", program.pid, "-r", "499", "-d", "0.2s", "-o", "x.json", "--stats", "x.stats").check(0)
    with open("x.stats", encoding="utf-8") as file:
        stats = json.load(file)
    assert stats["stops"] == 0 and stats["stacks_truncated"] == 0, stats
    threads = json.loads(sprof("dump", "-p", program.pid, "--json").check(0).text())["processes"][0]["threads"]
    names = [frame["function"] for frame in threads[0]["stack"]]
    assert names[1:3] == ["starts", "main"] and threads[0]["stack_end"] == "root", threads


if __name__ == "__main__":
    main()
