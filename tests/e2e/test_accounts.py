"""What is wait and what is not: against the kernel's own figures of one thread, as the program read them."""

import json
import os
import re
import sys

from harness import Target, check_near, main, sprof, target, wait_until, with_fault

NS = 1e-9
ENDS = 0.3  # seconds before the program's first and behind its last look at its own figures


def profile(rate, *words, faults=None):
    """The sums of a profile of `loop`, its report, and what the kernel told the program."""
    env = with_fault(faults) if faults else None
    result = sprof("run", "-r", rate, "-o", "x.json", "-o", "x.txt", "--", target("loop"), *words, env=env)
    said = re.search(r"^(\d+) (\d+) (\d+) (\d+)$", result.check(0).text(), re.MULTILINE)
    truth = dict(zip(("cpu", "runq", "switches", "there"), map(int, said.groups())))
    with open("x.json", encoding="utf-8") as file:
        exact = json.load(file)
    sums = {name: sum(row["values"][name] for row in exact["rows"]) for name in exact["rows"][0]["values"]}
    with open("x.txt", encoding="utf-8") as file:
        report = file.read()
    parts = ("user", "sys", "runq", "wait", "stolen")
    assert sum(sums[name] for name in parts) == sums["wall"], sums
    return sums, report, truth


def check_cpu_time(sums, truth):
    check_near((sums["user"] + sums["sys"]) * NS, truth["cpu"] * NS, ENDS, "CPU time")


def test_a_loop_waits_for_nothing():
    """However often it is stopped, preempted, or its CPU is taken by others: it computed, or it was in the queue."""
    for rate in (99, 5000):
        sums, _, truth = profile(rate, 1000)
        check_cpu_time(sums, truth)
        check_near(sums["runq"] * NS, truth["runq"] * NS, ENDS, "run queue")


def test_short_naps_are_wait():
    for rate in (99, 999):
        sums, _, truth = profile(rate, 2000, 100)
        check_cpu_time(sums, truth)
        slept = truth["there"] - truth["cpu"] - truth["runq"]
        check_near((sums["wait"] + sums["stolen"]) * NS, slept * NS, 2 * ENDS, "wait and stolen")
        assert sums["wait"] > 0.3 * slept, (rate, sums, truth)


def test_kernel_without_schedstat():
    """The CPU time is that of stat, in ticks; the run queue is unknown, and said to be."""
    for faults in ("schedstat:2:1+", "schedstat-zeros:0:1+"):
        sums, report, truth = profile(99, 1000, faults=faults)
        check_cpu_time(sums, truth)
        assert sums["runq"] == 0, sums
        assert "run queue   unknown" in report, report
        assert re.search(r"\d+ by a stop", report) and " spin" in report, report
        sums, report, truth = profile(99, 2000, 20000, faults=faults)
        assert sums["wait"] > 0.5 * (truth["there"] - truth["cpu"] - truth["runq"]), (sums, truth)
        assert " nap" in report and " 0 by a peek" not in report, report


def test_a_leader_that_has_ended_waits_no_more():
    program = Target("leaderless")
    sprof("attach", "-d", "2s", "-p", program.pid, "-o", "x.json").check(0)
    check_leader_row(program)
    run = Target("leaderless", before=[target("../../cmd/sprof"), "run", "-d", "2s", "-o", "y.json", "--"])
    wait_until(lambda: os.path.exists("y.json"), "the profile")
    os.rename("y.json", "x.json")
    check_leader_row(run)


def check_leader_row(program):
    program.finish().check(0)
    with open("x.json", encoding="utf-8") as file:
        exact = json.load(file)
    walls = [0] * len(exact["threads"])
    for row in exact["rows"]:
        walls[row["thread"]] += row["values"]["wall"]
    leaders = [wall for wall, thread in zip(walls, exact["threads"])
               if thread["tid"] == exact["processes"][thread["process"]]["pid"]]
    assert sum(leaders) < 0.6 * max(walls), walls


COUNTED = """
import os, resource, signal
signal.signal(signal.SIGUSR1, lambda *_: None)
memory = bytearray(60 << 20)
for _ in range(5):
    os.kill(os.getpid(), signal.SIGUSR1)
with open("data", "wb") as file:
    file.write(memory[:4 << 20])
    os.fsync(file.fileno())
del memory
for _ in range(2):  # the second time, all of this code is in memory
    with open("/proc/self/io") as file:
        figures = dict(line.split(": ") for line in file)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    text = f"{peak} {int(figures['read_bytes'])} {int(figures['write_bytes'])}\\n"
os.write(1, text.encode())
os._exit(0)
"""
PAGED_IN = 64 << 10  # at most so much of the C library and the interpreter is read after that


def test_peak_disk_and_signals():
    """Of the process, as it knows them itself; in a saved profile, too."""
    result = sprof("run", "-o", "counted.pb.gz", "--", sys.executable, "-c", COUNTED).check(0)
    peak, read, written = map(int, result.text().split())
    report = sprof("report", "counted.pb.gz", "-f", "text").check(0).text()
    line = next(line for line in report.splitlines() if " max rss " in line)
    units = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}
    figures = {name: float(value) * units[unit] for name, value, unit in re.findall(
        r"(max rss|read from disk|written to disk) ([0-9.]+) (\w+)", line)}
    check_near(figures["max rss"], peak, 0.01 * peak, "max rss")
    assert 0.99 * read <= figures.get("read from disk", 0) <= 1.01 * read + PAGED_IN, (figures, read)
    check_near(figures.get("written to disk", 0), written, 0.01 * written, "written to disk")
    assert line.endswith(", 5 signals"), line


def test_a_peak_is_not_that_of_a_child():
    """The kernel's figure of a process that has ended is that of its largest child, if that is larger."""
    size = 150 << 20
    child = f"bytearray(b'x') * {size}"
    sprof("run", "-o", "x.txt", "--", "sh", "-c", f"{sys.executable} -c \"{child}\"; exit 0").check(0)
    with open("x.txt", encoding="utf-8") as file:
        found = re.findall(r"(\w+)[.\w]*\n +max rss ([0-9.]+) (\w+)", file.read())
    peaks = {name: float(value) * {"kB": 1e3, "MB": 1e6, "GB": 1e9}[unit] for name, value, unit in found}
    assert peaks.pop("sh") < size / 3 and max(peaks.values()) > size, peaks


if __name__ == "__main__":
    main()
