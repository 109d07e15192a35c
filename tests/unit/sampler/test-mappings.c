/*
 * sampler/mappings: when they are read again. The process is made up: each reading takes 1 ms, and finds what the test has put there.
 */
#include "sampler/stack/mappings.h"

#include "base/clock.h"
#include "events/perf/timer.h"
#include "tests/unit/check.h"

enum { COST_NS = SPROF_NS_PER_MS, LIMIT_NS = 50 * COST_NS, PLACE = 0x1000 };

static struct scene {
	struct sprof_world world;
	struct sampled_process sampled;
	struct sprof_process process;
	uint64_t now_ns, own_ns, generation;
	unsigned reads;
	bool has_code; /* at PLACE, by now */
	struct sprof_mapping library;
	bool is_anonymous;
} scene;

static uint64_t now_ns(void)
{
	return scene.now_ns;
}

static uint64_t own_cpu_ns(void)
{
	return scene.own_ns;
}

static bool read_maps(struct sprof_process *process, struct sprof_modules *modules)
{
	scene.reads++;
	scene.now_ns += COST_NS;
	scene.own_ns += COST_NS;
	process->maps.generation = scene.generation;
	return true;
}

static bool has_code(int *maps_file, pid_t pid, uint64_t address)
{
	return scene.has_code && address == PLACE;
}

static bool is_file(const struct sprof_modules *modules, uint32_t module)
{
	return !scene.is_anonymous;
}

static const struct sprof_go_runtime *find_go(
	struct sprof_unwinder *unwinder, const struct sprof_maps *maps)
{
	return NULL;
}

static unsigned go_count(const struct sprof_unwinder *unwinder)
{
	return 0;
}

static int begin(void **state)
{
	scene = (struct scene){.now_ns = SPROF_NS_PER_S,
		.generation = 1,
		.process = {.pid = -1, .maps = {.generation = 0}},
		.world = {.now_ns = now_ns,
			.own_cpu_ns = own_cpu_ns,
			.read_maps = read_maps,
			.has_code = has_code,
			.is_file = is_file,
			.find_go = find_go,
			.go_count = go_count}};
	scene.process.sampling = &scene.sampled;
	scene.library = (struct sprof_mapping){.start = 0x1000, .end = 0x2000, .executable = true};
	scene.process.maps.items = &scene.library;
	scene.process.maps.count = 1;
	scene.sampled.mappings.can_ask = true;
	sprof_mappings_begin(&scene.world, &scene.process);
	assert_int_equal(scene.reads, 1);
	return 0;
}

static bool seek(void)
{
	return sprof_mappings_seek(&scene.world, &scene.process, PLACE);
}

static void a_change_is_read_at_once(void **state)
{
	for (unsigned i = 2; i < 10; i++) {
		scene.generation++;
		assert_true(sprof_mappings_read(&scene.world, &scene.process));
		assert_int_equal(scene.reads, i);
	}
}

/* Where stacks lead nowhere, a fiftieth of a CPU goes into it. */
static void reads_in_vain_are_few(void **state)
{
	assert_false(seek());
	assert_int_equal(scene.reads, 2);
	for (unsigned i = 0; i < 40; i++) {
		assert_false(seek());
		scene.now_ns += SPROF_NS_PER_MS;
	}
	assert_int_equal(scene.reads, 2);
	scene.now_ns += LIMIT_NS;
	assert_false(seek());
	assert_int_equal(scene.reads, 3);
}

/* A library that is loaded right behind a read in vain has its names from the first sample on. */
static void code_that_came_is_read_at_once(void **state)
{
	assert_false(seek());
	scene.generation++;
	scene.has_code = true;
	assert_true(seek());
	assert_int_equal(scene.reads, 3);
}

/* What the kernel tells of and the mappings do not have is not asked for again and again. */
static void code_that_is_not_found_is_sought_once(void **state)
{
	scene.has_code = true;
	for (unsigned i = 0; i < 10; i++)
		assert_false(seek());
	assert_int_equal(scene.reads, 3);
	scene.generation++;
	scene.now_ns += LIMIT_NS;
	assert_true(seek());
	assert_false(seek());
	scene.generation++;
	assert_true(seek());
	assert_int_equal(scene.reads, 6);
}

/* Any reading that finds a change makes the next search as good as the first. */
static void a_change_ends_what_was_in_vain(void **state)
{
	scene.has_code = true;
	for (unsigned i = 0; i < 3; i++)
		assert_false(seek());
	assert_int_equal(scene.reads, 3);
	scene.generation++;
	scene.now_ns += 2 * SPROF_NS_PER_S;
	sprof_mappings_refresh(&scene.world, &scene.process, scene.now_ns);
	assert_false(seek());
	assert_false(seek());
	assert_int_equal(scene.reads, 6);
}

/* Before Linux 6.11 it is not asked each time. */
static void a_kernel_that_cannot_answer_is_not_asked(void **state)
{
	scene.sampled.mappings.can_ask = false;
	scene.has_code = true;
	for (unsigned i = 0; i < 10; i++)
		assert_false(seek());
	assert_int_equal(scene.reads, 2);
}

static void old_mappings_are_read_again(void **state)
{
	sprof_mappings_refresh(&scene.world, &scene.process, scene.now_ns);
	assert_int_equal(scene.reads, 1);
	scene.now_ns += 2 * SPROF_NS_PER_S;
	sprof_mappings_refresh(&scene.world, &scene.process, scene.now_ns);
	assert_int_equal(scene.reads, 2);
}

/* A stack through the library, at a moment before or after what the thread has mapped at its place. */
enum { MADE_NS = SPROF_NS_PER_S + 100 };

static const struct sprof_frame in_library = {.module = 0};
static const struct sprof_stack_view through_library = {.frames = &in_library, .count = 1};

static const struct sprof_perf_timer_mapping made[] = {
	{MADE_NS, 0x1000, 0x2000}, {2 * (uint64_t)MADE_NS, 0x1000, 0x2000}};

static bool begin_record(uint64_t time_ns, size_t made_count, uint64_t mapped_ns)
{
	static struct sprof_perf_timer_record record;

	record = (struct sprof_perf_timer_record){.time_ns = time_ns,
		.mappings = made,
		.mapping_count = made_count,
		.mapped_ns = mapped_ns};
	return sprof_mappings_begin_record(&scene.process, &record);
}

static void read_at(uint64_t ns)
{
	scene.sampled.mappings.read_ns = ns;
}

static bool holds(void)
{
	return sprof_mappings_hold(&scene.world, &scene.process, &through_library);
}

static bool was_replaced(void)
{
	return sprof_mappings_were_replaced(&scene.world, &scene.process, &through_library);
}

/* Records of before a change are walked: only a place in none of the mappings has them read. */
static void kept_mappings_are_believed(void **state)
{
	read_at(SPROF_NS_PER_S);
	assert_true(begin_record(MADE_NS - 1, 1, 0));
	sprof_mappings_doubt(&scene.sampled.mappings);
	scene.now_ns += 2 * SPROF_NS_PER_S;
	sprof_mappings_refresh(&scene.world, &scene.process, scene.now_ns);
	assert_true(holds());
	assert_false(was_replaced());
	assert_int_equal(scene.reads, 1);
	scene.generation++;
	assert_true(seek());
	assert_false(seek());
	scene.has_code = true;
	assert_false(seek());
	assert_int_equal(scene.reads, 3);
	sprof_mappings_end_record(&scene.process);
	assert_false(seek());
	assert_int_equal(scene.reads, 4);
}

/* What was read behind the change is not what the record saw, nor what is asked for now. */
static void what_was_mapped_anew_since_is_not_known(void **state)
{
	read_at(MADE_NS + 1);
	assert_false(begin_record(MADE_NS - 1, 1, 0));
	assert_true(was_replaced());
	assert_true(begin_record(MADE_NS + 2, 2, MADE_NS));
	assert_false(was_replaced());
	/* They were read before the first change: the present ones are of behind the second one. */
	read_at(SPROF_NS_PER_S);
	assert_false(begin_record(MADE_NS + 2, 2, MADE_NS));
	assert_true(was_replaced());
	sprof_mappings_end_record(&scene.process);
	assert_false(was_replaced());
}

/* A compiler at run time, and code elsewhere. */
static void only_a_files_code_is_replaced(void **state)
{
	read_at(MADE_NS + 1);
	begin_record(MADE_NS - 1, 1, 0);
	assert_true(was_replaced());
	scene.library.start += 0x1000;
	scene.library.end += 0x1000;
	assert_false(was_replaced());
	scene.library.start -= 0x1000;
	scene.is_anonymous = true;
	assert_false(was_replaced());
	sprof_mappings_end_record(&scene.process);
}

/* Even where the kernel can't be asked about one mapping. */
static void a_change_that_is_known_is_read(void **state)
{
	scene.sampled.mappings.can_ask = false;
	read_at(SPROF_NS_PER_S);
	sprof_mappings_doubt(&scene.sampled.mappings);
	assert_false(begin_record(MADE_NS + 1, 1, MADE_NS));
	assert_false(holds());
	sprof_mappings_end_record(&scene.process);
}

/* Only the program before an exec has the mappings of before. */
static void former_mappings_are_of_before_the_exec(void **state)
{
	struct sprof_process *process = &scene.process;

	process->former_ns = MADE_NS;
	assert_ptr_equal(sprof_mappings_at(process, MADE_NS - 1), &process->maps);
	process->former_maps.count = 1;
	assert_ptr_equal(sprof_mappings_at(process, MADE_NS - 1), &process->former_maps);
	assert_ptr_equal(sprof_mappings_at(process, MADE_NS), &process->maps);
}

TEST_MAIN("mappings")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_change_is_read_at_once, begin),
		cmocka_unit_test_setup(reads_in_vain_are_few, begin),
		cmocka_unit_test_setup(code_that_came_is_read_at_once, begin),
		cmocka_unit_test_setup(code_that_is_not_found_is_sought_once, begin),
		cmocka_unit_test_setup(a_change_ends_what_was_in_vain, begin),
		cmocka_unit_test_setup(a_kernel_that_cannot_answer_is_not_asked, begin),
		cmocka_unit_test_setup(old_mappings_are_read_again, begin),
		cmocka_unit_test_setup(kept_mappings_are_believed, begin),
		cmocka_unit_test_setup(what_was_mapped_anew_since_is_not_known, begin),
		cmocka_unit_test_setup(only_a_files_code_is_replaced, begin),
		cmocka_unit_test_setup(a_change_that_is_known_is_read, begin),
		cmocka_unit_test_setup(former_mappings_are_of_before_the_exec, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
