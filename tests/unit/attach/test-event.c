/*
 * attach/event: the queue keeps the order, at every place of its ring, and forgets a thread.
 */
#include "attach/event.h"

#include "attach/thread.h"
#include "tests/unit/check.h"

static void nothing_is_taken_from_an_empty_queue(void **state)
{
	struct sprof_event_queue queue = {0};
	struct sprof_event event = {.kind = SPROF_EVENT_EMPTY};

	assert_false(sprof_event_queue_take(&queue, &event));
	assert_int_equal(event.kind, SPROF_EVENT_EMPTY);
}

static void events_come_in_their_order(void **state)
{
	struct sprof_event_queue queue = {0};
	struct sprof_thread threads[SPROF_EVENTS_MAX];
	struct sprof_event event;

	for (int start = 0; start < SPROF_EVENTS_MAX; start++) {
		for (int i = 0; i < SPROF_EVENTS_MAX; i++)
			sprof_event_queue_put(&queue, SPROF_EVENT_ENDED, &threads[i]);
		for (int i = 0; i < SPROF_EVENTS_MAX; i++) {
			assert_true(sprof_event_queue_take(&queue, &event));
			assert_int_equal(event.kind, SPROF_EVENT_ENDED);
			assert_ptr_equal(event.thread, &threads[i]);
		}
		/* The next round begins one place further on. */
		sprof_event_queue_put(&queue, SPROF_EVENT_EXEC, &threads[0]);
		assert_true(sprof_event_queue_take(&queue, &event));
		assert_false(sprof_event_queue_take(&queue, &event));
	}
}

static void a_signal_has_its_information(void **state)
{
	const siginfo_t info = {.si_signo = SIGUSR1, .si_pid = 7};
	struct sprof_event_queue queue = {0};
	struct sprof_event event;

	sprof_event_queue_put_signal(&queue, &info);
	assert_true(sprof_event_queue_take(&queue, &event));
	assert_int_equal(event.kind, SPROF_EVENT_SIGNAL);
	assert_null(event.thread);
	assert_int_equal(event.info.si_signo, SIGUSR1);
	assert_int_equal(event.info.si_pid, 7);
}

static void what_a_forgotten_thread_reported_is_dropped(void **state)
{
	struct sprof_event_queue queue = {.first = SPROF_EVENTS_MAX - 1};
	struct sprof_thread gone, other;
	struct sprof_event event;

	sprof_event_queue_put(&queue, SPROF_EVENT_STOPPED, &gone);
	sprof_event_queue_put(&queue, SPROF_EVENT_EXEC, &other);
	sprof_event_queue_put(&queue, SPROF_EVENT_ENDED, &gone);
	sprof_event_queue_put_signal(&queue, &(siginfo_t){.si_signo = SIGUSR1});
	sprof_event_queue_drop(&queue, &gone);
	assert_true(sprof_event_queue_take(&queue, &event));
	assert_ptr_equal(event.thread, &other);
	assert_true(sprof_event_queue_take(&queue, &event));
	assert_int_equal(event.kind, SPROF_EVENT_SIGNAL);
	assert_false(sprof_event_queue_take(&queue, &event));
}

TEST_MAIN("event")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_taken_from_an_empty_queue),
		cmocka_unit_test(events_come_in_their_order),
		cmocka_unit_test(a_signal_has_its_information),
		cmocka_unit_test(what_a_forgotten_thread_reported_is_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
