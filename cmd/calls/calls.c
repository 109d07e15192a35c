/*
 * sprof calls: how often and how long functions run, and their callers. Every call is seen; nothing
 * is sampled.
 */
#include <stdlib.h>
#include <string.h>

#include "attach/start/guardian.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "cmd/calls/engine.h"
#include "cmd/calls/names.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/option-values.h"
#include "cmd/cli/report-file.h"
#include "cmd/cli/terminal.h"
#include "cmd/functions/choice.h"
#include "cmd/functions/functions.h"
#include "cmd/record/event-run.h"
#include "cmd/ui.h"
#include "output/calls/report.h"

enum {
	LISTS = 64,
	LIMIT = 100000,
};

struct calls_lists {
	const char *items[LISTS];
	size_t count;
};

struct calls_options {
	struct sprof_common_options common;
	struct sprof_event_run_options watching;
	struct calls_lists functions;
	const char *path, *timeline, *output;
	enum sprof_calls_column sort;
	size_t top, limit;
	bool by_thread, tree, json, count, short_names;
	bool breakpoints; /* has no effect: calls always uses them */
	double overhead;
};

_Static_assert(offsetof(struct calls_options, common) == 0,
	"main.c reads the common options of any command");

#define FIELD(name) offsetof(struct calls_options, name)

static bool add_functions(void *field, const char *text, struct sprof_error *err)
{
	struct calls_lists *lists = field;

	if (lists->count == LISTS)
		return sprof_error_set(
			err, SPROF_ERROR_USAGE, "at most %d lists are possible", LISTS);
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

static bool set_overhead(void *field, const char *text, struct sprof_error *err)
{
	if (!strcmp(text, "0")) {
		*(double *)field = 0;
		return true;
	}
	return sprof_value_percentage(field, text, err);
}

static const struct calls_options defaults = {
	.sort = SPROF_CALLS_TOTAL, .limit = LIMIT, .overhead = 0.5};

static const struct sprof_option what_table[] = {
	{"function", "F", "LIST",
		"functions, separated by commas; may be given several times: parse,\n"
		"'ns::Tree::*', malloc@libc.so.6",
		add_functions, FIELD(functions)},
	{"max-overhead", NULL, "PCT",
		"above this percentage of a thread's time, watch in windows and\n"
		"estimate; 0: watch every call (50)",
		set_overhead, FIELD(overhead), .conflicts = "count"},
	{"overhead", NULL, "PCT", NULL, set_overhead, FIELD(overhead), .conflicts = "count"},
	{"count", NULL, NULL,
		"only count calls, of at most four functions, by debug registers: no\n"
		"thread stops, and the program's code is not changed",
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
	{"path", NULL, "FUNC", "also show each call of FUNC and the path to it, in order of time",
		sprof_value_text, FIELD(path)},
	{"timeline", NULL, "FILE", "write each call to FILE, for Perfetto and chrome://tracing",
		sprof_value_text, FIELD(timeline)},
	{"limit", NULL, "N", "keep the first N calls for tree, path and timeline (100000)",
		sprof_value_count, FIELD(limit), .needs = "tree path timeline"},
	{"output", "o", "FILE", "write to FILE (.txt or .json) instead of stdout", sprof_value_text,
		FIELD(output)},
	{"format", "f", "FORMAT", NULL, sprof_value_json, FIELD(json), .conflicts = "tree path"},
	{"json", NULL, NULL, "write JSON instead of the table", sprof_value_flag, FIELD(json),
		.conflicts = "tree path format"},
	{0},
};

static const struct sprof_option_group groups[] = {
	SPROF_EVENT_RUN_GROUPS("What to watch", FIELD(watching)),
	{"What to watch", what_table},
	{"Output", output_table},
	{"Names", sprof_naming_kind_table, FIELD(short_names)},
	{"General", sprof_common_option_table},
	{0},
};

struct calls {
	const struct calls_options *options;
	struct sprof_event_run watching;
	struct sprof_function_choice choice;
	struct sprof_functions *functions;
	struct sprof_calls_engine engine;
	struct sprof_out *out, *timeline;
	struct sprof_calls_names names; /* of the functions */
	/* Where functions begin that have the name of --path, among others. */
	struct place {
		const struct sprof_module *module;
		uint64_t address;
	} * central;
	size_t central_count, central_capacity;
	uint64_t begin_ns, end_ns;
	bool has_begun; /* there was a call */
	bool out_of_memory;
};

static void note_central(
	struct calls *calls, const struct sprof_module *module, const struct sprof_listed *function)
{
	if (!sprof_function_is_called(calls->options->path, function->name))
		return;
	if (sprof_array_reserve(&calls->central, &calls->central_capacity, calls->central_count + 1,
		    sizeof(*calls->central)))
		calls->central[calls->central_count++] = (struct place){module, function->address};
	else
		calls->out_of_memory = true;
}

static bool is_central(const struct calls *calls, const struct sprof_function *function)
{
	for (size_t i = 0; i < calls->central_count; i++) {
		if (calls->central[i].module == function->module &&
			calls->central[i].address == function->address)
			return true;
	}
	return false;
}

static bool wants(
	void *data, const struct sprof_module *module, const struct sprof_listed *function)
{
	struct calls *calls = data;

	if (calls->options->path)
		note_central(calls, module, function);
	return sprof_function_choice_has(&calls->choice, module, function);
}

/*
 * Before all functions are watched, begins come without returns, and after the end the last records
 * are not read at one moment.
 */
static bool take_event(void *data, const struct sprof_trace_event *event)
{
	struct calls *calls = data;

	if (event->time_ns < calls->begin_ns || (calls->end_ns && event->time_ns > calls->end_ns))
		return true;
	calls->has_begun = true;
	if (!sprof_calls_engine_take(&calls->engine, event))
		calls->out_of_memory = true;
	return !calls->out_of_memory;
}

static void take_gap(void *data, uint64_t end_ns)
{
	struct calls *calls = data;

	if (!sprof_calls_engine_gap(&calls->engine, end_ns))
		calls->out_of_memory = true;
}

static void take_left(void *data, uint32_t thread, uint64_t sp, uint64_t now_ns)
{
	struct calls *calls = data;

	if (calls->end_ns && now_ns > calls->end_ns)
		return;
	if (!sprof_calls_engine_leave(&calls->engine, thread, sp, now_ns))
		calls->out_of_memory = true;
}

/* Excludes the time until now, in which sprof found functions and began to watch them. */
static void take_loaded(void *data, uint64_t now_ns)
{
	struct calls *calls = data;

	if (!calls->has_begun)
		calls->begin_ns = now_ns;
}

static void begin(void *data, struct sprof_target *target)
{
	struct calls *calls = data;

	calls->begin_ns = sprof_clock_now_ns();
}

static void end(void *data, uint64_t now_ns)
{
	struct calls *calls = data;

	calls->end_ns = now_ns;
}

static bool keeps_calls(const struct calls_options *options)
{
	return options->tree || options->path || options->timeline;
}

static bool create_source(struct calls *calls, struct sprof_error *err)
{
	const struct sprof_functions_options wanted = {
		.modules = calls->watching.modules,
		.data = calls,
		.wants = wants,
		.event = take_event,
		.gap = take_gap,
		.left = take_left,
		.loaded = take_loaded,
		.counts_only = calls->options->count,
		.times = calls->options->overhead > 0,
		.follow_children = calls->watching.subject.follow_children,
	};

	return sprof_functions_create(&wanted, &calls->functions, err);
}

static bool create_engine(struct calls *calls, struct sprof_error *err)
{
	const struct calls_options *options = calls->options;
	const struct sprof_activations_options how = {
		.by_thread = options->by_thread,
		.keep_limit = keeps_calls(options) ? options->limit : 0,
		.counts_only = options->count,
	};

	return sprof_calls_engine_init(&calls->engine, &how, calls->functions,
		       options->count ? 0 : options->overhead) ||
		sprof_error_no_memory(err);
}

static bool create_parts(struct calls *calls, char *const operands[], struct sprof_error *err)
{
	const struct calls_options *options = calls->options;

	if (!sprof_event_run_init(&calls->watching, &options->watching, operands, err))
		return false;
	calls->watching.subject.stdout_to_stderr =
		operands[0] && sprof_report_file_is_stdout(options->output);
	return create_source(calls, err) && create_engine(calls, err);
}

static bool trace(struct calls *calls, int *ret_exit, struct sprof_error *err)
{
	const struct sprof_event_source source = sprof_function_windows_source(
						&calls->engine.windows),
					first = {.data = calls, .end = end},
					last = {.data = calls, .begin = begin};
	const struct sprof_event_source *const sources[] = {&first, &source, &last, NULL};

	sprof_functions_prepare(calls->functions, &calls->watching.subject);
	calls->watching.tracing.events = sources;
	if (!sprof_event_run_run(&calls->watching, ret_exit, err))
		return false;
	return (!calls->out_of_memory &&
		       sprof_calls_engine_close(&calls->engine, calls->begin_ns, calls->end_ns)) ||
		sprof_error_no_memory(err);
}

static bool write_paths(
	const struct calls *calls, const struct sprof_calls_report *report, struct sprof_error *err)
{
	SPROF_AUTO_FREE bool *wanted = calloc(calls->names.count + 1, sizeof(*wanted));
	bool is_found = false;

	if (!wanted)
		return sprof_error_no_memory(err);
	for (size_t i = 0; i < calls->names.count; i++) {
		wanted[i] = is_central(calls, sprof_functions_at(calls->functions, (int64_t)i));
		is_found |= wanted[i];
	}
	if (!is_found)
		return sprof_function_choice_note_central(&calls->choice, err);
	sprof_out_puts(calls->out, "\n");
	return sprof_calls_paths(report, wanted, calls->out) || sprof_error_no_memory(err);
}

static struct sprof_calls_report report_of(const struct calls *calls)
{
	const struct calls_options *options = calls->options;
	const struct sprof_functions_gaps gaps = sprof_functions_gaps(calls->functions);

	return (struct sprof_calls_report){
		.profile = calls->watching.profile,
		.books = sprof_activations_books(calls->engine.activations),
		.names = calls->names.items,
		.name_count = calls->names.count,
		.source = sprof_functions_source_name(calls->functions),
		.cost = calls->options->count ? NULL : "two short stops of each call",
		.windows = calls->engine.in_windows ? &calls->engine.estimate : NULL,
		.begin_ns = calls->begin_ns,
		.end_ns = calls->end_ns,
		.lost = gaps.lost,
		.has_four = calls->options->count,
		.gone = gaps.gone,
		.unwatched = gaps.unwatched,
		.not_watched = gaps.not_watched,
		.refusals = calls->names.refusals,
		.sort = options->sort,
		.by_thread = options->by_thread,
		.top = options->top,
		.width = options->output ? 0 : sprof_terminal_width(),
	};
}

static bool write_report(
	const struct calls *calls, const struct sprof_calls_report *report, struct sprof_error *err)
{
	const struct calls_options *options = calls->options;
	bool ok = options->json ? sprof_calls_json(report, calls->out)
				: sprof_calls_table(report, calls->out);

	if (ok && options->tree) {
		sprof_out_puts(calls->out, "\n");
		ok = sprof_calls_tree(report, calls->out);
	}
	if (ok && calls->timeline)
		ok = sprof_calls_timeline(report, calls->timeline);
	if (!ok)
		return sprof_error_no_memory(err);
	return !options->path || write_paths(calls, report, err);
}

static bool close_outputs(struct calls *calls, struct sprof_error *err)
{
	struct sprof_out *out = calls->out, *timeline = calls->timeline;

	calls->out = calls->timeline = NULL;
	if (sprof_out_close(out, err))
		return !timeline || sprof_out_close(timeline, err);
	sprof_out_discard(timeline);
	return false;
}

/* A function that was never found is reported last: the others were measured. */
static bool tell(struct calls *calls, struct sprof_error *err)
{
	struct sprof_calls_report report;

	if (!sprof_functions_count(calls->functions))
		return sprof_function_choice_check(&calls->choice, err);
	if (!sprof_calls_names_make(
		    &(struct sprof_calls_naming){calls->watching.modules, calls->functions,
			    &calls->choice, calls->options->short_names},
		    &calls->names, err))
		return false;
	report = report_of(calls);
	return write_report(calls, &report, err) && close_outputs(calls, err) &&
		sprof_function_choice_check(&calls->choice, err);
}

static bool settle_options(struct calls_options *options, struct sprof_error *err)
{
	if (!options->functions.count) {
		sprof_error_set(err, SPROF_ERROR_USAGE, "calls needs functions to watch");
		sprof_error_hint(err, "for example: sprof calls -F 'parse*' -- ./app");
		return false;
	}
	if (!sprof_report_file_settle(options->output, &options->json, err))
		return false;
	return !options->json || (!options->tree && !options->path) ||
		sprof_error_set(err, SPROF_ERROR_USAGE,
			"--output %s: --tree and --path are text, not JSON", options->output);
}

static bool read_choice(struct calls *calls, char *const operands[], struct sprof_error *err)
{
	const struct calls_options *options = calls->options;

	calls->choice.central = options->path;
	for (size_t i = 0; i < options->functions.count; i++) {
		if (!sprof_function_choice_add(&calls->choice, options->functions.items[i], err))
			return false;
	}
	return sprof_function_choice_begin(
		&calls->choice, operands[0], options->watching.processes.pid, err);
}

static bool open_outputs(struct calls *calls, struct sprof_error *err)
{
	const struct calls_options *options = calls->options;
	const bool done = sprof_report_file_open(options->output, &calls->out, err);

	if (done && options->timeline &&
		sprof_out_is_same(options->output ? options->output : "-", options->timeline))
		return sprof_error_set(err, SPROF_ERROR_USAGE, "--timeline %s is the output, too",
			options->timeline);
	return done &&
		(!options->timeline || sprof_out_open(options->timeline, &calls->timeline, err));
}

static void finish(struct calls *calls)
{
	sprof_functions_destroy(calls->functions);
	sprof_calls_engine_finish(&calls->engine);
	sprof_function_choice_finish(&calls->choice);
	sprof_out_discard(calls->out);
	sprof_out_discard(calls->timeline);
	sprof_calls_names_finish(&calls->names);
	free(calls->central);
	sprof_event_run_finish(&calls->watching);
}

static bool guard(const struct calls_options *options, struct sprof_error *err)
{
	return options->count || sprof_guardian_begin(options->watching.processes.pid, err);
}

static bool run(const void *data, char *const operands[], int *ret_exit, struct sprof_error *err)
{
	struct calls_options options = *(const struct calls_options *)data;
	struct calls calls = {.options = &options};
	const bool done = sprof_event_run_check("calls", &options.watching, operands, err) &&
		settle_options(&options, err) && read_choice(&calls, operands, err) &&
		open_outputs(&calls, err) && guard(&options, err) &&
		create_parts(&calls, operands, err) && trace(&calls, ret_exit, err) &&
		tell(&calls, err);

	finish(&calls);
	return done;
}

const struct sprof_command sprof_command_calls = {
	.name = "calls",
	.summary = "Measure every call of chosen functions: count, time, callers",
	.synopsis = "[options] -F LIST (-p PID | [--] PROGRAM [ARGUMENT...])",
	.details =
		"sprof sees every call of the functions, with breakpoints at entries and "
		"returns, unless the\n"
		"stops take too much time (--max-overhead). The program's code is changed while it "
		"is watched. A\n"
		"function is named as in nm or in a report, or by a pattern. Without a file "
		"(@libc.so.6,\n"
		"@\"/path/of/file\"), a name is looked up in the program, and in all files if "
		"the program has no\n"
		"such function; a pattern is looked up only in the program. The total of a "
		"function counts nested\n"
		"calls once; its self time excludes the watched functions that it called. "
		"sprof exits with the\n"
		"exit code of PROGRAM.\n\n"
		"  sprof calls -F 'parse*,lex' -- ./app\n"
		"  sprof calls -F malloc@libc.so.6 --per-thread -p 4711 -d 10s\n"
		"  sprof calls -F 'db::*' --tree --timeline calls.json -- ./app\n",
	.groups = groups,
	.processes = FIELD(watching),
	.defaults = &defaults,
	.options_size = sizeof(struct calls_options),
	.run = run,
};
