/*
 * sampler/peek: what a thread that seems to stand still is taken for. Its process is made up, and has no memory that could be
 * copied: only what mode `cpu` looks at, and what is looked at of a process that denies the rest.
 */
#include "sampler/tick/tick.h"

#include "sampler/world.h"
#include "tests/unit/check.h"

static struct scene {
	struct sprof_thread thread;
	struct sprof_quality quality;
	char letter;    /* its state */
	uint64_t flags; /* of /proc/PID/stat */
} scene;

static uint64_t now_ns(void)
{
	return 1;
}

static bool read_stat(struct sprof_thread *thread, struct sprof_proc_stat *ret)
{
	*ret = (struct sprof_proc_stat){
		.comm = "iou-wrk-1", .state = scene.letter, .flags = scene.flags};
	return true;
}

static bool read_schedstat(struct sprof_thread *thread, struct sprof_proc_schedstat *ret)
{
	*ret = (struct sprof_proc_schedstat){.cpu_ns = 1, .timeslices = 1};
	return true;
}

static enum peek_outcome look(bool is_denied, char letter, enum sprof_thread_phase phase)
{
	const struct sprof_world world = {
		.now_ns = now_ns, .read_stat = read_stat, .read_schedstat = read_schedstat};
	const struct sprof_sampler_options options = {.mode = SPROF_MODE_CPU};
	const struct run run = {.world = &world, .options = &options, .quality = &scene.quality};
	const struct peek_sight sight = {
		.schedstat = {.cpu_ns = 1, .timeslices = 1},
		.call = {.kind = SPROF_PROC_SYSCALL_OUTSIDE, .sp = 1},
	};
	struct peeking peeking = {.buffer = {0}};
	struct observation observation;

	scene.letter = letter;
	scene.thread.phase = phase;
	return is_denied ? sprof_peek_denied(&run, &scene.thread, &sight, &observation)
			 : sprof_peek(&peeking, &run, &scene.thread, &sight, &observation);
}

/* Both see the same. */
static enum peek_outcome look_at(char letter, enum sprof_thread_phase phase)
{
	const enum peek_outcome outcome = look(false, letter, phase);

	assert_int_equal(look(true, letter, phase), outcome);
	return outcome;
}

static void a_sleeper_is_known_without_its_stack(void **state)
{
	assert_int_equal(look_at('S', SPROF_THREAD_RUNNING), PEEK_TAKEN);
	assert_int_equal(look_at('T', SPROF_THREAD_LISTENING), PEEK_TAKEN);
}

static void a_stop_of_ours_is_no_sleep(void **state)
{
	assert_int_equal(look_at('t', SPROF_THREAD_INTERRUPTED), PEEK_IN_STOP);
	assert_int_equal(look_at('t', SPROF_THREAD_RUNNING), PEEK_IN_STOP);
}

static void who_runs_by_now_is_awake(void **state)
{
	assert_int_equal(look_at('R', SPROF_THREAD_RUNNING), PEEK_AWAKE);
}

static void who_has_ended_is_nothing(void **state)
{
	assert_int_equal(look_at('Z', SPROF_THREAD_RUNNING), PEEK_NOTHING);
}

static enum peek_outcome look_at_worker(char letter, uint64_t flags)
{
	const struct sprof_world world = {.now_ns = now_ns, .read_stat = read_stat};
	const struct sprof_sampler_options options = {.mode = SPROF_MODE_WALL};
	const struct run run = {.world = &world, .options = &options, .quality = &scene.quality};
	const struct peek_sight sight = {.call = {.kind = SPROF_PROC_SYSCALL_INSIDE}};
	struct observation observation = {.snapshot = NULL};
	enum peek_outcome outcome;

	scene.letter = letter;
	scene.flags = flags;
	scene.thread.phase = SPROF_THREAD_RUNNING;
	outcome = sprof_peek_worker(&run, &scene.thread, &sight, &observation);
	if (outcome == PEEK_TAKEN) {
		assert_int_equal(
			observation.state, letter == 'R' ? SPROF_STATE_SYS : SPROF_STATE_SLEEP);
		assert_int_equal(observation.end, SPROF_END_ROOT);
	}
	return outcome;
}

/* The kernel shows no stack pointer for both. A worker that runs is not to be stopped. */
static void a_worker_has_not_ended(void **state)
{
	assert_int_equal(look_at_worker('S', SPROF_PF_IO_WORKER), PEEK_TAKEN);
	assert_int_equal(look_at_worker('S', SPROF_PF_USER_WORKER), PEEK_TAKEN);
	assert_int_equal(look_at_worker('R', SPROF_PF_IO_WORKER), PEEK_TAKEN);
	assert_int_equal(look_at_worker('S', 0), PEEK_NOTHING);
	assert_int_equal(look_at_worker('S', SPROF_PF_IO_WORKER | SPROF_PF_EXITING), PEEK_NOTHING);
	assert_int_equal(look_at_worker('Z', SPROF_PF_IO_WORKER), PEEK_NOTHING);
}

TEST_MAIN("peek")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sleeper_is_known_without_its_stack),
		cmocka_unit_test(a_stop_of_ours_is_no_sleep),
		cmocka_unit_test(who_runs_by_now_is_awake),
		cmocka_unit_test(who_has_ended_is_nothing),
		cmocka_unit_test(a_worker_has_not_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
