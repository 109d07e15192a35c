/*
 * sampler/slots: room for the threads to stop, and the spare slot for an unexpected stop.
 */
#include "sampler/stop/slots.h"

#include "sampler/sampled.h"
#include "tests/unit/check.h"

enum { THREADS = 3 };

static struct scene {
	struct sampled_process sampled_process;
	struct sprof_process process;
	struct sampled sampled[THREADS];
	struct sprof_thread threads[THREADS];
	struct slots slots;
} scene;

static int set_up(void **state)
{
	scene = (struct scene){0};
	scene.process.sampling = &scene.sampled_process;
	for (size_t i = 0; i < THREADS; i++) {
		scene.threads[i].sampling = &scene.sampled[i];
		scene.threads[i].process = &scene.process;
		scene.threads[i].phase = SPROF_THREAD_RUNNING;
		sprof_copy_plan_expect(&scene.threads[i]);
	}
	return 0;
}

static int tear_down(void **state)
{
	sprof_slots_finish(&scene.slots);
	return 0;
}

static struct slot *add(size_t thread)
{
	const struct ask ask = {.thread = &scene.threads[thread], .cpu = {.number = (int)thread}};

	assert_true(sprof_slots_add(&scene.slots, NULL, &ask));
	return sprof_slots_find(&scene.slots, &scene.threads[thread]);
}

static void each_thread_has_its_own(void **state)
{
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(add(i)->ask.cpu.number, i);
	assert_int_equal(scene.slots.count, THREADS);
	for (size_t i = 0; i < THREADS; i++) {
		const struct slot *slot = sprof_slots_find(&scene.slots, &scene.threads[i]);

		assert_ptr_equal(slot->ask.thread, &scene.threads[i]);
		assert_true(sprof_copy_has_room(&slot->buffer, &scene.sampled[i].copy));
	}
}

static void one_that_has_been_asked_comes_when_it_can(void **state)
{
	scene.threads[1].phase = SPROF_THREAD_INTERRUPTED;
	assert_int_equal(add(0)->phase, SLOT_PLANNED);
	assert_int_equal(add(1)->phase, SLOT_QUEUED);
	assert_null(sprof_slots_find(&scene.slots, &scene.threads[2]));
}

static struct slot *use_spare(size_t thread)
{
	return sprof_slots_use_spare(&scene.slots, &(struct ask){.thread = &scene.threads[thread]});
}

static void the_spare_one_serves_one_stop_at_a_time(void **state)
{
	/* Nothing is allocated yet. */
	assert_null(use_spare(0));
	add(0);
	sprof_copy_plan_grow(&scene.sampled[1].copy.size);
	assert_null(use_spare(1));
	assert_non_null(use_spare(2));
	assert_null(use_spare(0));
}

static void a_group_waits_until_it_gives_up(void **state)
{
	struct slot_group group;

	for (size_t i = 0; i < THREADS; i++)
		add(i);
	group = (struct slot_group){scene.slots.items, scene.slots.items + 2};
	assert_true(sprof_slot_group_has(&group, &group.first[1]));
	assert_false(sprof_slot_group_has(&group, group.last));
	for (size_t i = 0; i < THREADS; i++) {
		scene.slots.items[i].phase = SLOT_ASKED;
		scene.slots.items[i].awaited = true;
	}
	sprof_slot_group_queue_rest(&group);
	assert_false(sprof_slot_group_is_asked(&group));
	assert_true(sprof_slot_group_is_awaited(&group));
	sprof_slot_group_give_up(&group);
	assert_false(sprof_slot_group_is_awaited(&group));
	assert_int_equal(scene.slots.items[2].phase, SLOT_ASKED);
	assert_true(scene.slots.items[2].awaited);
}

TEST_MAIN("slots")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_thread_has_its_own, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			one_that_has_been_asked_comes_when_it_can, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			the_spare_one_serves_one_stop_at_a_time, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_group_waits_until_it_gives_up, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
