/*
 * cmd/command and cmd/values: every spelling of an option, where operands begin, every way to be
 * wrong, and the help text.
 */
#include "cmd/cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "cmd/cli/option-values.h"
#include "tests/unit/check.h"

struct options {
	struct sprof_common_options common;
	pid_t pid;
	double rate;
	uint64_t duration;
	const char *text;
	size_t count;
	bool flag, sure;
};

#define FIELD(name) offsetof(struct options, name)

static const struct sprof_option option_table[] = {
	{"pid", "p", "PID", "the process", sprof_value_pid, FIELD(pid)},
	{"rate", "rF", "HZ", "samples per second", sprof_value_rate, FIELD(rate)},
	{"duration", "d", "TIME", "how long\nthen stop", sprof_value_duration, FIELD(duration)},
	{"text", NULL, "A-VERY-LONG-ARGUMENT-NAME", "a text", sprof_value_text, FIELD(text)},
	{"top", NULL, "N", "a number", sprof_value_count, FIELD(count)},
	{"threads", "t", NULL, "a flag", sprof_value_flag, FIELD(flag)},
	{"sure", NULL, NULL, "a flag", sprof_value_flag, FIELD(sure), .needs = "text=deep top rate",
		.conflicts = "pid duration=1s", .unless = "threads"},
	{0},
};

/* An old name, at an offset that counts from the group's base. */
static const struct sprof_option old_table[] = {
	{"each-thread", NULL, NULL, NULL, sprof_value_flag, 0},
	{0},
};

static const struct sprof_option_group groups[] = {
	{"Main", option_table},
	{"Main", old_table, FIELD(flag)},
	{"General", sprof_common_option_table},
	{0},
};

static const struct sprof_command command = {
	.name = "probe",
	.summary = "Does nothing",
	.synopsis = "[options] [--] [WORD...]",
	.details = "The end.\n",
	.groups = groups,
	.options_size = sizeof(struct options),
};

/* Parses a command line of at most 15 words, given as one text separated by blanks. */
static bool parse(const char *line, struct options *options, int *operands, struct sprof_error *err)
{
	static char name[] = "probe", copy[512];
	char *argv[16] = {name};
	int argc = 1;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
		assert_true(argc < 15);
		argv[argc++] = word;
	}
	*options = (struct options){.rate = 99};
	return sprof_command_parse(&command, argc, argv, options, operands, err);
}

static void assert_parses(const char *line, struct options *options, int operands)
{
	struct sprof_error err = {0};
	int first = -1;

	if (!parse(line, options, &first, &err))
		fail_msg("%s: %s", line, err.message);
	assert_int_equal(first, operands);
}

static void assert_refused(const char *line, const char *message)
{
	struct sprof_error err = {0};
	struct options options;
	int first = -1;

	if (parse(line, &options, &first, &err))
		fail_msg("%s: accepted", line);
	assert_int_equal(err.kind, SPROF_ERROR_USAGE);
	assert_string_equal(err.message, message);
	assert_int_equal(first, -1);
}

static void defaults_stay(void **state)
{
	struct options options;

	assert_parses("", &options, 1);
	assert_true(options.rate == 99);
	assert_false(options.flag);
	assert_null(options.text);
}

static void every_spelling(void **state)
{
	static const struct {
		const char *line;
		int operands;
	} cases[] = {
		{"-p 12 -r 50.5 -d 500ms -t", 8},
		{"-p12 -r50.5 -d500ms -t", 5},
		{"-tp12 -F50.5 -d 500ms", 5},
		{"--pid 12 --rate 50.5 --duration 500ms --threads", 8},
		{"--pid=12 --rate=50.5 --duration=500ms --threads", 5},
		{"--pi=12 --ra 50.5 --dur 500ms --thr", 7},
	};
	struct options options;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_parses(cases[i].line, &options, cases[i].operands);
		assert_int_equal(options.pid, 12);
		assert_true(options.rate == 50.5);
		assert_int_equal(options.duration, 500000000);
		assert_true(options.flag);
	}
}

static void operands_are_left_alone(void **state)
{
	struct options options;

	assert_parses("-t -- ls -l -p x", &options, 3);
	assert_parses("-t ls -p x", &options, 2);
	assert_int_equal(options.pid, 0);
	assert_parses("ls", &options, 1);
	assert_parses("--", &options, 2);
}

static void the_last_one_wins(void **state)
{
	struct options options;

	assert_parses("-r 5 -F 7 --rate 11", &options, 7);
	assert_true(options.rate == 11);
}

static void common_options(void **state)
{
	struct options options;

	assert_parses("-q -v -h", &options, 4);
	assert_true(options.common.help && options.common.quiet && options.common.verbose);
}

static void old_names_are_accepted_and_not_shown(void **state)
{
	struct sprof_error err = {0};
	struct options options;
	int operands;

	assert_true(parse("--each-thread", &options, &operands, &err));
	assert_true(options.flag);
	assert_false(parse("--each-thred", &options, &operands, &err));
	assert_null(strstr(err.hint, "did you mean"));
}

static void wrong_options(void **state)
{
	assert_refused("--nope", "unknown option --nope");
	assert_refused("-x", "unknown option -x");
	assert_refused("-tx", "unknown option -x");
	assert_refused("--pid", "option --pid needs a value: PID");
	assert_refused("-p", "option --pid needs a value: PID");
	assert_refused("--threads=1", "option --threads takes no value");
	assert_refused("--t", "unknown option --t");
}

static void wrong_pids_and_counts(void **state)
{
	static const char *const bad[] = {
		"0", "-1", "+1", "x", "1x", "0x10", "2147483648", "99999999999999999999", "1.5"};
	char line[64], message[128];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(line, sizeof(line), "--pid=%s", bad[i]);
		snprintf(message, sizeof(message), "--pid %s: not a process id", bad[i]);
		assert_refused(line, message);
		snprintf(line, sizeof(line), "--top=%s", bad[i]);
		snprintf(message, sizeof(message), "--top %s: not a number from 1 to 1000000",
			bad[i]);
		assert_refused(line, message);
	}
}

static void wrong_rates(void **state)
{
	static const char *const bad[] = {
		"0", "-5", "nan", "-nan", "inf", "1e9", "10001", "10000.1", "x", "99x", "1e-300"};
	char line[64], message[128];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(line, sizeof(line), "--rate=%s", bad[i]);
		snprintf(message, sizeof(message),
			"--rate %s: not a rate: samples per second, above 0 and at most 10000",
			bad[i]);
		assert_refused(line, message);
	}
}

static void wrong_durations_and_texts(void **state)
{
	assert_refused("-d 10x",
		"--duration 10x: not a time: a number of seconds, or with units, such as 10, 500ms, 1m30s");
	assert_refused("--text=", "--text '': is empty");
}

static void options_without_what_they_need(void **state)
{
	struct options options;

	assert_refused("--sure", "--sure needs --text deep, --top or --rate");
	assert_refused("--sure --text dee", "--sure needs --text deep, --top or --rate");
	assert_refused("--sure --text deeper", "--sure needs --text deep, --top or --rate");
	assert_parses("--sure --text deep", &options, 4);
	assert_parses("--text=deep --sure", &options, 3);
	assert_parses("--top 3 --sure", &options, 4);
	assert_true(options.sure);
	assert_parses("--sure --help", &options, 3);
}

static void options_that_contradict(void **state)
{
	struct options options;

	assert_refused("--sure --top 3 -p 1", "--sure and --pid exclude each other");
	assert_refused("-d 1s --top 3 --sure", "--sure and --duration 1s exclude each other");
	assert_parses("-d 2s --top 3 --sure", &options, 6);
	assert_parses("--sure --top 3 -p 1 -t", &options, 7);
}

static void help_shows_every_option(void **state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(stream);
	sprof_command_help(&command, stream);
	fclose(stream);
	assert_int_equal(strncmp(text, "Usage: sprof probe [options]", 28), 0);
	assert_non_null(strstr(text, "\nDoes nothing.\n\nMain:\n"));
	assert_non_null(strstr(text, "\n  -p, --pid PID               the process\n"));
	assert_non_null(strstr(text, "\n  -r, --rate HZ               samples per second\n"));
	assert_non_null(strstr(text, "  how long then stop\n"));
	assert_non_null(strstr(text,
		"\n      --text A-VERY-LONG-ARGUMENT-NAME\n                              a text\n"));
	assert_non_null(strstr(text, "\n  -h, --help "));
	assert_non_null(strstr(text, "\n\nThe end.\n"));
	assert_null(strstr(text, "each-thread"));
	assert_null(strstr(strstr(text, "\nMain:\n") + 1, "\nMain:\n"));
	free(text);
}

static char *help_of(const struct sprof_command *shown)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(stream);
	sprof_command_help(shown, stream);
	fclose(stream);
	return text;
}

/* No word of a list is taken for the beginning of another one. */
static void help_has_an_order_and_hides(void **state)
{
	struct sprof_command listed = command;
	char *text;

	listed.hidden = "to duration  threads";
	listed.first = "top pid";
	text = help_of(&listed);
	assert_non_null(strstr(text, "\n\nUsed most:\n  -p, --pid PID "));
	assert_true(strstr(text, "--top N") < strstr(text, "\nMain:\n  -r, --rate"));
	assert_non_null(strstr(text, "--text"));
	assert_null(strstr(text, "--duration"));
	assert_null(strstr(text, "--threads"));
	free(text);
	assert_true(sprof_command_hides(&listed, &option_table[2]));
	assert_false(sprof_command_hides(&listed, &option_table[3]));
	assert_false(sprof_command_hides(&command, &option_table[2]));
	assert_true(sprof_command_hides(&command, &old_table[0]));
}

TEST_MAIN("command")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_stay),
		cmocka_unit_test(every_spelling),
		cmocka_unit_test(operands_are_left_alone),
		cmocka_unit_test(the_last_one_wins),
		cmocka_unit_test(common_options),
		cmocka_unit_test(old_names_are_accepted_and_not_shown),
		cmocka_unit_test(wrong_options),
		cmocka_unit_test(wrong_pids_and_counts),
		cmocka_unit_test(wrong_rates),
		cmocka_unit_test(wrong_durations_and_texts),
		cmocka_unit_test(options_without_what_they_need),
		cmocka_unit_test(options_that_contradict),
		cmocka_unit_test(help_shows_every_option),
		cmocka_unit_test(help_has_an_order_and_hides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
