/*
 * output/stats: every key, the sums, and JSON that a real parser takes. It is also a program: with
 * an argument it writes the sample object to stdout, for that parser.
 */
#include "output/stats.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "tests/unit/check.h"
#include "tests/unit/output/written.h"

static const struct sprof_quality sample = {
	.target_pid = 4711,
	.duration_ns = UINT64_MAX,
	.rate_hz = 99.5,
	.ticks = 10,
	.ticks_late = 2,
	.ticks_missed = 3,
	.samples_stopped = 1,
	.samples_peeked = 20,
	.samples_reused = 300,
	.stacks = {[SPROF_END_ROOT] = 318, [SPROF_END_DEPTH] = 1, [SPROF_END_BAD_MEMORY] = 2},
	.frames_unresolved = 5,
};

static void has_every_key_and_the_sums(void **state)
{
	static const char *const expected[] = {
		"\"target_pid\": 4711,",
		"\"duration_ns\": 18446744073709551615,",
		"\"rate_hz\": 99.5,",
		"\"ticks\": 10,",
		"\"ticks_late\": 2,",
		"\"ticks_missed\": 3,",
		"\"ticks_held_back\": 0,",
		"\"samples\": 321,",
		"\"samples_stopped\": 1,",
		"\"samples_peeked\": 20,",
		"\"samples_reused\": 300,",
		"\"stops\": 0,",
		"\"stop_ns_total\": 0,",
		"\"stop_ns_p50\": 0,",
		"\"stop_ns_p95\": 0,",
		"\"stop_ns_p99\": 0,",
		"\"stop_ns_max\": 0,",
		"\"profiler_cpu_ns\": 0,",
		"\"frames\": 0,",
		"\"stacks_complete\": 318,",
		"\"stacks_truncated\": 3,",
		"\"truncated_reasons\": {\"depth\": 1, \"bad-memory\": 2},",
		"\"unwind_ns_total\": 0,",
		"\"frames_unresolved\": 5,",
		"\"samples_folded\": 0,",
		"\"threads_folded\": 0,",
		"\"waits_folded\": 0,",
		"\"threads_seen\": 0,",
		"\"processes_seen\": 0,",
		"\"schedstat_missing\": false\n",
	};
	SPROF_AUTO_FREE char *text = NULL;
	int fd;
	struct sprof_out *out = written_open(&fd);

	sprof_stats_write(&sample, out);
	text = written_take(out, fd);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		if (!strstr(text, expected[i]))
			fail_msg("no %s in %s", expected[i], text);
	}
}

static int write_sample(void)
{
	struct sprof_error err;
	struct sprof_out *out;

	if (!sprof_out_open_fd(STDOUT_FILENO, "stdout", &out, &err))
		return 1;
	sprof_stats_write(&sample, out);
	return !sprof_out_close(out, &err);
}

TEST_MAIN("stats")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_every_key_and_the_sums),
	};

	return argc > 1 ? write_sample() : cmocka_run_group_tests(tests, NULL, NULL);
}
