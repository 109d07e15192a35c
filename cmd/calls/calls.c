/*
 * sprof calls: how often and how long functions run, and their callers. Nothing is sampled: every
 * call is seen or, if that takes too much time, every call in measuring windows.
 */
#include <stdlib.h>
#include <string.h>

#include "attach/start/guardian.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "cmd/calls/engine.h"
#include "cmd/calls/names.h"
#include "cmd/calls/options.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/report-file.h"
#include "cmd/cli/terminal.h"
#include "cmd/functions/choice.h"
#include "cmd/functions/functions.h"
#include "cmd/record/event-run.h"
#include "output/calls/report.h"

struct calls {
	const struct sprof_function_calls_options *options;
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
	const struct sprof_function_calls_options *options = calls->options;
	const struct sprof_activations_options how = {
		.by_thread = options->by_thread,
		.keep_limit =
			options->tree || options->path || options->timeline ? options->limit : 0,
		.counts_only = options->count,
	};

	return sprof_calls_engine_init(&calls->engine, &how, calls->functions,
		       options->count ? 0 : options->overhead) ||
		sprof_error_no_memory(err);
}

static bool create_parts(struct calls *calls, char *const operands[], struct sprof_error *err)
{
	const struct sprof_function_calls_options *options = calls->options;

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
	const struct sprof_function_calls_options *options = calls->options;
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
	const struct sprof_function_calls_options *options = calls->options;
	bool ok = options->dot  ? sprof_calls_dot(report, calls->out)
		: options->json ? sprof_calls_json(report, calls->out)
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
static bool write_result(struct calls *calls, struct sprof_error *err)
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

static bool read_choice(struct calls *calls, char *const operands[], struct sprof_error *err)
{
	const struct sprof_function_calls_options *options = calls->options;

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
	const struct sprof_function_calls_options *options = calls->options;
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

static bool guard(const struct sprof_function_calls_options *options, struct sprof_error *err)
{
	return options->count || sprof_guardian_begin(options->watching.processes.pid, err);
}

static bool run(const void *data, char *const operands[], int *ret_exit, struct sprof_error *err)
{
	struct sprof_function_calls_options options =
		*(const struct sprof_function_calls_options *)data;
	struct calls calls = {.options = &options};
	const bool done = sprof_event_run_check("calls", &options.watching, operands, err) &&
		sprof_function_calls_options_settle(&options, err) &&
		read_choice(&calls, operands, err) && open_outputs(&calls, err) &&
		guard(&options, err) && create_parts(&calls, operands, err) &&
		trace(&calls, ret_exit, err) && write_result(&calls, err);

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
		"stops take too much time (--max-overhead). This changes the program's code while it "
		"is watched,\n"
		"except with --count. Name a function as nm or a report shows it, or give a "
		"pattern. A file may follow\n"
		"it: NAME@libc.so.6, NAME@\"/path/of/file\". Without one, sprof looks for a name in "
		"the program and, if\n"
		"the program has no such function, in all files; it looks for a pattern only in the "
		"program. If a\n"
		"function calls itself, its total counts that time only once; its self time excludes "
		"the watched\n"
		"functions that it called. sprof exits with the exit code of PROGRAM.\n\n"
		"  sprof calls -F 'parse*,lex' -- ./app\n"
		"  sprof calls -F malloc@libc.so.6 --per-thread -p 4711 -d 10s\n"
		"  sprof calls -F 'db::*' --tree --timeline calls.json -- ./app\n",
	.groups = sprof_function_calls_option_groups,
	.processes = offsetof(struct sprof_function_calls_options, watching),
	.defaults = &sprof_function_calls_options_defaults,
	.options_size = sizeof(struct sprof_function_calls_options),
	.run = run,
};
