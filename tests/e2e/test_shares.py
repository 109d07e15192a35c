"""A program with known shares: the report shows them, and its times add up to the kernel's.

The truth is what the target measured of itself by its own clock while it ran, so that a busy
machine moves both sides. Shares of functions come from folded stacks; times per thread from the
text report.
"""

import json

from harness import (PROFILE, ROUNDS, SPROF, Target, check_near, main, median, read_folded, read_profile,
                     run, sprof, target, wait_for_cpu)
from report import read_report
from subjects import build

NEEDS_CPUS = True

POINTS = 0.03
RATE = 299
SECONDS = 2
PARTS = ("part_a", "part_b", "part_c")
KINDS = (("user", "part_a", 0.9), ("sys", "part_c", 0.9), ("wait", "part_b", 0.97))


# The programs below know their own CPU time.
CLOCK = """
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static long cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}
"""

# New pages in one function, which makes no call, and their release in another; for a second of CPU time.
FILLS = CLOCK + """
enum { SIZE = 16 << 20, PAGE = 4096 };

__attribute__((noinline)) static void fill(volatile char *memory)
{
	for (long i = 0; i < SIZE; i += PAGE) memory[i] = 1;
}

__attribute__((noinline)) static void drop(char *memory)
{
	munmap(memory, SIZE);
}

int main(void)
{
	long filling = 0;

	while (cpu_us() < 1000000) {
		char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		long begin;

		madvise(memory, SIZE, MADV_NOHUGEPAGE);
		begin = cpu_us();
		fill(memory);
		filling += cpu_us() - begin;
		drop(memory);
	}
	printf("{\\"fill_us\\": %ld, \\"cpu_us\\": %ld}\\n", filling, cpu_us());
}
"""


# Long calls that don't sleep: each lasts many ticks, and the thread stops only behind it. For two seconds of CPU time.
READS = CLOCK + """
enum { SIZE = 64 << 20, ROUNDS = 2000000 };

__attribute__((noinline)) static void compute(void)
{
	for (volatile int i = 0; i < ROUNDS; i++);
}

__attribute__((noinline)) static long load(int file, char *memory)
{
	return pread(file, memory, SIZE, 0);
}

int main(void)
{
	char *memory = malloc(SIZE);
	int file = memfd_create("reads", 0);
	long loading = 0, begin;

	memset(memory, 1, SIZE);
	if (write(file, memory, SIZE) != SIZE) return 1;
	begin = cpu_us();
	while (cpu_us() < begin + 2000000) {
		long before = cpu_us();

		if (load(file, memory) != SIZE) return 1;
		loading += cpu_us() - before;
		compute();
	}
	printf("{\\"load_us\\": %ld, \\"cpu_us\\": %ld}\\n", loading, cpu_us());
}
"""


def truth_of(result):
    return json.loads(result.check(0).text().splitlines()[-1])


def shares_by_the_program(truth):
    spent = [truth["a_ns"], truth["b_ns"], truth["c_ns"]]
    return [part / sum(spent) for part in spent]


def tolerance(truth):
    """
    As a part of the wall time. What the host of a virtual machine took of a thread that sleeps too can only be
    estimated: so much more, where the program wanted the processor and did not get it.
    """
    wanted, got = truth["a_ns"] + truth["c_ns"], 1000 * (truth["user_us"] + truth["sys_us"])
    return POINTS + max(0, wanted - got) / truth["wall_ns"]


def profile(*options):
    """What `shares` says of itself when sprof profiles it."""
    return truth_of(sprof("run", *options, "--", target("shares"), SECONDS))


def test_the_program_keeps_its_books():
    """Natively: what it says it spent is all there was, or the other tests mean nothing."""
    truth = truth_of(run(target("shares"), 1))
    spent = truth["a_ns"] + truth["b_ns"] + truth["c_ns"]
    check_near(spent, truth["wall_ns"], 0.01 * truth["wall_ns"], "time in the three parts")


def share_errors(folded, truth):
    """By how much the share of each part is off, as a part of what that may be."""
    return {name: (folded.share(name) - expected) / tolerance(truth)
            for name, expected in zip(PARTS, shares_by_the_program(truth))}


def check_totals(truth):
    """Of each kind of time there is as much as the program had."""
    check_near(weighed("user").total / 1e6, truth["user_us"] / 1e6, 0.05 * SECONDS, "user time")
    check_near(weighed("wait").weight("part_b") / 1e6, truth["b_ns"] / 1e9, tolerance(truth) * SECONDS, "wait time")


def own_kinds():
    """How much of each kind of time is in the part that is about it."""
    return {(kind, name): weighed(kind).share(name) for kind, name, _ in KINDS}


def check_usage(report, truth):
    """user + sys of the process is what getrusage(2) said at its end."""
    used = sum(row["user"] + row["sys"] for row in report.threads)
    check_near(used, (truth["user_us"] + truth["sys_us"]) / 1e6, 0.020, "user + sys")


def check_identity(report):
    """user + sys + runq + wait + stolen = wall, except for the rounding of each figure."""
    for row, parts, tolerance in report.sums():
        check_near(parts, row["wall"], tolerance, f"times of {row['name']}")


def check_classes(report):
    """Each part has its kind of time, and nearly no other: no CPU time for a sleeper."""
    part_a, part_b, part_c = (report.functions[name] for name in PARTS)
    assert part_a["user"] > 0.85 * (1 - part_a["runq"] - part_a.get("stolen", 0)), part_a
    assert part_b["wait"] > 0.95, part_b
    assert part_c["sys"] > 0.85 * (1 - part_c["runq"] - part_c.get("stolen", 0)), part_c


def recording():
    """All that is exact is right; returns by how much the shares are off."""
    truth = profile("-r", RATE, "-o", "x.txt", "-o", "x.pb.gz", *PROFILE)
    report, (folded, stats) = read_report("x.txt"), read_profile()
    check_usage(report, truth)
    check_identity(report)
    check_classes(report)
    wall = truth["wall_ns"] / 1e9
    check_near(stats["duration_ns"] / 1e9, wall, 0.02 * wall, "duration")
    check_near(report.threads[0]["wall"], wall, 0.02 * wall, "wall time of the thread")
    check_totals(truth)
    return share_errors(folded, truth), own_kinds()


def test_shares_and_times():
    """The shares are samples of a busy machine: the median of several recordings is judged."""
    errors, kinds = zip(*(recording() for _ in range(ROUNDS)))
    print(f"     errors of the shares, as parts of what they may be: {errors}\n     by kind of time: {kinds}")
    assert all(abs(median(error[name] for error in errors)) <= 1 for name in PARTS), errors
    for kind, name, least in KINDS:
        assert median(shares[kind, name] for shares in kinds) >= least, (kind, name, kinds)


def weighed(kind):
    """The stacks of the saved recording by one kind of time."""
    sprof("report", "x.pb.gz", "--weight", kind, "-o", "y.folded").check(0)
    return read_folded("y.folded")


def test_weight_of_a_run():
    """What a run weighs by is what a report of it weighs by."""
    profile("-o", "x.folded", "-o", "x.pb.gz", "--weight", "user")
    assert sorted(read_folded("x.folded").stacks) == sorted(weighed("user").stacks)


def shares_of_fill():
    """By the program, whose CPU time is nearly all in the kernel, and by the profile."""
    truth = truth_of(sprof("run", "--source", "stop", "-r", 499, "-o", "x.pb.gz", "--", "./fills"))
    summary = " ".join(sprof("report", "x.pb.gz", "-f", "summary").check(0).text().split())
    assert " in fill (page faults)" in summary, summary
    return truth["fill_us"] / truth["cpu_us"], weighed("sys").share("fill")


def test_page_faults_belong_to_the_code_that_they_interrupt():
    """A stop meets it outside the kernel; its system time is not the next call's, or no function's."""
    build("fills", "-O1", "-g", source=FILLS)
    shares = [shares_of_fill() for _ in range(ROUNDS)]
    print(f"     shares of fill: {shares}")
    check_near(median(found - true for true, found in shares), 0, 0.1, "share of fill")


def seconds_of_calls():
    """System time of load, and of compute, which makes no call; and how long load took by its own clock."""
    truth = truth_of(sprof("run", "--source", "stop", "-r", 499, "-o", "x.pb.gz", "--", "./reads"))
    kernel = weighed("sys")
    return tuple(us / 1e6 for us in (kernel.weight("load"), kernel.weight("compute"), truth["load_us"]))


def test_long_calls_have_their_time():
    build("reads", "-O1", "-g", source=READS)
    seconds = [seconds_of_calls() for _ in range(ROUNDS)]
    print(f"     load, compute, and load by its clock: {seconds}")
    check_near(median(load / truth for load, _, truth in seconds), 1, 0.15, "system time of load")
    assert median(compute / truth for _, compute, truth in seconds) <= 0.1, seconds


def test_threads_add_up():
    """Busy and sleeping threads, more than there are CPUs: every thread's identity holds."""
    threads = Target("threads", 3, 3, before=[SPROF, "run", "-o", "x.txt", "--"])
    wait_for_cpu(int(threads.said[0]), 2)
    threads.finish().check(0)
    report = read_report("x.txt")
    assert len(report.threads) == 7
    check_identity(report)
    longest = max(row["wall"] for row in report.threads)
    for row in report.threads:
        check_near(row["wall"], longest, 0.02 * longest, f"wall time of {row['name']}")


if __name__ == "__main__":
    main()
