/* cmd/top-waits: a column keeps its place, so an order that was chosen stays, whoever holds locks meanwhile. */
#include <string.h>

#include "base/clock.h"
#include "output/top/views.h"
#include "profile/model/build.h"
#include "tests/unit/check.h"

enum { WAIT, THREADS, KIND, HOLDER, WHAT, COLUMNS };

static void add_wait(
	struct sprof_profile *profile, const char *object, const char *holder, uint64_t ms)
{
	const struct sprof_build_thread thread = {
		.pid = 1, .tid = 1, .name = "a", .process_name = "a"};
	const struct sprof_profile_context context = {.state = SPROF_STATE_SLEEP,
		.kind = SPROF_WAIT_KIND_LOCK,
		.syscall = "futex",
		.object = object,
		.holder = holder};
	struct sprof_profile_row row = {
		.metrics = {.samples = ms, .times.ns[SPROF_TIME_SLEEP] = ms * SPROF_NS_PER_MS}};
	uint32_t location;

	assert_true(sprof_build_thread(profile, &thread, &row.thread));
	assert_true(sprof_profile_name_location(profile, "work", &location));
	assert_true(sprof_profile_push(profile, SPROF_PROFILE_ROOT, location, &row.stack));
	assert_true(sprof_build_context(profile, &context, &row.context));
	assert_true(sprof_build_row(profile, &row, NULL));
}

/* The rows of two waits, sorted by what they wait for. */
static struct sprof_top_table sorted(struct sprof_profile *profile)
{
	const struct sprof_top_shown shown = {
		.profile = profile, .latest = profile, .duration_ns = SPROF_NS_PER_S};
	struct sprof_top_table table = {0};
	struct sprof_error err;

	assert_true(sprof_top_waits(&shown, &table, &err));
	sprof_top_table_sort(&table, WHAT, false);
	return table;
}

static void an_order_keeps_its_column_when_holders_come(void **state)
{
	struct sprof_profile *profile = sprof_build_create();
	struct sprof_top_table without, with;

	add_wait(profile, "mutex zebra+0", NULL, 500);
	add_wait(profile, "mutex ant+0", NULL, 100);
	without = sorted(profile);
	add_wait(profile, "mutex bee+0", "writer (7)", 50);
	with = sorted(profile);
	assert_int_equal(without.column_count, COLUMNS);
	assert_int_equal(with.column_count, COLUMNS);
	for (size_t i = 0; i < COLUMNS; i++)
		assert_string_equal(without.columns[i].title, with.columns[i].title);
	assert_non_null(strstr(without.rows[0].cells[WHAT].text, "ant"));
	assert_non_null(strstr(without.rows[1].cells[WHAT].text, "zebra"));
	assert_non_null(strstr(with.rows[0].cells[WHAT].text, "ant"));
	assert_non_null(strstr(with.rows[1].cells[WHAT].text, "bee"));
	assert_non_null(strstr(with.rows[1].cells[HOLDER].text, "writer (7)"));
	assert_string_equal(with.rows[0].cells[HOLDER].text, "");
	/* A column without any text does not take the room of the others. */
	assert_true(without.columns[HOLDER].width < with.columns[HOLDER].width);
	sprof_top_table_finish(&without);
	sprof_top_table_finish(&with);
	sprof_profile_destroy(profile);
}

TEST_MAIN("top-waits")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_order_keeps_its_column_when_holders_come),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
