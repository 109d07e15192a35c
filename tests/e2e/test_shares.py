"""A program with known shares: the report shows them, and its times add up to the kernel's.

The truth is what the target measured of itself by its own clock while it ran, so that a busy
machine moves both sides. Shares of functions come from folded stacks; times per thread from the
text report. How near they come on a quiet machine is judged by bench/truths/shares.py.
"""

import json

from harness import (PROFILE, SPROF, Target, check_near, check_share, main, missed_share, read_folded, read_profile, sprof,
                     target, wait_for_cpu)
from report import read_report
from subjects import build

RATE = 299
SECONDS = 2
PARTS = ("part_a", "part_b", "part_c")


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


def unserved(truth):
    """The part of the wall time in which the program wanted the processor and did not get it: where, ticks can't tell."""
    wanted, got = truth["a_ns"] + truth["c_ns"], 1000 * (truth["user_us"] + truth["sys_us"])
    return max(0, wanted - got) / truth["wall_ns"]


def profile(*options):
    """What `shares` says of itself when sprof profiles it."""
    return truth_of(sprof("run", *options, "--", target("shares"), SECONDS))


def check_shares(folded, stats, truth):
    for name, expected in zip(PARTS, shares_by_the_program(truth)):
        check_share(folded.share(name), expected, stats["samples"], name, missed_share(stats) + unserved(truth))


def check_usage(report, truth):
    """user + sys of the process is what getrusage(2) said at its end, before and behind which it hardly computes."""
    used = sum(row["user"] + row["sys"] for row in report.threads)
    check_near(used, (truth["user_us"] + truth["sys_us"]) / 1e6, 0.2, "user + sys")


def check_identity(report):
    """user + sys + runq + wait + stolen = wall, except for the rounding of each figure."""
    for row, parts, tolerance in report.sums():
        check_near(parts, row["wall"], tolerance, f"times of {row['name']}")


def test_shares_and_times():
    truth = profile("-r", RATE, "-o", "x.txt", *PROFILE)
    report, (folded, stats) = read_report("x.txt"), read_profile()
    check_usage(report, truth)
    check_identity(report)
    check_shares(folded, stats, truth)


def weighed(kind):
    """The stacks of the saved recording by one kind of time."""
    sprof("report", "x.pb.gz", "--weight", kind, "-o", "y.folded").check(0)
    return read_folded("y.folded")


def test_weight_of_a_run():
    """What a run weighs by is what a report of it weighs by."""
    profile("-o", "x.folded", "-o", "x.pb.gz", "--weight", "user")
    assert sorted(read_folded("x.folded").stacks) == sorted(weighed("user").stacks)


FILLED = 0.1  # of the kernel's time between two stops, where it is only known how much there was


def record_by_stops(program):
    """What the program says of itself, and the stacks by system time."""
    truth = truth_of(sprof("run", "--source", "stop", "-r", 499, "-o", "x.pb.gz", *PROFILE, "--", program))
    return truth, weighed("sys"), read_profile()[1]


def test_page_faults_belong_to_the_code_that_they_interrupt():
    """A stop meets it outside the kernel; its system time is not the next call's, or no function's."""
    build("fills", "-O1", "-g", source=FILLS)
    truth, kernel, stats = record_by_stops("./fills")
    summary = " ".join(sprof("report", "x.pb.gz", "-f", "summary").check(0).text().split())
    assert " in fill (page faults)" in summary, summary
    # The program's CPU time is nearly all in the kernel.
    check_share(kernel.share("fill"), truth["fill_us"] / truth["cpu_us"], stats["samples"], "fill", FILLED + missed_share(stats))


def test_long_calls_have_their_time():
    """System time of load is not that of compute, which makes no call and is where the thread stops."""
    build("reads", "-O1", "-g", source=READS)
    truth, kernel, _ = record_by_stops("./reads")
    load, compute = kernel.weight("load"), kernel.weight("compute")
    assert load > 0.5 * truth["load_us"] and compute < 0.5 * truth["load_us"], (load, compute, truth)


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
        assert row["wall"] > 0.5 * longest, row


if __name__ == "__main__":
    main()
