/*
 * cmd/recording and cmd/outputs: what the options of run and attach come out as, and help that names
 * every format and weight there is.
 */
#include "cmd/record/recording.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/check.h"

static const struct sprof_option_group groups[] = {
	{"Sampling", sprof_recording_sampling_table},
	{"Output", sprof_recording_stats_table},
	{"What", sprof_report_options_output_table, offsetof(struct sprof_recording, shown)},
	{"What", sprof_report_options_weight_table, offsetof(struct sprof_recording, shown)},
	{"How", sprof_report_options_report_table, offsetof(struct sprof_recording, shown)},
	{0},
};

static const struct sprof_command command = {
	.name = "probe",
	.groups = groups,
	.defaults = &sprof_recording_defaults,
	.options_size = sizeof(struct sprof_recording),
};

/* Parses words that end with NULL, and settles the outputs. Nothing is permuted: see "+" in getopt(3). */
static bool parse(
	const char *const words[], struct sprof_recording *options, struct sprof_error *err)
{
	enum sprof_weight weight;
	int argc = 0, operands;

	while (words[argc])
		argc++;
	*options = sprof_recording_defaults;
	return sprof_command_parse(&command, argc, (char **)words, options, &operands, err) &&
		sprof_report_options_find_weight(options->shown.weight, &weight, err) &&
		sprof_outputs_settle(&options->shown.outputs, SPROF_STDOUT_SUMMARY, err);
}

static const struct sprof_option *row_of(const char *name)
{
	for (const struct sprof_option_group *group = groups; group->title; group++) {
		for (const struct sprof_option *row = group->options; row->name; row++) {
			if (strcmp(row->name, name) == 0)
				return row;
		}
	}
	fail_msg("no option --%s", name);
	return NULL;
}

static void help_says_where_the_formats_are(void **state)
{
	const struct sprof_format *format;
	char list[512];

	assert_non_null(strstr(row_of("format")->help, "--list-formats"));
	sprof_outputs_list_formats(list, sizeof(list));
	for (size_t i = 0; (format = sprof_format_at(i)); i++)
		assert_non_null(strstr(list, format->name));
}

static void help_names_every_weight(void **state)
{
	for (int i = 0; i < SPROF_WEIGHT_COUNT; i++)
		assert_non_null(
			strstr(row_of("weight")->help, sprof_weight_name((enum sprof_weight)i)));
}

static void the_suffix_names_the_format(void **state)
{
	static const char *const words[] = {"p", "-o", "a.folded", "-o", "b.txt", NULL};
	struct sprof_recording options;
	struct sprof_error err = {0};

	assert_true(parse(words, &options, &err));
	assert_int_equal(options.shown.outputs.count, 2);
	assert_string_equal(options.shown.outputs.items[0].format->name, "folded");
	assert_string_equal(options.shown.outputs.items[1].format->name, "text");
	assert_false(sprof_outputs_use_stdout(&options.shown.outputs));
	assert_int_equal(access("a.folded", F_OK), -1);
}

static void format_behind_an_output_is_its_own(void **state)
{
	static const char *const words[] = {
		"p", "-f", "text", "-o", "a.folded", "-o", "-", "-f", "folded", NULL};
	struct sprof_recording options;
	struct sprof_error err = {0};

	assert_true(parse(words, &options, &err));
	assert_string_equal(options.shown.outputs.items[0].format->name, "text");
	assert_string_equal(options.shown.outputs.items[1].format->name, "folded");
	assert_null(options.shown.outputs.items[1].path);
	assert_true(sprof_outputs_use_stdout(&options.shown.outputs));
}

static void without_output_it_is_stdout(void **state)
{
	static const char *const words[] = {"p", NULL};
	struct sprof_recording options;
	struct sprof_error err = {0};

	assert_true(parse(words, &options, &err));
	assert_int_equal(options.shown.outputs.count, 1);
	assert_true(sprof_outputs_use_stdout(&options.shown.outputs));
	assert_string_equal(options.shown.outputs.items[0].format->name,
		isatty(STDOUT_FILENO) ? "summary" : "folded");
}

static void names_of_stdout(void **state)
{
	static const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct sprof_outputs outputs = {0};
		struct sprof_error err = {0};

		assert_true(sprof_outputs_set_path(&outputs, names[i], &err));
		assert_true(sprof_outputs_use_stdout(&outputs));
	}
}

static void assert_refused(
	const char *const words[], enum sprof_error_kind kind, const char *message)
{
	struct sprof_recording options;
	struct sprof_error err = {0};

	assert_false(parse(words, &options, &err));
	assert_int_equal(err.kind, kind);
	assert_non_null(strstr(err.message, message));
}

static void refusals(void **state)
{
	static const char *const no_format[] = {"p", "-f", "nope", NULL};
	static const char *const no_suffix[] = {"p", "-o", "x.unknown", NULL};
	static const char *const no_folder[] = {"p", "-o", "/no/such/folder/x.folded", NULL};
	static const char *const no_weight[] = {"p", "--weight", "kilos", NULL};
	static const char *const no_mode[] = {"p", "--report-mode", "none", NULL};

	assert_refused(no_format, SPROF_ERROR_USAGE, "--format nope: no such format");
	assert_refused(no_suffix, SPROF_ERROR_USAGE, "x.unknown: the suffix names no format");
	assert_refused(no_folder, SPROF_ERROR_NOT_FOUND, "/no/such/folder/x.folded");
	assert_refused(no_weight, SPROF_ERROR_USAGE, "--weight kilos: not one of");
	assert_refused(no_mode, SPROF_ERROR_USAGE, "--report-mode none: not one of");
}

static void too_many_outputs(void **state)
{
	struct sprof_outputs outputs = {0};
	struct sprof_error err = {0};

	for (int i = 0; i < SPROF_MAX_OUTPUTS; i++)
		assert_true(sprof_outputs_set_path(&outputs, "x.txt", &err));
	assert_false(sprof_outputs_set_path(&outputs, "x.txt", &err));
	assert_string_equal(err.message, "more than 16 outputs");
}

TEST_MAIN("recording")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(help_says_where_the_formats_are),
		cmocka_unit_test(help_names_every_weight),
		cmocka_unit_test(the_suffix_names_the_format),
		cmocka_unit_test(format_behind_an_output_is_its_own),
		cmocka_unit_test(without_output_it_is_stdout),
		cmocka_unit_test(names_of_stdout),
		cmocka_unit_test(refusals),
		cmocka_unit_test(too_many_outputs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
