/*
 * A program whose answer is known: of each short cycle 30 % go to the CPU in part_a(), 50 % to
 * sleep in part_b(), 20 % to write() from part_c(), by its own clock. At its end it prints what it
 * measured of itself and its getrusage, so that a busy machine moves the truth and not the verdict.
 *
 * The cycle is no multiple of a timer tick, so that the kernel's tick-based split into user and
 * system time does not lock to it.
 */
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "tests/targets/target.h"

#define CYCLE_NS 19700000u
#define BLOCK_SIZE (256 * 1024)

static volatile uint64_t sink;
static char block[BLOCK_SIZE];

static MEASURED void part_a(uint64_t until)
{
	uint64_t x = sink;

	while (target_now_ns() < until) {
		for (int i = 0; i < 2000; i++)
			x = x * 6364136223846793005u + 1;
	}
	sink = x;
}

static MEASURED void part_b(uint64_t until)
{
	struct timespec at = {(time_t)(until / 1000000000u), (long)(until % 1000000000u)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) != 0)
		;
}

static MEASURED void part_c(int fd, uint64_t until)
{
	while (target_now_ns() < until) {
		if (lseek(fd, 0, SEEK_SET) != 0 || write(fd, block, BLOCK_SIZE) != BLOCK_SIZE)
			target_fail("write to the memory file");
	}
}

static MEASURED void cycle(int fd, uint64_t begin, uint64_t spent[3])
{
	uint64_t at_a, at_b, at_c;

	part_a(begin + CYCLE_NS * 30 / 100);
	at_a = target_now_ns();
	part_b(begin + CYCLE_NS * 80 / 100);
	at_b = target_now_ns();
	part_c(fd, begin + CYCLE_NS);
	at_c = target_now_ns();
	spent[0] += at_a - begin;
	spent[1] += at_b - at_a;
	spent[2] += at_c - at_b;
}

static long long timeval_us(struct timeval value)
{
	return value.tv_sec * 1000000ll + value.tv_usec;
}

static void print_truth(const uint64_t spent[3], uint64_t wall)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage) < 0)
		target_fail("getrusage");
	target_print("{\"wall_ns\": %llu, \"a_ns\": %llu, \"b_ns\": %llu, \"c_ns\": %llu, "
		     "\"user_us\": %lld, \"sys_us\": %lld}",
		(unsigned long long)wall, (unsigned long long)spent[0],
		(unsigned long long)spent[1], (unsigned long long)spent[2],
		timeval_us(usage.ru_utime), timeval_us(usage.ru_stime));
}

int main(int argc, char *argv[])
{
	uint64_t spent[3] = {0}, begin, end;
	int fd;

	target_init(&argc, argv);
	fd = memfd_create("shares", 0);
	if (fd < 0)
		target_fail("memfd_create");
	target_ready("%d", (int)getpid());
	begin = target_now_ns();
	end = begin + (uint64_t)target_number(argc, argv, 1, 5) * 1000000000u;
	for (uint64_t now = begin; now < end; now = target_now_ns())
		cycle(fd, now, spent);
	print_truth(spent, target_now_ns() - begin);
	return 0;
}
