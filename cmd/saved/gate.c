/*
 * sprof diff --fail-if: compares several saved profiles per side; the exit code says whether a
 * figure has grown beyond its limit. profile/compare/gate.h does the comparison.
 */
#include "cmd/saved/gate.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/cli/option-values.h"
#include "cmd/cli/progress.h"
#include "cmd/cli/report-file.h"
#include "cmd/saved/reading.h"
#include "output/gate/gate.h"

#define FIELD(name) offsetof(struct sprof_gate_options, name)

static const double default_level = 0.05, max_level = 0.5;

static bool add_condition(void *field, const char *text, struct sprof_error *err)
{
	struct sprof_gate_options *options = field;

	if (options->count == SPROF_GATE_CONDITIONS_MAX)
		return sprof_error_set(err, SPROF_ERROR_USAGE, "there are more than %d conditions",
			SPROF_GATE_CONDITIONS_MAX);
	if (!sprof_gate_condition_parse(text, &options->conditions[options->count], err))
		return false;
	options->count++;
	return true;
}

static bool set_level(void *field, const char *text, struct sprof_error *err)
{
	double value;

	if (!sprof_value_percentage(&value, text, err))
		return false;
	if (value > max_level)
		return sprof_error_set(err, SPROF_ERROR_USAGE, "is at most 50");
	*(double *)field = value;
	return true;
}

const struct sprof_option sprof_gate_option_table[] = {
	{"fail-if", NULL, "CONDITION",
		"exit with 1 if a figure has certainly grown by more than this:\n"
		"'wall(parse) > +5%', 'self-user(parse) > +20ms', 'sys > +1%'; may\n"
		"be given several times",
		add_condition, 0},
	{"level", NULL, "PCT",
		"highest rate of false alarms, in percent, for all conditions\n"
		"together (5)",
		set_level, FIELD(level), .needs = "fail-if"},
	{"junit", NULL, "FILE", "also write the results as a JUnit report", sprof_value_text,
		FIELD(junit), .needs = "fail-if"},
	{"markdown", NULL, "FILE", "also write the results as Markdown", sprof_value_text,
		FIELD(markdown), .needs = "fail-if"},
	{0},
};

static bool usage(struct sprof_error *err, const char *what)
{
	sprof_error_set(err, SPROF_ERROR_USAGE, "%s", what);
	return sprof_error_hint(err,
		"for example: sprof diff --fail-if 'wall(parse) > +5%%' before-*.pb.gz -- "
		"after-*.pb.gz");
}

/* The number of words up to "--" or the end. */
static size_t count_words(char *const words[])
{
	size_t count = 0;

	while (words[count] && strcmp(words[count], "--") != 0)
		count++;
	return count;
}

static bool add_file(const struct sprof_reading *options, struct sprof_gate *gate, const char *path,
	struct sprof_error *err)
{
	struct sprof_profile *profile;
	struct sprof_error reason = {0};
	bool ok;

	if (!sprof_reading_load(options, path, &profile, err))
		return false;
	ok = sprof_report_options_filter(&options->shown, &profile, &reason);
	if (!ok) {
		sprof_error_set(err, reason.kind, "%s: %s", path, reason.message);
		sprof_error_hint(err, "%s", reason.hint);
	}
	ok = ok && sprof_gate_add(gate, profile, path, err);
	sprof_profile_destroy(profile);
	return ok;
}

static bool add_files(const struct sprof_reading *options, struct sprof_gate *gate,
	char *const paths[], struct sprof_error *err)
{
	struct sprof_progress *progress = sprof_progress_begin("reading %s and others", paths[0]);
	bool ok = true;

	for (size_t i = 0; ok && paths[i]; i++)
		ok = strcmp(paths[i], "--") == 0 || add_file(options, gate, paths[i], err);
	sprof_progress_end(progress);
	return ok;
}

typedef bool (*writer)(const struct sprof_gate *gate, struct sprof_out *out);

/* `path` NULL: stdout. */
static bool write_to(
	const struct sprof_gate *gate, const char *path, writer write, struct sprof_error *err)
{
	struct sprof_out *out;

	if (!sprof_report_file_open(path, &out, err))
		return false;
	return sprof_out_end(out, write(gate, out) || sprof_error_no_memory(err), err);
}

static bool write_all(const struct sprof_gate *gate, const struct sprof_gate_options *options,
	struct sprof_error *err)
{
	return write_to(gate, NULL, sprof_gate_write_text, err) &&
		(!options->junit || write_to(gate, options->junit, sprof_gate_write_junit, err)) &&
		(!options->markdown ||
			write_to(gate, options->markdown, sprof_gate_write_markdown, err));
}

static bool check(
	const struct sprof_reading *options, char *const operands[], struct sprof_error *err)
{
	const struct sprof_gate_options *gate = &options->gate;
	size_t before = count_words(operands), after;

	if (!before || !operands[before] || !operands[before + 1])
		return usage(err, "--fail-if needs the runs before, --, and the runs after");
	after = count_words(operands + before + 1);
	if (operands[before + 1 + after])
		return usage(err, "there is more than one --");
	for (size_t i = before + 1; operands[i]; i++) {
		if (operands[i][0] == '-' && operands[i][1])
			return usage(err, "options must precede the --");
	}
	if (options->shown.outputs.count || options->shown.weight ||
		options->shown.output.absolute || options->shown.output.shares ||
		sprof_report_options_asks_for_text(&options->shown) ||
		options->shown.output.threads)
		return usage(err,
			"--fail-if prints another table (also --junit and --markdown), and its "
			"conditions select the figures");
	return (!gate->junit || sprof_out_probe(gate->junit, err)) &&
		(!gate->markdown || sprof_out_probe(gate->markdown, err));
}

bool sprof_gate_run(const struct sprof_reading *options, char *const operands[], int *ret_exit,
	struct sprof_error *err)
{
	const struct sprof_gate_options *wanted = &options->gate;
	size_t expected[SPROF_SIDES];
	struct sprof_gate gate;
	bool ok;

	if (!check(options, operands, err))
		return false;
	expected[SPROF_SIDE_BASE] = count_words(operands);
	expected[SPROF_SIDE_NEW] = count_words(operands + expected[SPROF_SIDE_BASE] + 1);
	ok = sprof_gate_init(&gate, wanted->conditions, wanted->count, expected, err) &&
		add_files(options, &gate, operands, err) &&
		sprof_gate_judge(&gate, wanted->level > 0 ? wanted->level : default_level, err) &&
		write_all(&gate, wanted, err);
	if (ok && sprof_gate_count(&gate, SPROF_GATE_BEYOND))
		*ret_exit = SPROF_EXIT_GROWN;
	sprof_gate_finish(&gate);
	return ok;
}
