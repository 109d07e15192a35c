/*
 * output/trace/heatmap: the names of its files.
 */
#include "output/trace/heatmap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/check.h"

enum { LONG = 5000 };

/* An empty folder; it is that of the test from then on. */
static void enter_folder(char path[])
{
	assert_non_null(mkdtemp(path));
	assert_int_equal(chdir(path), 0);
}

static void leave_folder(const char *path)
{
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(path), 0);
}

static void remove_files(const char *const names[])
{
	for (; *names; names++)
		assert_int_equal(unlink(*names), 0);
}

static void a_name_has_no_slash(void **state)
{
	static const char *const names[] = {"x-a_b-on.lat", "x-a_b-on.svg", "x.html", NULL};
	char folder[] = "/tmp/sprof-test-heatmap-XXXXXX", line[64] = "";
	struct sprof_heatmap heatmap = {.name = "./x"};
	struct sprof_error err = {0};
	FILE *file;

	enter_folder(folder);
	sprof_heatmap_write(&heatmap,
		&(struct sprof_heatmap_point){.begin = "a/b",
			.end = "on",
			.time_ns = 1234567890123,
			.latency_ns = 4001400});
	assert_true(sprof_heatmap_close(&heatmap, &err));
	file = fopen(names[0], "r");
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	assert_string_equal(line, "1234567890123 4001400\n");
	fclose(file);
	remove_files(names);
	leave_folder(folder);
}

static void a_name_is_too_long(void **state)
{
	struct sprof_heatmap heatmap = {.name = "/no/such/x"};
	struct sprof_error err = {0};
	char name[LONG + 1];

	memset(name, 'n', LONG);
	name[LONG] = '\0';
	sprof_heatmap_write(&heatmap, &(struct sprof_heatmap_point){.begin = name});
	assert_false(sprof_heatmap_close(&heatmap, &err));
	assert_non_null(strstr(err.message, "too long"));
}

TEST_MAIN("heatmap")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_has_no_slash),
		cmocka_unit_test(a_name_is_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
