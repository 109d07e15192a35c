/*
 * Exact waits in a made-up world: what the kernel has written down of a thread's switches, and what reaches
 * the sink. Only sleepers are sampled, so that no stop moves a thread's times.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/numbers.h"
#include "tests/unit/check.h"
#include "tests/unit/sampler/fake-world.h"

#define US ((uint64_t)SPROF_NS_PER_US)
#define MS ((uint64_t)SPROF_NS_PER_MS)

enum { RECORDS = 256, ROWS = 64, PLACE = 0x1234, OTHER_PLACE = 0x5678 };

/* The kernel's log; times since the begin of the world. */
static struct {
	struct sprof_switch_record items[RECORDS];
	size_t count, read;
	uint64_t begin_ns, delay_ns; /* delay: until they can be read */
} written;

/* What the sink was told. */
static struct {
	uint64_t waits, ns, longest_ns, calls;
	uint64_t at_place, at_other_place; /* waits */
} told;

/* By stack and holder, as rows of a report. */
static struct row {
	uint32_t stack, holder;
	uint64_t ns, longest_ns;
} rows[ROWS];

/* Whom the kernel was asked to record. */
static struct {
	size_t count;
	pid_t tid, refused_tid; /* the last one; one that it does not record */
} covered;

static struct fake_world world;
static struct fake_thread *thread;
static uint8_t stack[64];

static bool switches_begin(struct sprof_switch_log *log, const struct sprof_switch_log_plan *plan,
	struct sprof_perf_denial *ret_denial)
{
	return true;
}

static bool switches_cover(
	struct sprof_switch_log *log, pid_t tid, struct sprof_perf_denial *ret_denial)
{
	covered.count++;
	covered.tid = tid;
	*ret_denial = (struct sprof_perf_denial){SPROF_PERF_OTHER, 0};
	return tid != covered.refused_tid;
}

static void switches_read(struct sprof_switch_log *log, sprof_switch_taker take, void *data)
{
	while (written.read < written.count &&
		written.items[written.read].time_ns + written.delay_ns <= world.now_ns)
		take(data, &written.items[written.read++]);
}

/* A row holds each of its waits. */
static void count_in_row(const struct sprof_sample *where, const struct sprof_waited *wait)
{
	const uint32_t holder = where->holder ? where->holder->thread : SPROF_RECORD_NONE;
	struct row *row = rows;

	while (row->ns && (row->stack != where->stack || row->holder != holder))
		row++;
	assert_true(row < rows + ROWS);
	row->stack = where->stack;
	row->holder = holder;
	row->ns += wait->ns;
	row->longest_ns = sprof_most(row->longest_ns, wait->longest_ns);
	assert_true(row->longest_ns <= row->ns);
}

static bool waited(void *data, const struct sprof_sample *where, const struct sprof_waited *wait)
{
	const uint64_t pc = where->stack < world.stack_count ? world.stacks[where->stack] : 0;

	if (where->thread != thread->thread.id)
		return true;
	count_in_row(where, wait);
	told.calls++;
	told.waits += wait->waits;
	told.ns += wait->ns;
	if (told.longest_ns < wait->longest_ns)
		told.longest_ns = wait->longest_ns;
	told.at_place += (pc & 0xffff) == PLACE ? wait->waits : 0;
	told.at_other_place += (pc & 0xffff) == OTHER_PLACE ? wait->waits : 0;
	return true;
}

static int set_up(void **state)
{
	fake_init(&world, 1);
	memset(&written, 0, sizeof(written));
	memset(&told, 0, sizeof(told));
	memset(&covered, 0, sizeof(covered));
	memset(rows, 0, sizeof(rows));
	written.begin_ns = world.now_ns;
	world.options.mode = SPROF_MODE_WAIT;
	world.options.exact_waits = SPROF_EXACT_STACKS;
	world.table.switches_begin = switches_begin;
	world.table.switches_cover = switches_cover;
	world.table.switches_read = switches_read;
	world.sink.waited = waited;
	thread = fake_add(&world, 0, 0);
	return 0;
}

static struct sprof_switch_record *write_down(enum sprof_switch_kind kind, uint64_t ns)
{
	struct sprof_switch_record *made = &written.items[written.count++];

	assert_true(written.count <= RECORDS);
	*made = (struct sprof_switch_record){
		.kind = kind, .tid = thread->thread.tid, .time_ns = written.begin_ns + ns};
	return made;
}

static void write_place(uint64_t ns, uint64_t pc)
{
	struct sprof_switch_record *made = write_down(SPROF_SWITCH_PLACE, ns);

	made->user.regs = (struct sprof_regs){.system_call = -1, .coming_call = -1};
	sprof_regs_set(&made->user.regs, SPROF_REG_PC, pc);
	sprof_regs_set(&made->user.regs, SPROF_REG_SP, 0x7f0000000000u);
	made->user.stack = stack;
	made->user.stack_size = sizeof(stack);
}

/* `pc` 0: the kernel had no room for the place. */
static void write_off(uint64_t begin_ns, uint64_t end_ns, uint64_t pc)
{
	if (pc)
		write_place(begin_ns - 1, pc);
	write_down(SPROF_SWITCH_OFF, begin_ns);
	write_down(SPROF_SWITCH_ON, end_ns);
}

/* Runs, and sleeps between two ticks, which come each ms; `count` times. Returns the end. */
static uint64_t nap(uint64_t begin_ns, size_t count, uint64_t pc)
{
	for (size_t i = 0; i < count; i++) {
		const uint64_t ns = begin_ns + i * MS;

		fake_act(thread, DOING_USER, 400 * US);
		fake_act(thread, DOING_SLEEP, 250 * US);
		fake_act(thread, DOING_USER, 350 * US);
		write_off(ns + 400 * US, ns + 650 * US, pc);
	}
	return begin_ns + count * MS;
}

static void run_on(void)
{
	fake_act(thread, DOING_USER, 1000 * MS);
	fake_run(&world);
}

/* Ticks that are late see a few. */
static void waits_between_ticks_are_known(void **state)
{
	nap(0, 30, PLACE);
	run_on();
	assert_int_equal(told.waits, 30);
	assert_in_range(told.at_place, 20, 30);
	assert_int_equal(told.ns, 30 * 250 * US);
	assert_int_equal(told.longest_ns, 250 * US);
	assert_int_equal(world.quality.exact_waits, 30);
	assert_int_equal(world.quality.exact_unplaced, 0);
}

/* Each tick tells what has passed; it is one wait all the same. */
static void a_long_wait_is_told_in_parts(void **state)
{
	fake_act(thread, DOING_USER, 5 * MS);
	fake_act(thread, DOING_SLEEP, 40 * MS);
	write_off(5 * MS, 45 * MS, OTHER_PLACE);
	run_on();
	assert_true(told.calls > 30);
	assert_int_equal(told.waits, 1);
	assert_int_equal(told.at_other_place, 1);
	assert_int_equal(told.ns, 40 * MS);
	assert_int_equal(told.longest_ns, 40 * MS);
}

/* Two rows have a part of it each, and no row has a wait that is longer than its time. */
static void the_lock_of_a_long_wait_changes_hands(void **state)
{
	const struct fake_thread *owner = fake_add_runner(&world), *next = fake_add_runner(&world);

	thread->futex = FAKE_FUTEX;
	fake_act(thread, DOING_USER, 5 * MS);
	fake_act(thread, DOING_SLEEP, 40 * MS);
	write_off(5 * MS, 45 * MS, 0);
	fake_set_owner(&world, owner);
	world.next_owner = FAKE_OWN_TID + next->thread.id;
	world.owner_ns = world.now_ns + 30 * MS;
	run_on();
	assert_int_equal(told.waits, 1);
	assert_int_equal(told.ns, 40 * MS);
	assert_in_range(told.longest_ns, 20 * MS, 30 * MS);
	assert_int_equal(rows[0].holder, owner->thread.id);
	assert_int_equal(rows[1].holder, next->thread.id);
	assert_int_equal(rows[0].ns + rows[1].ns, 40 * MS);
}

static void preemptions_and_stops_are_no_waits(void **state)
{
	write_off(5 * MS, 6 * MS, PLACE);
	written.items[1].preempted = true;
	write_off(10 * MS, 11 * MS, PLACE);
	thread->thread.keeps_resumes = true;
	sprof_thread_note_resume(&thread->thread, written.begin_ns + 10 * MS + 900 * US);
	write_off(20 * MS, 21 * MS, PLACE);
	run_on();
	assert_int_equal(world.quality.exact_waits, 1);
	assert_int_equal(told.waits, 1);
	assert_int_equal(told.ns, MS);
	free(thread->thread.resumes.ns);
}

/* A signal that comes each 200 us stops the thread as often; readings are 20 ms apart. */
static void many_stops_between_two_readings_are_no_waits(void **state)
{
	enum { STOPS = RECORDS / 2 };

	thread->thread.keeps_resumes = true;
	for (int i = 0; i < STOPS; i++) {
		const uint64_t ns = 5 * MS + (uint64_t)i * 200 * US;

		write_off(ns, ns + 60 * US, 0);
		sprof_thread_note_resume(&thread->thread, written.begin_ns + ns + 50 * US);
	}
	run_on();
	assert_int_equal(world.quality.exact_waits, 0);
	assert_int_equal(told.waits, 0);
	assert_true(thread->thread.resumes.count <= 1);
	free(thread->thread.resumes.ns);
}

/* The next one that has a place stands for them, and what is left for the last one. */
static void waits_without_a_place_are_counted(void **state)
{
	uint64_t ns = nap(0, 9, 0);

	ns = nap(ns, 1, PLACE);
	nap(ns, 5, 0);
	run_on();
	assert_in_range(world.quality.exact_unplaced, 10, 14);
	assert_int_equal(told.waits, 15);
	assert_true(told.at_place > world.quality.exact_unplaced);
	assert_int_equal(told.ns, 15 * 250 * US);
}

static void lost_switches_are_counted(void **state)
{
	struct sprof_switch_record *gap;

	nap(0, 5, PLACE);
	gap = write_down(SPROF_SWITCH_GAP, 6 * MS);
	gap->since_ns = written.begin_ns + 5 * MS;
	gap->lost = 7;
	run_on();
	assert_int_equal(world.quality.exact_lost, 7);
	assert_int_equal(told.waits, 5);
}

/* It falls asleep, its ON and the next OFF are missing: neither sleep has a known length. The next ones have. */
static void after_a_gap_waits_are_exact_again(void **state)
{
	struct sprof_switch_record *gap;
	uint64_t ns = nap(0, 5, PLACE);

	write_down(SPROF_SWITCH_OFF, ns);
	gap = write_down(SPROF_SWITCH_GAP, ns + 3 * MS);
	gap->since_ns = written.begin_ns + ns;
	gap->lost = 2;
	fake_act(thread, DOING_USER, 5 * MS);
	write_down(SPROF_SWITCH_ON, ns + 4 * MS);
	nap(ns + 5 * MS, 5, PLACE);
	run_on();
	assert_int_equal(told.waits, 10);
	assert_int_equal(told.ns, 10 * 250 * US);
	assert_int_equal(told.longest_ns, 250 * US);
	assert_int_equal(world.quality.exact_waits, 10);
}

/* All that it has written down is read before it is forgotten. */
static void a_thread_ends_with_all_its_waits(void **state)
{
	nap(0, 10, PLACE);
	fake_act(thread, DOING_END, 0);
	fake_add_sleeper(&world, 0);
	fake_run(&world);
	assert_int_equal(told.waits, 10);
	assert_int_equal(told.ns, 10 * 250 * US);
}

/* A place of the old program must not be named by the mappings of the new one. */
static void places_from_before_an_exec_are_left_out(void **state)
{
	nap(0, 1, PLACE);
	fake_act(thread, DOING_EXEC, 0);
	nap(MS, 1, OTHER_PLACE);
	written.delay_ns = 5 * MS;
	run_on();
	assert_int_equal(told.at_place, 0);
	assert_int_equal(world.quality.exact_unplaced, 1);
	assert_int_equal(told.at_other_place, 2);
}

static void what_happens_in_a_pause_is_nobodys(void **state)
{
	uint64_t ns = nap(0, 10, PLACE);

	fake_order(&world, 10 * MS, SPROF_ORDER_OFF);
	ns = nap(ns, 20, PLACE);
	fake_order(&world, 30 * MS, SPROF_ORDER_ON);
	nap(ns, 10, PLACE);
	run_on();
	assert_in_range(told.waits, 18, 22);
}

/* Its first wait has ended, but that can't be read yet: the tick takes the third one for it. */
static void no_time_is_told_twice(void **state)
{
	nap(0, 1, PLACE);
	fake_act(thread, DOING_USER, 4 * MS);
	fake_act(thread, DOING_SLEEP, 15200 * US);
	write_off(5 * MS, 20200 * US, PLACE);
	fake_act(thread, DOING_USER, 10 * US);
	fake_act(thread, DOING_SLEEP, 10 * US);
	write_off(20210 * US, 20220 * US, PLACE);
	fake_act(thread, DOING_USER, 10 * US);
	fake_act(thread, DOING_SLEEP, 9770 * US);
	write_off(20230 * US, 30 * MS, PLACE);
	written.delay_ns = 3 * MS;
	run_on();
	assert_int_equal(told.waits, 4);
	assert_in_range(told.ns, 25 * MS, 25250 * US);
}

/* It falls asleep between the reading and the tick: it has not slept from the begin on. */
static void a_first_sleep_begins_with_its_switch(void **state)
{
	for (uint64_t i = 0; i < 20; i++) {
		const uint64_t begin_ns = 5 * MS + i * 100 * US;

		set_up(state);
		fake_act(thread, DOING_USER, begin_ns);
		fake_act(thread, DOING_SLEEP, 20 * MS);
		write_off(begin_ns, begin_ns + 20 * MS, PLACE);
		written.delay_ns = 400 * US;
		run_on();
		assert_int_equal(told.waits, 1);
		assert_int_equal(told.longest_ns, 20 * MS);
	}
}

static void a_sleep_from_before_is_told(void **state)
{
	fake_act(thread, DOING_SLEEP, 20 * MS);
	write_down(SPROF_SWITCH_ON, 20 * MS);
	run_on();
	assert_int_equal(told.waits, 1);
	assert_in_range(told.ns, 20 * MS - US, 20 * MS);
	assert_int_equal(world.quality.exact_waits, 1);
}

static void a_sleep_from_before_is_known_without_stacks(void **state)
{
	world.options.exact_waits = SPROF_EXACT_TIMES;
	fake_act(thread, DOING_SLEEP, 20 * MS);
	write_down(SPROF_SWITCH_ON, 20 * MS);
	run_on();
	assert_int_equal(world.quality.exact_waits, 1);
}

/* Nothing is reported while the others are covered, so it is seen later than that. */
static struct fake_thread *add_newborn(void)
{
	struct fake_thread *newborn = fake_add(&world, 0, MS / 2);

	newborn->thread.born = true;
	fake_act(newborn, DOING_USER, 1000 * MS);
	return newborn;
}

static void a_birth_during_the_covering_is_made_up_for(void **state)
{
	const struct fake_thread *newborn = add_newborn();

	run_on();
	assert_int_equal(covered.count, 2);
	assert_int_equal(covered.tid, newborn->thread.tid);
	assert_int_equal(world.quality.exact_refused, 0);
}

static void a_refusal_counts_once(void **state)
{
	covered.refused_tid = add_newborn()->thread.tid;
	run_on();
	assert_int_equal(covered.count, 2);
	assert_int_equal(world.quality.exact_refused, 1);
}

static void without_stacks_ticks_share_the_time_out(void **state)
{
	world.options.exact_waits = SPROF_EXACT_TIMES;
	nap(0, 10, 0);
	run_on();
	assert_int_equal(told.calls, 0);
	assert_int_equal(world.quality.exact_waits, 10);
}

TEST_MAIN("exact")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(waits_between_ticks_are_known, set_up),
		cmocka_unit_test_setup(a_long_wait_is_told_in_parts, set_up),
		cmocka_unit_test_setup(the_lock_of_a_long_wait_changes_hands, set_up),
		cmocka_unit_test_setup(preemptions_and_stops_are_no_waits, set_up),
		cmocka_unit_test_setup(many_stops_between_two_readings_are_no_waits, set_up),
		cmocka_unit_test_setup(waits_without_a_place_are_counted, set_up),
		cmocka_unit_test_setup(lost_switches_are_counted, set_up),
		cmocka_unit_test_setup(after_a_gap_waits_are_exact_again, set_up),
		cmocka_unit_test_setup(a_thread_ends_with_all_its_waits, set_up),
		cmocka_unit_test_setup(places_from_before_an_exec_are_left_out, set_up),
		cmocka_unit_test_setup(what_happens_in_a_pause_is_nobodys, set_up),
		cmocka_unit_test_setup(no_time_is_told_twice, set_up),
		cmocka_unit_test(a_first_sleep_begins_with_its_switch),
		cmocka_unit_test_setup(a_sleep_from_before_is_told, set_up),
		cmocka_unit_test_setup(a_sleep_from_before_is_known_without_stacks, set_up),
		cmocka_unit_test_setup(a_birth_during_the_covering_is_made_up_for, set_up),
		cmocka_unit_test_setup(a_refusal_counts_once, set_up),
		cmocka_unit_test_setup(without_stacks_ticks_share_the_time_out, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
