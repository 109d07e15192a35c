/*
 * profile/: waits, from the sampler's records to the tables that reports show, and the kernel's end
 * of the stacks. Names come from symbols made up here.
 */
#include "profile/views/waits.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "profile/classify/idle.h"
#include "profile/names/resolve.h"
#include "tests/unit/check.h"
#include "tests/unit/profile/no-tail-calls.h"

enum { LIBC, APP }; /* modules, in the order they are made */

static const char *const names[2][8] = {
	[LIBC] = {"futex_wait", "__lll_lock_wait", "___pthread_mutex_lock", "pthread_cond_wait",
		"__pthread_rwlock_rdlock", "read"},
	[APP] = {"main", "reader", "writer", "flush"},
};

bool sprof_symbols_resolve(struct sprof_symbols *symbols, uint32_t module, uint64_t offset,
	struct sprof_locations *ret, struct sprof_error *err)
{
	static struct sprof_location location;

	location = (struct sprof_location){
		.function = names[module][offset], .linkage = names[module][offset]};
	*ret = (struct sprof_locations){.items = &location, .count = 1};
	return true;
}

bool sprof_symbols_find_data(struct sprof_symbols *symbols, uint32_t module, uint64_t distance,
	const char **ret_name, uint64_t *ret_offset, struct sprof_error *err)
{
	*ret_name = module == APP && distance - 0x4000 < 0x100 ? "cache_lock" : NULL;
	*ret_offset = distance - 0x4000;
	return true;
}

bool sprof_symbols_explain(struct sprof_symbols *symbols, uint32_t module,
	struct sprof_symbols_gap *ret, struct sprof_error *err)
{
	*ret = (struct sprof_symbols_gap){0};
	return true;
}

struct scene {
	struct sprof_modules *modules;
	struct sprof_profile *profile;
	struct sprof_sink sink;
	uint64_t time_ns;
};

static void name_call(int64_t number, char *buffer, size_t size)
{
	snprintf(buffer, size, "%s", number == 202 ? "futex" : number == 7 ? "poll" : "read");
}

static void set_up(struct scene *scene, bool frames)
{
	static const char *const paths[] = {[LIBC] = "/lib/libc.so.6", [APP] = "/bin/app"};
	const struct sprof_profile_kernel kernel = {.syscall_name = name_call, .frames = frames};
	bool new;

	scene->modules = sprof_modules_create();
	for (size_t i = 0; i < 2; i++) {
		const struct sprof_module_key key = {
			.kind = SPROF_MODULE_FILE, .path = paths[i], .inode = i + 1};

		assert_non_null(sprof_modules_intern(scene->modules, &key, &new));
	}
	scene->profile = sprof_profile_create(scene->modules);
	sprof_profile_set_kernel(scene->profile, &kernel);
	sprof_profile_set_timeline(scene->profile, 1000, 0);
	scene->sink = sprof_profile_sink(scene->profile);
	scene->time_ns = 1000;
}

static void tear_down(struct scene *scene)
{
	sprof_profile_destroy(scene->profile);
	sprof_modules_destroy(scene->modules);
}

static void add_thread_of(struct scene *scene, pid_t pid, uint32_t id, const char *name)
{
	const struct sprof_thread_record record = {
		.id = id, .pid = pid, .tid = 101 + (pid_t)id, .name = name, .process_name = "app"};

	assert_true(scene->sink.thread(scene->sink.data, &record));
}

static void add_thread(struct scene *scene, uint32_t id, const char *name)
{
	add_thread_of(scene, 100, id, name);
}

/* Functions as (module, index) pairs, innermost first. */
static uint32_t stack(struct scene *scene, size_t count, const struct sprof_frame *frames)
{
	const struct sprof_stack_view view = {.frames = frames, .count = count};
	uint32_t id;

	assert_true(scene->sink.stack(scene->sink.data, &view, &id));
	return id;
}

static uint32_t wait_for(struct scene *scene, const struct sprof_wait *wait)
{
	uint32_t id;

	assert_true(scene->sink.wait(scene->sink.data, wait, &id));
	return id;
}

static void blocked(struct scene *scene, uint32_t thread, uint32_t where, uint32_t wait,
	const struct sprof_holder *holder)
{
	const struct sprof_sample sample = {.time_ns = scene->time_ns += 1000,
		.thread = thread,
		.stack = where,
		.state = SPROF_STATE_SLEEP,
		.wait = wait,
		.holder = holder};

	assert_true(scene->sink.sample(scene->sink.data, &sample));
}

static void charge(struct scene *scene, uint32_t thread, uint64_t ns)
{
	const struct sprof_times times = {.ns[SPROF_TIME_SLEEP] = ns};

	assert_true(scene->sink.charge(
		scene->sink.data, thread, &(struct sprof_charge){.times = times, .last = true}));
}

static void resolve(struct scene *scene)
{
	struct sprof_error err;

	assert_true(sprof_profile_resolve(scene->profile, NULL, &err));
}

static const struct sprof_frame in_mutex[] = {
	{0, LIBC, false}, {1, LIBC, false}, {2, LIBC, false}, {1, APP, false}, {0, APP, false}};
static const struct sprof_frame in_condition[] = {
	{0, LIBC, false}, {3, LIBC, false}, {1, APP, false}, {0, APP, false}};
static const struct sprof_frame in_flush[] = {
	{5, LIBC, false}, {3, APP, false}, {2, APP, false}, {0, APP, false}};
static const struct sprof_wait mutex = {.system_call = 202,
	.kind = SPROF_WAIT_KIND_LOCK,
	.address = 0x7f0000004008,
	.lock = SPROF_LOCK_MUTEX,
	.module = APP,
	.offset = 0x4008};
static const struct sprof_wait pipe_wait = {.system_call = 0,
	.kind = SPROF_WAIT_KIND_IO,
	.object = "pipe:[4711]",
	.module = SPROF_RECORD_NONE};

static struct sprof_waits_table build(struct scene *scene)
{
	const struct sprof_view view = {.thread = SPROF_PROFILE_NONE};
	struct sprof_waits_table table;
	struct sprof_error err;

	assert_true(sprof_waits_table_build(scene->profile, &view, &table, &err));
	return table;
}

static void the_table_and_who_holds_up_whom(void **state)
{
	struct scene scene;
	struct sprof_holder in_writer = {.thread = 1};
	struct sprof_waits_table table;

	set_up(&scene, true);
	add_thread(&scene, 0, "reader");
	add_thread(&scene, 1, "writer");
	in_writer.stack = stack(&scene, 4, in_flush);
	for (int i = 0; i < 3; i++)
		blocked(&scene, 0, stack(&scene, 5, in_mutex), wait_for(&scene, &mutex),
			i < 2 ? &in_writer : NULL);
	blocked(&scene, 1, in_writer.stack, wait_for(&scene, &pipe_wait), NULL);
	charge(&scene, 0, 300);
	charge(&scene, 1, 50);
	resolve(&scene);
	table = build(&scene);
	assert_int_equal(table.count, 2);
	assert_int_equal(table.blocked_ns, 350);
	assert_string_equal(table.rows[0].syscall, "futex");
	assert_string_equal(table.rows[0].object, "mutex cache_lock+8");
	assert_string_equal(scene.profile->functions[table.rows[0].function].name, "reader");
	assert_int_equal(table.rows[0].ns, 300);
	assert_string_equal(table.rows[0].holder, "writer (102)");
	assert_string_equal(table.rows[0].holder_function, "flush");
	assert_int_equal(table.rows[0].holder_ns, 200);
	assert_string_equal(table.rows[1].object, "pipe:[4711]");
	assert_int_equal(table.rows[1].kind, SPROF_WAIT_KIND_IO);
	assert_int_equal(table.edge_count, 1);
	assert_int_equal(table.edges[0].row, 0);
	assert_int_equal(table.edges[0].ns, 200);
	sprof_waits_table_finish(&table);
	assert_true(sprof_profile_adds_up(scene.profile));
	tear_down(&scene);
}

/* The only thing that was waited for; the scene ends. */
static void expect_one(struct scene *scene, const char *object)
{
	struct sprof_waits_table table;

	resolve(scene);
	table = build(scene);
	assert_int_equal(table.count, 1);
	assert_string_equal(table.rows[0].object, object);
	assert_null(table.rows[0].holder);
	sprof_waits_table_finish(&table);
	tear_down(scene);
}

/* Who has it in many places has it longer than who has it in one. Of two places, one must have most samples. */
static void check_holder(int elsewhere, bool has_place)
{
	struct sprof_waits_table table;
	struct scene scene;

	set_up(&scene, false);
	for (uint32_t i = 0; i < 3; i++)
		add_thread(&scene, i, i ? i > 1 ? "often" : "once" : "reader");
	for (int i = 0; i < 6; i++) {
		struct sprof_holder holder = {.thread = i < 2 ? 1 : 2};

		holder.stack = stack(&scene, 4, i < 6 - elsewhere ? in_flush : in_condition);
		blocked(&scene, 0, stack(&scene, 5, in_mutex), wait_for(&scene, &mutex), &holder);
	}
	charge(&scene, 0, 600);
	resolve(&scene);
	table = build(&scene);
	assert_string_equal(table.rows[0].holder, "often (103)");
	assert_int_equal(table.rows[0].holder_ns, 400);
	assert_int_equal(table.rows[0].holder_function != NULL, has_place);
	assert_true(!has_place || !strcmp(table.rows[0].holder_function, "flush"));
	sprof_waits_table_finish(&table);
	tear_down(&scene);
}

static void the_holder_is_a_thread(void **state)
{
	check_holder(2, true);
	check_holder(3, false);
}

/* Workers that were forked have the same lock at the same place, and each its own. */
static void each_process_has_its_own_locks(void **state)
{
	struct sprof_wait shared = mutex;
	struct sprof_waits_table table;
	struct scene scene;

	set_up(&scene, false);
	shared.shared = true;
	shared.module = SPROF_RECORD_NONE;
	shared.area = "[ring]";
	for (uint32_t i = 0; i < 2; i++) {
		struct sprof_holder holder = {.thread = 10 + i, .stack = SPROF_RECORD_NONE};

		add_thread_of(&scene, 100 + (pid_t)i, i, "worker");
		add_thread_of(&scene, 100 + (pid_t)i, 10 + i, "holder");
		blocked(&scene, i, stack(&scene, 5, in_mutex), wait_for(&scene, &mutex), &holder);
		blocked(&scene, i, stack(&scene, 5, in_mutex), wait_for(&scene, &shared), NULL);
		charge(&scene, i, 200 + 200 * i);
	}
	resolve(&scene);
	table = build(&scene);
	assert_int_equal(table.count, 3);
	assert_string_equal(table.rows[0].object, "shared mutex [ring]+0x4008");
	assert_int_equal(table.rows[0].process, SPROF_PROFILE_NONE);
	assert_int_equal(table.rows[0].threads, 2);
	for (uint32_t i = 1; i <= 2; i++) {
		assert_string_equal(table.rows[i].object, "mutex cache_lock+8");
		assert_int_equal(table.rows[i].process, 2 - i);
		assert_int_equal(table.rows[i].ns, 300 - 100 * i);
		assert_int_equal(table.rows[i].holder_ns, table.rows[i].ns);
		assert_int_equal(table.edges[i - 1].row, i);
	}
	assert_string_equal(table.rows[1].holder, "holder (112)");
	assert_string_equal(table.rows[2].holder, "holder (111)");
	sprof_waits_table_finish(&table);
	tear_down(&scene);
}

/* Two waits by the function of a condition variable, at two words. Only the memory of the first wait has shown more. */
static void check_words(
	enum sprof_lock_kind lock, int condition_words, uint64_t word, const char *object)
{
	struct sprof_wait wait = mutex;
	struct scene scene;

	set_up(&scene, false);
	add_thread(&scene, 0, "waiter");
	wait.lock = lock;
	wait.traits.condition_words = condition_words;
	for (int i = 0; i < 2; i++) {
		wait.address = 0x7f0000004000 + word + 4 * i;
		wait.offset = 0x4000 + word + 4 * i;
		blocked(&scene, 0, stack(&scene, 4, in_condition), wait_for(&scene, &wait), NULL);
		wait.lock = SPROF_LOCK_UNKNOWN;
		wait.traits.condition_words = lock == SPROF_LOCK_INTERPRETER ? condition_words : 0;
	}
	charge(&scene, 0, 10);
	expect_one(&scene, object);
}

static void a_condition_variable_is_known_by_its_function(void **state)
{
	check_words(SPROF_LOCK_UNKNOWN, 40, 40, "condition variable cache_lock+0");
	check_words(SPROF_LOCK_UNKNOWN, 32, 40, "condition variable cache_lock+8");
}

/* Also in the moment when nobody has it, and it looks like a condition variable. */
static void an_interpreters_lock_stays_one(void **state)
{
	check_words(SPROF_LOCK_INTERPRETER, 40, 0x48, "interpreter lock cache_lock+0");
}

/* Threads also wait on its mutex, and on the pair behind that. */
static void parts_of_an_interpreters_lock_are_one(void **state)
{
	enum { CONDITION = 0x20, WORDS = 40 };
	const uint64_t behind = CONDITION + sizeof(pthread_cond_t);
	const struct {
		enum sprof_lock_kind lock;
		uint64_t word;
	} parts[] = {
		{SPROF_LOCK_INTERPRETER, CONDITION + WORDS},
		{SPROF_LOCK_MUTEX, behind},
		{SPROF_LOCK_UNKNOWN, behind + sizeof(pthread_mutex_t) + WORDS + 4},
	};
	struct sprof_wait wait = mutex;
	struct scene scene;

	set_up(&scene, false);
	add_thread(&scene, 0, "waiter");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		wait.lock = parts[i].lock;
		wait.traits.condition_words = parts[i].lock == SPROF_LOCK_MUTEX ? 0 : WORDS;
		wait.address = 0x7f0000004000 + parts[i].word;
		wait.offset = 0x4000 + parts[i].word;
		blocked(&scene, 0, stack(&scene, 4, in_condition), wait_for(&scene, &wait), NULL);
	}
	charge(&scene, 0, 10);
	expect_one(&scene, "interpreter lock cache_lock+0");
}

/* What is waited for is the second word of a barrier. */
static void a_barrier_begins_before_its_word(void **state)
{
	struct sprof_wait wait = mutex;
	struct scene scene;

	set_up(&scene, false);
	add_thread(&scene, 0, "main");
	wait.lock = SPROF_LOCK_BARRIER;
	wait.address += 4;
	wait.offset += 4;
	blocked(&scene, 0, stack(&scene, 4, in_condition), wait_for(&scene, &wait), NULL);
	expect_one(&scene, "barrier cache_lock+8");
}

static void a_lock_without_a_variable_has_its_place(void **state)
{
	struct sprof_wait wait = mutex;
	struct scene scene;

	set_up(&scene, false);
	add_thread(&scene, 0, "main");
	wait.module = SPROF_RECORD_NONE;
	wait.area = "[heap]";
	wait.offset = 0x2a0;
	blocked(&scene, 0, stack(&scene, 5, in_mutex), wait_for(&scene, &wait), NULL);
	expect_one(&scene, "mutex [heap]+0x2a0");
}

static const struct sprof_profile_line *innermost(const struct sprof_profile *profile, uint32_t row)
{
	const struct sprof_profile_stack *node = &profile->stacks[profile->rows[row].stack];

	return &profile->lines[profile->locations[node->location].first_line];
}

static void the_kernels_end_of_the_stack_is_marked(void **state)
{
	const char *const kernel[] = {"pipe_read", "vfs_read"};
	struct sprof_wait wait = pipe_wait;
	struct scene scene;
	const struct sprof_profile *profile;

	set_up(&scene, true);
	profile = scene.profile;
	add_thread(&scene, 0, "main");
	blocked(&scene, 0, stack(&scene, 4, in_flush), wait_for(&scene, &wait), NULL);
	wait.kernel = kernel;
	wait.kernel_count = 2;
	blocked(&scene, 0, stack(&scene, 4, in_flush), wait_for(&scene, &wait), NULL);
	resolve(&scene);
	assert_string_equal(profile->functions[innermost(profile, 0)->function].name, "[read]");
	assert_true(innermost(profile, 0)->kernel);
	assert_string_equal(profile->functions[innermost(profile, 1)->function].name, "pipe_read");
	assert_true(innermost(profile, 1)->kernel);
	tear_down(&scene);
}

static void equal_waits_are_one(void **state)
{
	struct sprof_wait other = mutex;
	struct scene scene;

	set_up(&scene, true);
	assert_int_equal(wait_for(&scene, &mutex), 1);
	assert_int_equal(wait_for(&scene, &pipe_wait), 2);
	assert_int_equal(wait_for(&scene, &mutex), 1);
	other.address += 8;
	assert_int_equal(wait_for(&scene, &other), 3);
	tear_down(&scene);
}

static enum sprof_verdict judge(const struct sprof_profile *of, const struct sprof_view *view)
{
	SPROF_AUTO_FREE bool *idle = sprof_profile_waits_for_work(of);

	return sprof_verdict_of_view(of, view, idle);
}

static void verdicts_by_what_was_waited_for(void **state)
{
	const struct sprof_view all = {.thread = SPROF_PROFILE_NONE}, second = {.thread = 1};
	struct scene scene;

	set_up(&scene, true);
	add_thread(&scene, 0, "reader");
	add_thread(&scene, 1, "writer");
	blocked(&scene, 0, stack(&scene, 5, in_mutex), wait_for(&scene, &mutex), NULL);
	blocked(&scene, 1, stack(&scene, 4, in_flush), wait_for(&scene, &pipe_wait), NULL);
	charge(&scene, 0, 300);
	charge(&scene, 1, 50);
	resolve(&scene);
	assert_int_equal(judge(scene.profile, &all), SPROF_VERDICT_LOCK);
	assert_int_equal(judge(scene.profile, &second), SPROF_VERDICT_IO);
	tear_down(&scene);
}

/* pause(2) waits for somebody to want something; a poll of one socket for its answer. */
static void waiting_for_a_signal_is_not_io(void **state)
{
	const struct sprof_view all = {.thread = SPROF_PROFILE_NONE};
	struct sprof_wait wait = {.kind = SPROF_WAIT_KIND_EVENT, .module = SPROF_RECORD_NONE};

	for (int i = 0; i < 2; i++) {
		struct scene scene;

		set_up(&scene, true);
		wait.object = i ? "127.0.0.1:80" : NULL, wait.system_call = i ? 7 : 34;
		add_thread(&scene, 0, "main");
		blocked(&scene, 0, stack(&scene, 4, in_flush), wait_for(&scene, &wait), NULL);
		charge(&scene, 0, 50);
		resolve(&scene);
		assert_int_equal(
			judge(scene.profile, &all), i ? SPROF_VERDICT_IO : SPROF_VERDICT_IDLE);
		tear_down(&scene);
	}
}

TEST_MAIN("waits")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_and_who_holds_up_whom),
		cmocka_unit_test(the_holder_is_a_thread),
		cmocka_unit_test(each_process_has_its_own_locks),
		cmocka_unit_test(a_condition_variable_is_known_by_its_function),
		cmocka_unit_test(a_barrier_begins_before_its_word),
		cmocka_unit_test(an_interpreters_lock_stays_one),
		cmocka_unit_test(parts_of_an_interpreters_lock_are_one),
		cmocka_unit_test(a_lock_without_a_variable_has_its_place),
		cmocka_unit_test(the_kernels_end_of_the_stack_is_marked),
		cmocka_unit_test(equal_waits_are_one),
		cmocka_unit_test(verdicts_by_what_was_waited_for),
		cmocka_unit_test(waiting_for_a_signal_is_not_io),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
