/* profile/answer/deadlocks: which threads will wait for ever, by their last samples. */
#include "profile/answer/deadlocks.h"

#include "base/clock.h"
#include "tests/unit/check.h"

enum { THREADS = 4, LONG_NS = 200 * SPROF_NS_PER_MS };

struct scene {
	struct sprof_profile_thread threads[THREADS];
	struct sprof_profile profile;
	bool stuck[THREADS];
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
		found += scene->stuck[i];
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
	wait_for(&scene, 3, 2, SPROF_NS_PER_MS); /* only just */
	assert_int_equal(count(&scene), 3);
	assert_false(scene.stuck[3]);
}

static void a_thread_that_waits_for_itself(void **state)
{
	struct scene scene;

	set_up(&scene);
	wait_for(&scene, 2, 2, LONG_NS);
	assert_int_equal(count(&scene), 1);
	assert_true(scene.stuck[2]);
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

TEST_MAIN("deadlocks")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_circle_and_what_waits_for_it),
		cmocka_unit_test(a_thread_that_waits_for_itself),
		cmocka_unit_test(a_circle_of_different_moments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
