/* profile/answer/deadlocks: which threads will wait for ever, by their last samples. */
#include "profile/answer/deadlocks.h"

#include "base/clock.h"
#include "tests/unit/check.h"

enum { THREADS = 4, LONG_NS = 200 * SPROF_NS_PER_MS };

struct scene {
	struct sprof_profile_thread threads[THREADS];
	struct sprof_profile profile;
	enum sprof_stuck stuck[THREADS];
};

/* No thread waits. */
static void set_up(struct scene *scene)
{
	*scene = (struct scene){0};
	scene->profile.threads = scene->threads;
	scene->profile.thread_count = THREADS;
	for (uint32_t i = 0; i < THREADS; i++) {
		scene->threads[i].last_ns = SPROF_NS_PER_S;
		scene->threads[i].last_wait.holder = SPROF_PROFILE_NONE;
	}
}

static void wait_for(struct scene *scene, uint32_t thread, uint32_t holder, uint64_t ns)
{
	scene->threads[thread].last_wait = (struct sprof_last_wait){
		.wait = 1, .holder = holder, .since_ns = scene->threads[thread].last_ns - ns};
}

static size_t count(struct scene *scene)
{
	size_t found = 0;

	assert_true(sprof_profile_find_deadlocks(&scene->profile, scene->stuck));
	for (uint32_t i = 0; i < THREADS; i++)
		found += scene->stuck[i] != SPROF_STUCK_NOT;
	return found;
}

static void a_circle_and_what_waits_for_it(void **state)
{
	struct scene scene;

	set_up(&scene);
	assert_int_equal(count(&scene), 0);
	wait_for(&scene, 0, 1, LONG_NS);
	assert_int_equal(count(&scene), 0);
	wait_for(&scene, 1, 0, LONG_NS);
	assert_int_equal(count(&scene), 2);
	wait_for(&scene, 3, 2, LONG_NS);
	assert_int_equal(count(&scene), 2);
	wait_for(&scene, 2, 1, LONG_NS);
	assert_int_equal(count(&scene), 4);
	for (uint32_t i = 0; i < THREADS; i++)
		assert_int_equal(scene.stuck[i], i < 2 ? SPROF_STUCK_LOCKED : SPROF_STUCK_BEHIND);
	wait_for(&scene, 3, 2, SPROF_NS_PER_MS); /* only just */
	assert_int_equal(count(&scene), 3);
	assert_int_equal(scene.stuck[3], SPROF_STUCK_NOT);
}

static void a_thread_that_waits_for_itself(void **state)
{
	struct scene scene;

	set_up(&scene);
	wait_for(&scene, 2, 2, LONG_NS);
	assert_int_equal(count(&scene), 1);
	assert_int_equal(scene.stuck[2], SPROF_STUCK_LOCKED);
}

/* Two threads were each seen to wait for the other, but not at the same time. */
static void a_circle_of_different_moments(void **state)
{
	struct scene scene;

	set_up(&scene);
	wait_for(&scene, 0, 1, LONG_NS);
	wait_for(&scene, 1, 0, SPROF_NS_PER_MS);
	assert_int_equal(count(&scene), 0);
	scene.threads[1].last_ns = SPROF_NS_PER_S - LONG_NS;
	wait_for(&scene, 1, 0, LONG_NS);
	assert_int_equal(count(&scene), 0);
}

/* Thread 0 waits without a known holder; `function` made the call. */
struct hopeless {
	struct scene scene;
	struct sprof_profile_wait waits[2];
	struct sprof_profile_row row;
	struct sprof_profile_function function;
	struct sprof_profile_line line;
	struct sprof_profile_location location;
	struct sprof_profile_stack stacks[2];
};

static void wait_without_holder(
	struct hopeless *made, const char *function, struct sprof_lock_traits traits)
{
	struct sprof_profile *profile = &made->scene.profile;

	set_up(&made->scene);
	made->waits[1] = (struct sprof_profile_wait){.traits = traits};
	made->function =
		(struct sprof_profile_function){.name = function, .module = SPROF_PROFILE_NONE};
	made->line = (struct sprof_profile_line){0};
	made->location = (struct sprof_profile_location){.line_count = 1};
	made->stacks[SPROF_PROFILE_ROOT].location = SPROF_PROFILE_NONE;
	made->stacks[1] = (struct sprof_profile_stack){.parent = SPROF_PROFILE_ROOT, .location = 0};
	made->row = (struct sprof_profile_row){.stack = 1};
	profile->waits = made->waits;
	profile->functions = &made->function;
	profile->lines = &made->line;
	profile->locations = &made->location;
	profile->stacks = made->stacks;
	profile->rows = &made->row;
	wait_for(&made->scene, 0, SPROF_PROFILE_NONE, LONG_NS);
}

/* Memory that looks like a mutex is none: a function of libc confirms it. */
static void a_lock_that_nothing_will_free(void **state)
{
	const struct sprof_lock_traits endless = {.is_endless = true}, lost = {.lost_owner = 77};
	struct hopeless made;

	wait_without_holder(&made, "pthread_mutex_lock", endless);
	assert_int_equal(count(&made.scene), 1);
	assert_int_equal(made.scene.stuck[0], SPROF_STUCK_LOCKED);
	wait_without_holder(&made, "pthread_mutex_lock", lost);
	assert_int_equal(count(&made.scene), 1);
	wait_without_holder(&made, "pthread_rwlock_wrlock", lost);
	assert_int_equal(count(&made.scene), 1);
	wait_without_holder(&made, "pthread_rwlock_wrlock", endless);
	assert_int_equal(count(&made.scene), 0);
	wait_without_holder(&made, "work", endless);
	assert_int_equal(count(&made.scene), 0);
	wait_without_holder(&made, "pthread_mutex_lock", (struct sprof_lock_traits){0});
	assert_int_equal(count(&made.scene), 0);
}

/* It may be freed yet: it waits only just, or its holder is known. */
static void a_lock_that_may_be_freed(void **state)
{
	const struct sprof_lock_traits lost = {.lost_owner = 77};
	struct hopeless made;

	wait_without_holder(&made, "pthread_mutex_lock", lost);
	wait_for(&made.scene, 0, SPROF_PROFILE_NONE, SPROF_NS_PER_MS);
	assert_int_equal(count(&made.scene), 0);
	wait_for(&made.scene, 0, 1, LONG_NS);
	assert_int_equal(count(&made.scene), 0);
}

static void what_waits_for_a_hopeless_thread(void **state)
{
	const struct sprof_lock_traits lost = {.lost_owner = 77};
	struct hopeless made;

	wait_without_holder(&made, "pthread_mutex_lock", lost);
	wait_for(&made.scene, 1, 2, LONG_NS);
	wait_for(&made.scene, 2, 0, LONG_NS);
	wait_for(&made.scene, 3, 0, SPROF_NS_PER_MS);
	assert_int_equal(count(&made.scene), 3);
	assert_int_equal(made.scene.stuck[1], SPROF_STUCK_BEHIND);
	assert_int_equal(made.scene.stuck[3], SPROF_STUCK_NOT);
}

TEST_MAIN("deadlocks")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_circle_and_what_waits_for_it),
		cmocka_unit_test(a_thread_that_waits_for_itself),
		cmocka_unit_test(a_circle_of_different_moments),
		cmocka_unit_test(a_lock_that_nothing_will_free),
		cmocka_unit_test(a_lock_that_may_be_freed),
		cmocka_unit_test(what_waits_for_a_hopeless_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
