/*
 * events/activation-estimate: what was seen in windows, added to what is known of the time before.
 */
#include "events/functions/activations.h"

#include "tests/unit/check.h"

enum { F = 0, G = 1 };

static struct sprof_activation_factors by_thread(void *data, uint32_t thread)
{
	const struct sprof_activation_factors factors[] = {{2.5, 10}, {4, 10}};

	return factors[thread];
}

/* Calls of F, as one of its callers has them, and in all. */
static void add(struct sprof_activation_books *books, uint32_t thread, uint32_t caller,
	uint64_t returned, uint64_t total_ns)
{
	const uint32_t callers[] = {SPROF_ACTIVATION_ANY, caller};

	for (int i = 0; i < 2; i++) {
		struct sprof_activation_row *row;
		uint32_t index;

		assert_true(sprof_activation_books_row(books, thread, F, callers[i], &index));
		row = &books->rows[index];
		row->ends[SPROF_ACTIVATION_RETURNED] += returned;
		row->total_ns += total_ns;
		row->self_ns += total_ns;
		for (uint64_t j = 0; j < returned; j++)
			assert_true(sprof_histogram_add(&row->whole, total_ns / returned));
	}
}

static const struct sprof_activation_row *row_of(
	struct sprof_activation_books *books, uint32_t caller)
{
	uint32_t index;

	assert_true(sprof_activation_books_row(books, 0, F, caller, &index));
	return &books->rows[index];
}

static void each_thread_has_its_own_factor(void **state)
{
	struct sprof_activation_books seen = {.by_thread = true}, all = {0};
	const struct sprof_activation_row *own;

	add(&all, 0, G, 100, 1000);
	add(&seen, 0, G, 3, 30);
	add(&seen, 0, SPROF_ACTIVATION_ROOT, 1, 10);
	add(&seen, 1, G, 2, 40);
	assert_true(sprof_activation_estimate_add(
		&(struct sprof_activation_estimate){&seen, by_thread, NULL}, &all));
	own = row_of(&all, SPROF_ACTIVATION_ANY);
	assert_int_equal(row_of(&all, G)->ends[SPROF_ACTIVATION_RETURNED], 100 + 8 + 8);
	assert_int_equal(row_of(&all, SPROF_ACTIVATION_ROOT)->ends[SPROF_ACTIVATION_RETURNED], 3);
	assert_int_equal(own->ends[SPROF_ACTIVATION_RETURNED], 100 + 8 + 8 + 3);
	assert_int_equal(own->total_ns, 1000 + 10 * 80);
	assert_int_equal(own->self_ns, own->total_ns);
	/* Four calls of one duration are ten. */
	assert_int_equal(own->whole.count, 100 + 10 + 8);
	assert_int_equal(own->whole.total, 1000 + 100 + 160);
	sprof_activation_books_finish(&seen);
	sprof_activation_books_finish(&all);
}

static void calls_keep_their_callers(void **state)
{
	struct sprof_activation_books seen = {.limit = 2}, all = {.limit = 3};
	uint32_t index;

	for (int i = 0; i < 2; i++) {
		assert_true(sprof_activation_books_keep(
			&all, &(struct sprof_activation){.caller = SPROF_ACTIVATION_NONE}, &index));
		assert_true(sprof_activation_books_keep(&seen,
			&(struct sprof_activation){
				.function = F, .caller = i ? 0 : SPROF_ACTIVATION_NONE},
			&index));
	}
	seen.dropped = 5;
	assert_true(sprof_activation_estimate_add(
		&(struct sprof_activation_estimate){&seen, by_thread, NULL}, &all));
	assert_int_equal(all.call_count, 3);
	assert_true(all.calls[2].caller == SPROF_ACTIVATION_NONE);
	assert_int_equal(all.dropped, 1 + 5);
	all.limit = 5;
	assert_true(sprof_activation_estimate_add(
		&(struct sprof_activation_estimate){&seen, by_thread, NULL}, &all));
	assert_int_equal(all.calls[4].caller, 3);
	sprof_activation_books_finish(&seen);
	sprof_activation_books_finish(&all);
}

static void call(struct sprof_activations *activations, uint64_t begin_ns, uint64_t end_ns)
{
	const struct sprof_activation_call at = {.function = F, .sp = 900};
	struct sprof_trace_event event = {.time_ns = begin_ns, .thread = 1};

	assert_true(sprof_activations_begin(activations, &event, &at));
	event.time_ns = end_ns;
	assert_true(sprof_activations_end(activations, &event, &at));
}

/* A call in a window that counts three times, one in another: four of 10 ns. */
static void calls_count_as_their_windows(void **state)
{
	struct sprof_activations *activations =
		sprof_activations_create(&(struct sprof_activations_options){0});
	const struct sprof_activation_row *row;

	sprof_activations_weigh(activations, 3);
	call(activations, 10, 20);
	assert_true(sprof_activations_edge(activations, 40));
	sprof_activations_weigh(activations, 1);
	call(activations, 50, 60);
	assert_true(sprof_activations_close(activations, 70));
	row = &sprof_activations_books(activations)->rows[0];
	assert_int_equal(row->ends[SPROF_ACTIVATION_RETURNED], 4);
	assert_int_equal(row->total_ns, 40);
	assert_int_equal(row->self_ns, 40);
	assert_int_equal(row->whole.count, 4);
	assert_int_equal(row->whole.total, 40);
	sprof_activations_destroy(activations);
}

TEST_MAIN("activation-estimate")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_thread_has_its_own_factor),
		cmocka_unit_test(calls_keep_their_callers),
		cmocka_unit_test(calls_count_as_their_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
