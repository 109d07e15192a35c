/*
 * memory/process: this process's own memory, and processes that are not there.
 */
#include "memory/process.h"

#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/unit/check.h"

enum { SIZE = 32 << 20, NEARLY = SIZE - (1 << 20) };

static void look(struct sprof_memory_process *process, bool is_last)
{
	const struct sprof_memory_look how = {
		.now_ns = sprof_clock_now_ns(), .is_last = is_last, .wants_mappings = true};

	sprof_memory_process_read(process, &how);
}

static uint64_t last(const struct sprof_memory_process *process, enum sprof_memory_metric metric)
{
	assert_true(sprof_memory_process_has(process, metric));
	return process->series[metric].last;
}

static void what_is_touched_is_seen(void **state)
{
	struct sprof_memory_process process;
	uint64_t rss, uss;
	void *memory;

	assert_true(sprof_memory_process_begin(&process, getpid()));
	look(&process, false);
	rss = last(&process, SPROF_MEMORY_RSS);
	uss = last(&process, SPROF_MEMORY_USS);
	memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(memory != MAP_FAILED);
	memset(memory, 1, SIZE);
	look(&process, false);
	assert_true(last(&process, SPROF_MEMORY_RSS) - rss > NEARLY);
	assert_true(last(&process, SPROF_MEMORY_USS) - uss > NEARLY);
	assert_true(last(&process, SPROF_MEMORY_ANON) > NEARLY);
	assert_true(last(&process, SPROF_MEMORY_PSS) >= last(&process, SPROF_MEMORY_USS));
	assert_true(process.kernels_peak >= last(&process, SPROF_MEMORY_RSS) - (1 << 20));
	munmap(memory, SIZE);
	look(&process, true);
	assert_true(last(&process, SPROF_MEMORY_RSS) < rss + NEARLY);
	for (int moment = 0; moment < SPROF_MEMORY_MOMENTS; moment++)
		assert_non_null(process.mappings[moment]);
	assert_false(process.has_ended || process.is_denied);
	sprof_memory_process_finish(&process);
}

/* Cheap readings that follow a costly one leave its figures as they are. */
static void one_reading_has_all_figures(void **state)
{
	struct sprof_memory_look cheap = {.now_ns = 2000, .share = 1};
	struct sprof_memory_process process;
	struct sprof_smaps_figures whole;
	void *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(memory != MAP_FAILED);
	memset(memory, 1, SIZE);
	assert_true(sprof_memory_process_begin(&process, getpid()));
	look(&process, false);
	whole = process.whole;
	assert_true(process.whole_ns && whole.rss >= whole.pss && whole.pss >= whole.uss);
	assert_true(whole.uss > NEARLY);
	munmap(memory, SIZE);
	process.next_map_ns = UINT64_MAX;
	sprof_memory_process_read(&process, &cheap);
	assert_int_equal(process.series[SPROF_MEMORY_RSS].last_ns, cheap.now_ns);
	assert_memory_equal(&process.whole, &whole, sizeof(whole));
	sprof_memory_process_finish(&process);
}

static void a_process_that_is_not_there(void **state)
{
	struct sprof_memory_process process;

	assert_false(sprof_memory_process_begin(&process, INT_MAX));
	assert_true(sprof_memory_process_begin(&process, getpid()));
	process.started++;
	look(&process, false);
	assert_true(process.has_ended);
	assert_false(sprof_memory_process_has(&process, SPROF_MEMORY_RSS));
	sprof_memory_process_finish(&process);
}

TEST_MAIN("process")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_touched_is_seen),
		cmocka_unit_test(one_reading_has_all_figures),
		cmocka_unit_test(a_process_that_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
