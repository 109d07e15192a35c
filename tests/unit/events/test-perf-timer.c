/*
 * Timers in the kernel, on this thread: they tell where it computes, with its stack.
 */
#include "events/perf/timer.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "events/perf/record.h"
#include "tests/unit/check.h"

enum { PERIOD_NS = SPROF_NS_PER_MS, STACK = 8 * 1024, ENOUGH = 20 };

static unsigned char scratch[SPROF_PERF_RECORD_MAX];
static volatile unsigned long work;

static struct sprof_perf_timer *open_own(size_t records)
{
	struct sprof_perf_timer_plan plan = {
		.period_ns = PERIOD_NS, .stack_size = STACK, .records = records};
	struct sprof_perf_denial denial;
	struct sprof_perf_timer *timer;

	if (!sprof_perf_timer_is_permitted(&denial)) {
		print_message("perf_event_open is not permitted here: reason %d\n", denial.reason);
		skip();
	}
	assert_true(sprof_perf_timer_open(&plan, &timer, &denial));
	return timer;
}

static uint64_t cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * SPROF_NS_PER_S + (uint64_t)time.tv_nsec;
}

__attribute__((noinline)) static void compute(uint64_t ns)
{
	const uint64_t end = cpu_ns() + ns;

	while (cpu_ns() < end) {
		for (int i = 0; i < 100000; i++)
			work = work + (unsigned long)i;
	}
}

/* A timer fires once in each period that has passed at most. A machine that is late leaves any number out. */
static uint64_t periods_since(uint64_t begin_ns, uint64_t period_ns)
{
	return (sprof_clock_now_ns() - begin_ns) / period_ns + 1;
}

static void tells_where_the_thread_is(void **state)
{
	const uint64_t begin = sprof_clock_now_ns(), here = (uintptr_t)&begin;
	struct sprof_perf_timer *timer = open_own(4 * ENOUGH);
	struct sprof_perf_timer_record record;
	uint64_t last = begin;
	unsigned samples = 0;

	compute(2 * ENOUGH * (uint64_t)PERIOD_NS);
	while (sprof_perf_timer_take(timer, UINT64_MAX, scratch, &record)) {
		if (record.kind != SPROF_PERF_TIMER_SAMPLE)
			continue;
		samples++;
		assert_true(record.time_ns >= last && record.time_ns <= sprof_clock_now_ns());
		last = record.time_ns;
		assert_int_equal(record.user.regs.system_call, -1);
		/* The stack is ours, and sp is below what lies on it. */
		assert_in_range(here - record.user.regs.values[SPROF_REG_SP], 1, STACK);
		assert_in_range(record.user.stack_size, 1, STACK);
	}
	assert_in_range(samples, 1, periods_since(begin, PERIOD_NS));
	sprof_perf_timer_close(timer);
}

static void take_next(struct sprof_perf_timer *timer, struct sprof_perf_timer_record *ret)
{
	while (!sprof_perf_timer_take(timer, UINT64_MAX, scratch, ret))
		compute(PERIOD_NS);
}

static void gives_no_later_ones(void **state)
{
	struct sprof_perf_timer *timer = open_own(4 * ENOUGH);
	struct sprof_perf_timer_record first, again;
	uint64_t until;

	compute(ENOUGH * (uint64_t)PERIOD_NS);
	take_next(timer, &first);
	until = first.time_ns;
	assert_false(sprof_perf_timer_take(timer, until, scratch, &again));
	take_next(timer, &again);
	assert_true(again.time_ns > until);
	sprof_perf_timer_close(timer);
}

struct seen {
	unsigned before, behind;
};

/* A mapping of code, and the moments around it. */
struct made {
	void *code;
	uint64_t begin_ns, end_ns;
};

/* Of this program's own file. Memory of no file is not told. */
static struct made make_code(void)
{
	const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct made made = {0};
	void *other;

	assert_true(file >= 0);
	other = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(other, MAP_FAILED);
	made.begin_ns = sprof_clock_now_ns();
	made.code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
	made.end_ns = sprof_clock_now_ns();
	assert_ptr_not_equal(made.code, MAP_FAILED);
	munmap(other, 4096);
	close(file);
	return made;
}

static void check_made(const struct made *made, const struct sprof_perf_timer_mapping *mapping)
{
	assert_in_range(mapping->time_ns, made->begin_ns, made->end_ns);
	assert_int_equal(mapping->start, (uintptr_t)made->code);
	assert_int_equal(mapping->end, (uintptr_t)made->code + 4096);
}

/* Maps code while a timer runs, and counts the records on both sides of that. */
static void map_once(struct seen *seen)
{
	struct sprof_perf_timer *timer = open_own(8 * ENOUGH);
	struct sprof_perf_timer_record record;
	struct made made;

	compute(ENOUGH * (uint64_t)PERIOD_NS);
	made = make_code();
	compute(ENOUGH * (uint64_t)PERIOD_NS);
	while (sprof_perf_timer_take(timer, UINT64_MAX, scratch, &record)) {
		const bool is_before = record.time_ns < record.mappings[0].time_ns;

		assert_int_equal(record.mapping_count, 1);
		check_made(&made, &record.mappings[0]);
		if (is_before)
			assert_true(record.mapped_ns < made.begin_ns);
		else
			assert_int_equal(record.mapped_ns, record.mappings[0].time_ns);
		seen->before += is_before;
		seen->behind += !is_before;
	}
	munmap(made.code, 4096);
	sprof_perf_timer_close(timer);
}

/* Who walks a stack of before needs the mappings of before. A machine that is late may have no record at first. */
static void tells_which_were_before_a_mapping(void **state)
{
	struct seen seen = {0};

	while (!seen.before || !seen.behind)
		map_once(&seen);
}

/* What was too late for one reading is known of before the next one. */
static void knows_what_came_behind_a_record_that_was_left(void **state)
{
	struct sprof_perf_timer *timer = open_own(8 * ENOUGH);
	struct sprof_perf_timer_record record;
	struct made made;

	compute(ENOUGH * (uint64_t)PERIOD_NS);
	take_next(timer, &record);
	compute(ENOUGH * (uint64_t)PERIOD_NS);
	assert_false(sprof_perf_timer_take(timer, record.time_ns, scratch, &record));
	made = make_code();
	take_next(timer, &record);
	assert_true(record.time_ns < made.begin_ns);
	assert_int_equal(record.mapping_count, 1);
	check_made(&made, &record.mappings[0]);
	munmap(made.code, 4096);
	sprof_perf_timer_close(timer);
}

static uint64_t take_all(struct sprof_perf_timer *timer)
{
	struct sprof_perf_timer_record record;
	uint64_t lost = 0;

	while (sprof_perf_timer_take(timer, UINT64_MAX, scratch, &record))
		lost += record.kind == SPROF_PERF_TIMER_LOST ? record.lost : 0;
	return lost;
}

static void a_full_ring_loses_some_and_says_so(void **state)
{
	const uint64_t begin = sprof_clock_now_ns();
	struct sprof_perf_timer *timer = open_own(4);
	uint64_t lost = 0;

	/* The first record behind the loss tells of it. */
	while (!lost) {
		compute(2 * ENOUGH * (uint64_t)PERIOD_NS);
		lost += take_all(timer);
	}
	assert_true(lost <= periods_since(begin, PERIOD_NS));
	sprof_perf_timer_close(timer);
}

static void another_period_has_other_numbers(void **state)
{
	const uint64_t period_ns = (uint64_t)ENOUGH * PERIOD_NS, begin = sprof_clock_now_ns();
	struct sprof_perf_timer *timer = open_own(4 * ENOUGH);
	struct sprof_perf_timer_record record;
	uint64_t most;
	unsigned samples = 0;

	sprof_perf_timer_set_period(timer, period_ns);
	most = periods_since(begin, PERIOD_NS) - 1;
	compute(4 * period_ns + PERIOD_NS);
	while (sprof_perf_timer_take(timer, UINT64_MAX, scratch, &record))
		samples += record.kind == SPROF_PERF_TIMER_SAMPLE;
	assert_in_range(samples, 1, most + periods_since(begin, period_ns));
	sprof_perf_timer_close(timer);
}

static void no_such_thread(void **state)
{
	struct sprof_perf_timer_plan plan = {
		.tid = 0x3fffffff, .period_ns = PERIOD_NS, .stack_size = STACK, .records = 4};
	struct sprof_perf_denial denial;
	struct sprof_perf_timer *timer;

	sprof_perf_timer_close(open_own(4));
	assert_false(sprof_perf_timer_open(&plan, &timer, &denial));
	assert_int_equal(denial.reason, SPROF_PERF_GONE);
}

TEST_MAIN("perf-timer")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_where_the_thread_is),
		cmocka_unit_test(gives_no_later_ones),
		cmocka_unit_test(tells_which_were_before_a_mapping),
		cmocka_unit_test(knows_what_came_behind_a_record_that_was_left),
		cmocka_unit_test(a_full_ring_loses_some_and_says_so),
		cmocka_unit_test(another_period_has_other_numbers),
		cmocka_unit_test(no_such_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
