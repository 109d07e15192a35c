/* The tables of options of `sprof calls`, and what follows from them. */
#include "cmd/calls/options.h"

#include <string.h>

#include "cmd/cli/option-values.h"
#include "cmd/cli/report-file.h"
#include "cmd/saved/naming.h"

enum { LIMIT = 100000 };

_Static_assert(offsetof(struct sprof_function_calls_options, common) == 0,
	"main.c reads the common options of any command");

#define FIELD(name) offsetof(struct sprof_function_calls_options, name)

static bool add_functions(void *field, const char *text, struct sprof_error *err)
{
	struct sprof_function_calls_lists *lists = field;

	if (lists->count == SPROF_CALLS_LISTS)
		return sprof_error_set(
			err, SPROF_ERROR_USAGE, "at most %d lists are possible", SPROF_CALLS_LISTS);
	lists->items[lists->count++] = text;
	return true;
}

static bool set_sort(void *field, const char *text, struct sprof_error *err)
{
	unsigned column;

	if (!sprof_value_choice(sprof_calls_column_names, text, &column, err))
		return false;
	*(enum sprof_calls_column *)field = (enum sprof_calls_column)column;
	return true;
}

/* The offset leads to the whole struct. */
static bool set_format(void *field, const char *text, struct sprof_error *err)
{
	static const char *const names[] = {"text", "json", "dot", NULL};
	struct sprof_function_calls_options *options = field;
	unsigned format;

	if (!sprof_value_choice(names, text, &format, err))
		return false;
	options->json = format == 1;
	options->dot = format == 2;
	return true;
}

static bool set_overhead(void *field, const char *text, struct sprof_error *err)
{
	if (!strcmp(text, "0")) {
		*(double *)field = 0;
		return true;
	}
	return sprof_value_percentage(field, text, err);
}

const struct sprof_function_calls_options sprof_function_calls_options_defaults = {
	.sort = SPROF_CALLS_TOTAL, .limit = LIMIT, .overhead = 0.5};

static const struct sprof_option what_table[] = {
	{"function", "F", "LIST",
		"functions, separated by commas; may be given several times: parse,\n"
		"'ns::Tree::*', malloc@libc.so.6",
		add_functions, FIELD(functions)},
	{"max-overhead", NULL, "PCT",
		"if the stops take more than this percentage of a thread's time,\n"
		"watch only during short random periods (windows) and estimate the\n"
		"rest; 0: always watch every call (50)",
		set_overhead, FIELD(overhead), .conflicts = "count"},
	{"overhead", NULL, "PCT", NULL, set_overhead, FIELD(overhead), .conflicts = "count"},
	{"count", NULL, NULL,
		"only count calls, of at most four functions, by the CPU's debug\n"
		"registers: no thread is stopped, and the program's code is not\n"
		"changed",
		sprof_value_flag, FIELD(count), .conflicts = "breakpoints"},
	{"breakpoints", NULL, NULL, NULL, sprof_value_flag, FIELD(breakpoints)},
	{0},
};

static const struct sprof_option output_table[] = {
	{"per-thread", NULL, NULL, "show rows for each thread", sprof_value_flag, FIELD(by_thread)},
	{"sort", NULL, "COLUMN",
		"function, calls, total, self, min, avg, p50, p95, p99, max, rec\n"
		"(total)",
		set_sort, FIELD(sort)},
	{"top", NULL, "N", "show only the first N functions (all)", sprof_value_count, FIELD(top)},
	{"tree", NULL, NULL, "also show the tree of calls", sprof_value_flag, FIELD(tree)},
	{"path", NULL, "FUNC", "also list each call of FUNC in order of time, with the path to it",
		sprof_value_text, FIELD(path)},
	{"timeline", NULL, "FILE", "write each call to FILE, for Perfetto and chrome://tracing",
		sprof_value_text, FIELD(timeline)},
	{"limit", NULL, "N",
		"for --tree, --path and --timeline, keep only the first N calls\n"
		"(100000)",
		sprof_value_count, FIELD(limit), .needs = "tree path timeline"},
	{"output", "o", "FILE",
		"write to FILE instead of stdout: .txt, .json, or .dot for a graph\n"
		"with the number of calls at each edge",
		sprof_value_text, FIELD(output)},
	{"format", "f", "FORMAT", NULL, set_format, 0, .conflicts = "tree path"},
	{"json", NULL, NULL, "write JSON instead of the table", sprof_value_flag, FIELD(json),
		.conflicts = "tree path format"},
	{0},
};

const struct sprof_option_group sprof_function_calls_option_groups[] = {
	SPROF_EVENT_RUN_GROUPS("What to watch", FIELD(watching)),
	{"What to watch", what_table},
	{"Output", output_table},
	{"Names", sprof_naming_kind_table, FIELD(short_names)},
	{"General", sprof_common_option_table},
	{0},
};

bool sprof_function_calls_options_settle(
	struct sprof_function_calls_options *options, struct sprof_error *err)
{
	if (!options->functions.count) {
		sprof_error_set(err, SPROF_ERROR_USAGE, "calls needs functions to watch");
		sprof_error_hint(err, "for example: sprof calls -F 'parse*' -- ./app");
		return false;
	}
	if (!sprof_report_file_settle(options->output, &options->json, &options->dot, err))
		return false;
	if (options->dot && options->json)
		return sprof_error_set(err, SPROF_ERROR_USAGE,
			"--output %s: JSON is asked for, too", options->output);
	return (!options->json && !options->dot) || (!options->tree && !options->path) ||
		sprof_error_set(err, SPROF_ERROR_USAGE,
			"--output %s: --tree and --path are text, not %s", options->output,
			options->dot ? "a graph" : "JSON");
}
