/* All views of one profile have the same figure for the same name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "output/html/html.h"
#include "output/top/views.h"
#include "profile/model/build.h"
#include "profile/model/profile.h"
#include "tests/unit/check.h"
#include "tests/unit/output/written.h"
#include "tests/unit/profile/example.h"

static const char app[] = "/home/me/app", source[] = "/home/me/app.c",
		  libc[] = "/usr/lib/x86_64-linux-gnu/libc.so.6";

static void add(
	struct sprof_profile *profile, const struct example_function *functions, uint64_t ms)
{
	example_add_row(profile, 0, example_stack_in(profile, functions),
		&(struct sprof_metrics){
			.samples = ms / 10, .times.ns[SPROF_TIME_USER] = ms * SPROF_NS_PER_MS});
}

/* A second thread waits for a connection. */
static void add_idle(struct sprof_profile *profile, uint64_t ms)
{
	static const struct sprof_profile_context accepts = {.state = SPROF_STATE_SLEEP,
		.kind = SPROF_WAIT_KIND_IO,
		.syscall = "accept",
		.object = "tcp 0.0.0.0:80 listening"};
	static const struct example_function serve[] = {
		{"main", app, source, 9}, {"serve", app, source, 12}, {"accept", libc}, {0}};
	struct sprof_profile_row row = {.thread = example_thread(profile, "b"),
		.stack = example_stack_in(profile, serve),
		.metrics = {
			.samples = ms / 10, .times.ns[SPROF_TIME_SLEEP] = ms * SPROF_NS_PER_MS}};

	assert_true(sprof_build_context(profile, &accepts, &row.context));
	assert_true(sprof_build_row(profile, &row, NULL));
}

/*
 * parse: 448 of 1000 ms, of these 400 in libc; load: 552 ms, of these 350 in libc; and 500 ms idle.
 */
static struct sprof_profile *make(void)
{
	static const struct example_function parse[] = {
		{"main", app, source, 9}, {"parse", app, source, 2}, {0}};
	static const struct example_function compares[] = {
		{"main", app, source, 9}, {"parse", app, source, 3}, {"__memcmp_avx2", libc}, {0}};
	static const struct example_function load[] = {
		{"main", app, source, 8}, {"load", app, source, 5}, {0}};
	static const struct example_function copies[] = {
		{"main", app, source, 8}, {"load", app, source, 6}, {"__memcpy_avx2", libc}, {0}};
	struct sprof_profile *profile = sprof_build_create();

	example_thread(profile, "a");
	add(profile, parse, 48);
	add(profile, compares, 400);
	add(profile, load, 202);
	add(profile, copies, 350);
	add_idle(profile, 500);
	return profile;
}

static void assert_has(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("no %s in:\n%s", words, text);
}

static char *page_of(const struct sprof_profile *profile)
{
	const struct sprof_output_options options = sprof_output_options_default();
	struct sprof_error err;
	int fd;
	struct sprof_out *out = written_open(&fd);

	assert_true(sprof_html_write_data(profile, &options, out, &err));
	return written_take(out, fd);
}

static double top_of(const struct sprof_profile *profile, const char *name)
{
	const struct sprof_top_shown shown = {
		.profile = profile, .latest = profile, .duration_ns = SPROF_NS_PER_S};
	struct sprof_top_table table = {0};
	struct sprof_error err;
	double found = -1;

	assert_true(sprof_top_functions(&shown, &table, &err));
	for (size_t i = 0; i < table.count; i++) {
		const struct sprof_top_row *row = &table.rows[i];

		assert_string_not_equal(row->cells[table.column_count - 1].text, "__memcmp_avx2");
		if (strcmp(row->cells[table.column_count - 1].text, name) == 0)
			found = row->cells[1].number;
	}
	sprof_top_table_finish(&table);
	return found;
}

static void one_name_has_one_figure(void **state)
{
	const struct sprof_output_options options = sprof_output_options_default();
	struct sprof_profile *profile = make();
	SPROF_AUTO_FREE char *screen = written_by(&sprof_format_summary, profile, &options);
	SPROF_AUTO_FREE char *report = written_by(&sprof_format_text, profile, &options);
	SPROF_AUTO_FREE char *json = written_by(&sprof_format_json, profile, &options);
	SPROF_AUTO_FREE char *page = page_of(profile);
	char line[64];
	uint32_t parse = 0;

	assert_has(screen, "44.8 %  cpu     parse, in __memcmp_avx2\n");
	assert_has(screen, "55.2 %  cpu     load, in __memcpy_avx2\n");
	assert_has(screen, "44.8 %  main > parse\n");
	assert_has(screen, "shares are of 1.000 s; idle 500.0 ms");
	assert_has(report, screen);
	/* Other figures are of another whole, in the same words. */
	assert_has(report, "flat profile, by wall time: shares are of 1.500 s, with idle time\n");
	assert_has(report, "(top down), by wall time: shares are of 1.500 s, with idle time\n");
	assert_has(report, "(bottom up), by wall time: shares are of 1.500 s, with idle time\n");
	assert_has(report,
		"blocked for 500.0 ms of 1.500 s; shares are of 500.0 ms, with idle time\n");
	assert_has(json,
		"\"name\":\"parse\",\"ns\":448000000,\"percent\":44.8,\"in\":\"__memcmp_avx2\"");
	assert_has(json,
		"\"verdict\":[\"example (100): 100 % computing, 55 % of that in load (mostly in __memcpy_avx2)\"");
	while (strcmp(profile->functions[parse].name, "parse") != 0)
		parse++;
	snprintf(line, sizeof(line), ",%u,448]", parse);
	assert_has(page, line);
	assert_true(top_of(profile, "parse") > 44.79 && top_of(profile, "parse") < 44.81);
	assert_true(top_of(profile, "load") > 55.19 && top_of(profile, "load") < 55.21);
	sprof_profile_destroy(profile);
}

TEST_MAIN("one-answer")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_name_has_one_figure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
