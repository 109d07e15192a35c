"""Where samples were: on which CPU, and at which address, as the file has it and as the process had it."""

import json
import os
import re
import signal

from harness import Attached, Program, check_error, check_near, main, perf_opens, require_machine, sprof, tool, wait_for_cpu
from subjects import build, command

# Two threads, each on one CPU, for half a second of CPU time, or as many as is asked for; the second one sleeps at last.
PINNED = """
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sum;
static double seconds = 0.5;

static void *spin(void *data)
{
    struct timespec now;
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(atoi(data), &one);
    if (sched_setaffinity(0, sizeof(one), &one)) exit(2);
    do {
        for (int i = 0; i < 100000; i++) sum++;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while (now.tv_sec + now.tv_nsec / 1e9 < seconds);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;

    if (argc > 3) seconds = atof(argv[3]);
    pthread_create(&thread, NULL, spin, argv[1]);
    spin(argv[2]);
    pthread_join(thread, NULL);
    nanosleep(&(struct timespec){0, 300000000}, NULL);
}
"""


def groups_by(label, *options):
    text = sprof("report", "x.pb.gz", "-f", "json", "--by", label, *options).check(0).text()
    return json.loads(text)["by"]["groups"]


def check_cpus(*options):
    """Each thread ran on its CPU, no time is on another, and no sleep is on any."""
    cpus = sorted(os.sched_getaffinity(0))[:2]
    require_machine(len(cpus) == 2, "there is one CPU")
    build("pinned", "-O1", "-pthread", source=PINNED)
    sprof("run", "--cpus", "-r", 199, *options, "-o", "x.pb.gz", "--", "./pinned", *cpus).check(0)
    groups = {group["name"]: group["values"] for group in groups_by("cpu")}
    ran = {name: values["user"] + values["sys"] for name, values in groups.items()}
    spins = sum(ran[str(cpu)] for cpu in cpus)
    assert set(groups) <= {None, *map(str, range(os.cpu_count()))}, groups
    # (Before it says where it wants to be, it may run anywhere.)
    assert spins >= 0.8 * sum(ran.values()), groups
    for cpu in cpus:
        check_near(ran[str(cpu)] / 1e9, 0.5, 0.2, f"CPU time on CPU {cpu}")
        assert groups[str(cpu)]["wait"] <= 0.2 * ran[str(cpu)], groups
    assert groups[None]["wait"] >= 0.2e9, groups


def test_cpus_by_stops():
    check_cpus()


def test_cpus_by_the_kernel():
    require_machine(perf_opens(with_kernel=True), "the kernel gives no timers here")
    check_cpus("--source", "kernel")


def test_no_cpus_unless_asked_for():
    build("pinned", "-O1", "-pthread", source=PINNED)
    cpu = min(os.sched_getaffinity(0))
    sprof("run", "-o", "x.pb.gz", "--", "./pinned", cpu, cpu).check(0)
    check_error(sprof("report", "x.pb.gz", "--by", "cpu"), 64, "no sample has the label cpu")


ADDRESS = re.compile(r"(\S+) 0x([0-9a-f]+) \(was 0x([0-9a-f]+)\) (.*)")


def mappings(pid):
    """[(begin, end, path)] of the executable mappings."""
    with open(f"/proc/{pid}/maps", encoding="ascii") as file:
        lines = [line.split(maxsplit=5) for line in file]
    return [(*(int(part, 16) for part in line[0].split("-")), line[5].strip())
            for line in lines if "x" in line[1] and len(line) == 6]


def check_addresses(*flags):
    """The file's address is in the function for addr2line; the process's is where maps has that file."""
    build("pinned", "-O1", "-g", "-pthread", *flags, source=PINNED)
    cpu = min(os.sched_getaffinity(0))
    program = Program(["./pinned", str(cpu), str(cpu), "1000"])
    wait_for_cpu(program.pid, 0.1)
    maps = mappings(program.pid)
    attached = Attached(program.pid, "-r", 499, "-o", "x.pb.gz")
    wait_for_cpu(program.pid, 0.2)
    attached.stop().check(0)
    program.signal(signal.SIGKILL)
    program.wait()
    found = [ADDRESS.fullmatch(group["name"]) for group in groups_by("address") if group["name"]]
    # addr2line knows no entries of the procedure linkage table.
    own = [match for match in found
           if match and match.group(1) == "pinned" and not match.group(4).endswith("@plt")]
    assert own and {match.group(4) for match in own} >= {"main", "spin"}, found
    for match in own:
        name = command(tool("addr2line"), "-f", "-e", "pinned", match.group(2)).splitlines()[0]
        assert name == match.group(4), (match.group(0), name)
    for match in filter(None, found):
        was = int(match.group(3), 16)
        assert any(begin <= was < end and os.path.basename(path) == match.group(1)
                   for begin, end, path in maps), (match.group(0), maps)
    return {int(match.group(3), 16) - int(match.group(2), 16) for match in own}


def test_addresses_of_a_pie():
    biases = check_addresses("-fPIE", "-pie")
    assert len(biases) == 1 and biases.pop() % 4096 == 0


def test_addresses_without_pie():
    assert check_addresses("-no-pie") == {0}


if __name__ == "__main__":
    main()
