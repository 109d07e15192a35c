/*
 * sprof rundelay: how long a process's threads wait for a CPU, and after what. The process is
 * neither stopped nor changed.
 */
#include <string.h>
#include <unistd.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/perf-denied.h"
#include "cmd/cli/processes.h"
#include "cmd/cli/report-file.h"
#include "cmd/cli/terminal.h"
#include "cmd/mem/unattached-run.h"
#include "cmd/rundelay/single-delays.h"
#include "cmd/ui.h"
#include "events/language/event-list.h"
#include "events/sched/rundelay.h"
#include "output/rundelay/table.h"

struct rundelay_options {
	struct sprof_common_options common;
	struct sprof_processes processes;
	uint64_t duration_ns, interval_ns, than_ns;
	bool per_thread, json;
	const char *filter, *output, *heatmap;
	bool names_events; /* of perf-prof: has no effect */
	struct sprof_detail detail;
	size_t ring_size; /* 0: not given */
	enum sprof_rundelay_request request;
};

_Static_assert(offsetof(struct rundelay_options, common) == 0,
	"main.c reads the common options of any command");

#define FIELD(name) offsetof(struct rundelay_options, name)

enum { WORDS_SIZE = 256 };

/*
 * Sets an error that explains why there is no perf source, with the remedy as hint. Returns false.
 */
static bool explain_denial(const struct sprof_rundelay *rundelay, struct sprof_error *err)
{
	char words[WORDS_SIZE];

	sprof_perf_denied_words(&rundelay->no_switches, words, sizeof(words));
	sprof_error_set(
		err, SPROF_ERROR_PERMISSION, "switch records of %d: %s", (int)rundelay->pid, words);
	if (rundelay->no_switches.reason == SPROF_PERF_PARANOID)
		sprof_error_hint(err,
			"as root it works, and for your own processes with "
			"sysctl kernel.perf_event_paranoid=2; --source proc needs neither");
	else
		sprof_error_hint(err, "--source proc works without");
	return false;
}

/* Prints a note about why a better source was not used. */
static void note_denied(const struct sprof_rundelay *rundelay)
{
	char words[WORDS_SIZE];

	switch (rundelay->source) {
	case SPROF_RUNDELAY_TRACEPOINTS:
		if (rundelay->has_both)
			return;
		sprof_perf_denied_words(&rundelay->no_switches, words, sizeof(words));
		sprof_ui_note(
			"no switch records beside the tracepoints: %s; a few delays may be missed",
			words);
		return;
	case SPROF_RUNDELAY_SWITCHES:
		if (rundelay->no_tracepoints.reason == SPROF_PERF_PARANOID)
			strcpy(words, "they need root or CAP_PERFMON");
		else
			sprof_perf_denied_words(&rundelay->no_tracepoints, words, sizeof(words));
		sprof_ui_progress(
			"no tracepoints: %s; single delays after a wake-up are not seen", words);
		return;
	case SPROF_RUNDELAY_SCHEDSTAT:
		break;
	}
	if (rundelay->no_switches.reason == SPROF_PERF_PERMITTED)
		return;
	sprof_perf_denied_words(&rundelay->no_switches, words, sizeof(words));
	sprof_ui_note(
		"no switch records: %s; schedstat gives only the number and the sum of delays",
		words);
}

static bool set_source(void *field, const char *text, struct sprof_error *err)
{
	static const char *const names[] = {
		[SPROF_RUNDELAY_AUTO] = "auto",
		[SPROF_RUNDELAY_PERF] = "kernel",
		[SPROF_RUNDELAY_PROC] = "proc",
		NULL,
	};

	/* An old name. */
	return sprof_value_choice(names, strcmp(text, "perf") ? text : "kernel", field, err);
}

static bool set_filter(void *field, const char *text, struct sprof_error *err)
{
	*(const char **)field = text;
	return sprof_rundelay_filter_check(text, err);
}

/* System calls and functions are looked up nowhere: they are refused. */
static bool no_number(void *context, const struct sprof_event_suffix *suffix, int64_t *ret,
	struct sprof_error *err)
{
	*ret = -1;
	return true;
}

static bool check_event(const struct sprof_event_item *item, struct sprof_error *err)
{
	if (!item->row->group || strcmp(item->row->group, "sched") != 0) {
		sprof_error_set(
			err, SPROF_ERROR_USAGE, "rundelay takes only events of the scheduler");
		return sprof_error_hint(err,
			"sprof trace measures the time between any two events, and shows others "
			"beside them: -e EVENT//untraced/ --detail");
	}
	if (!item->filter)
		return true;
	sprof_error_set(err, SPROF_ERROR_USAGE, "rundelay takes no filters of events");
	return sprof_error_hint(err, "to choose threads: --filter GLOB, or --tid");
}

/* perf-prof needs the events of the scheduler. */
static bool set_event(void *field, const char *text, struct sprof_error *err)
{
	struct sprof_event_list list = {.number_of = no_number};
	bool done = sprof_event_list_add(&list, text, err);

	*(bool *)field = true;
	for (size_t i = 0; done && i < list.count; i++)
		done = check_event(&list.items[i], err);
	sprof_event_list_finish(&list);
	return done;
}

static const struct sprof_option target_table[] = {
	{"duration", "d", "TIME", "stop after TIME, such as 10s", sprof_value_duration,
		FIELD(duration_ns)},
	{"source", NULL, "SOURCE",
		"auto (the best permitted source), kernel (tracepoints or switch\n"
		"records), proc (schedstat alone) (auto)",
		set_source, FIELD(request)},
	{"mmap-pages", "m", "N",
		"room for the tracepoints' records, for each CPU, in pages: a power\n"
		"of two (4 MiB where that is permitted)",
		sprof_value_ring_size, FIELD(ring_size)},
	/* Options of perf-prof: here events are those of the scheduler, and in order. */
	{"event", "e", "EVENT", NULL, set_event, FIELD(names_events)},
	{"key", "k", "EXPR", NULL, sprof_value_ignored, 0},
	{"order", NULL, NULL, NULL, sprof_value_ignored, 0},
	{0},
};

static const struct sprof_option table_table[] = {
	{"interval", "i", "TIME", "print a table every TIME, such as 1s, and one of the whole run",
		sprof_value_interval, FIELD(interval_ns)},
	{"than", NULL, "TIME", "count delays that are longer than TIME, such as 4ms",
		sprof_value_latency, FIELD(than_ns)},
	{"per-thread", NULL, NULL, "show a row for each thread", sprof_value_flag,
		FIELD(per_thread)},
	{"perins", NULL, NULL, "show a row for each thread", sprof_value_flag, FIELD(per_thread)},
	{"filter", NULL, "GLOB[,GLOB]...", "show only threads whose name matches one of the globs",
		set_filter, FIELD(filter)},
	{"detail", NULL, "[WHAT]",
		"with --than: also show each such delay, and what the threads do\n"
		"meanwhile: all, or a comma-separated list of -1ms, +1ms, hide<10us,\n"
		"sametid, samecpu, 1, 2 (all)",
		sprof_value_detail, FIELD(detail), .needs = "than"},
	{"heatmap", NULL, "FILE",
		"write time and length (ns) of each delay to FILE-preempted.lat and\n"
		"FILE-wakeup.lat, a picture of each (.svg), and FILE.html with both",
		sprof_value_text, FIELD(heatmap)},
	{"output", "o", "FILE", "write to FILE (.txt or .json) instead of stdout", sprof_value_text,
		FIELD(output)},
	{"format", "f", "FORMAT", NULL, sprof_value_json, FIELD(json)},
	{"json", NULL, NULL, "write each table as a line of JSON", sprof_value_flag, FIELD(json),
		.conflicts = "format"},
	{0},
};

static const struct sprof_option_group groups[] = {
	{"What to watch", sprof_processes_table, FIELD(processes)},
	{"What to watch", target_table},
	{"Output", table_table},
	{"General", sprof_common_option_table},
	{0},
};

static const struct rundelay_options defaults = {.request = SPROF_RUNDELAY_AUTO};

struct run {
	const struct rundelay_options *options;
	struct sprof_rundelay rundelay;
	struct sprof_unattached_run observing;
	struct sprof_single_delays singles;
	struct sprof_out *out;
	unsigned tables;
	bool no_memory;
	bool is_partial; /* no thread had a requested name */
};

static struct sprof_rundelay_view view_of(const struct run *run)
{
	const struct rundelay_options *options = run->options;

	return (struct sprof_rundelay_view){
		.rundelay = &run->rundelay,
		.per_thread = options->per_thread,
		.filter = options->filter,
		.tids = options->processes.tids.items,
		.tid_count = options->processes.tids.count,
		.than_ns = options->than_ns,
	};
}

static void print(struct run *run, bool total, uint64_t begin_ns, uint64_t now_ns)
{
	struct sprof_rundelay_view view = view_of(run);
	struct sprof_rundelay_rows rows;
	bool done;

	view.total = total;
	view.now_ns = now_ns;
	view.duration_ns = now_ns - begin_ns;
	done = sprof_rundelay_rows_collect(&view, &rows);

	if (run->tables++ && !run->options->json)
		sprof_out_puts(run->out, "\n");
	if (done && run->options->json)
		done = sprof_rundelay_json(&view, &rows, run->out);
	else if (done)
		done = sprof_rundelay_table(
			&view, &rows, run->options->output ? 0 : sprof_terminal_width(), run->out);
	run->no_memory |= !done;
	run->is_partial = total && run->options->filter && !rows.threads;
	sprof_rundelay_rows_finish(&rows);
	sprof_out_flush(run->out);
}

/* Prints the interval's table, if requested. Returns false if stdout is closed. */
static bool end_interval(void *data, uint64_t now_ns)
{
	struct run *run = data;
	struct sprof_delays *delays = &run->rundelay.delays;

	sprof_delays_close_interval(delays, now_ns);
	if (run->options->interval_ns)
		print(run, false, delays->interval_begin_ns, now_ns);
	sprof_delays_end_interval(delays, now_ns);
	return !sprof_out_failed(run->out);
}

/* On SIGUSR1. */
static void print_statistics(void *data)
{
	const struct run *run = data;
	const struct sprof_rundelay *rundelay = &run->rundelay;

	sprof_ui_note("%s: %zu threads, %zu records wait, %llu lost, %llu late, %llu readings",
		sprof_rundelay_source_name(rundelay->source), rundelay->delays.count,
		rundelay->order.count, (unsigned long long)rundelay->delays.lost,
		(unsigned long long)rundelay->order.late, (unsigned long long)rundelay->readings);
}

static bool begin(void *data, pid_t pid, int pid_fd, struct sprof_error *err)
{
	struct run *run = data;
	const struct rundelay_options *options = run->options;
	struct sprof_rundelay_options wanted = {
		.request = options->request,
		.than_ns = options->than_ns,
		.per_thread =
			options->per_thread || options->filter || options->processes.tids.count,
		.ring_size = options->ring_size,
	};

	if (sprof_single_delays_are_wanted(&run->singles)) {
		wanted.request = SPROF_RUNDELAY_PERF;
		wanted.noted = sprof_single_delays_take;
		wanted.data = &run->singles;
	}

	switch (sprof_rundelay_begin(&run->rundelay, pid, &wanted)) {
	case SPROF_RUNDELAY_DENIED:
		return explain_denial(&run->rundelay, err);
	case SPROF_RUNDELAY_GONE:
		return sprof_error_set(
			err, SPROF_ERROR_TARGET_GONE, "watch %d: no such process", (int)pid);
	case SPROF_RUNDELAY_BEGUN:
		break;
	}
	return true;
}

static void note_begun(void *data, pid_t pid)
{
	const struct run *run = data;

	if (run->observing.child.program && !isatty(STDOUT_FILENO) &&
		sprof_report_file_is_stdout(run->options->output))
		sprof_ui_note("stdout is for the tables, so the output of %s goes to stderr",
			run->observing.child.program);
	note_denied(&run->rundelay);
	sprof_ui_progress("watching process %d by %s; Ctrl-C ends it", (int)pid,
		sprof_rundelay_source_name(run->rundelay.source));
}

static int ring_fd(void *data)
{
	const struct run *run = data;

	return sprof_rundelay_fd(&run->rundelay);
}

static bool poll_rings(void *data, uint64_t now_ns)
{
	struct run *run = data;

	sprof_rundelay_poll(&run->rundelay, now_ns);
	if (sprof_single_delays_are_wanted(&run->singles)) {
		sprof_single_delays_look(&run->singles);
		sprof_out_flush(run->out);
	}
	return true;
}

static void end(void *data, uint64_t now_ns)
{
	struct run *run = data;

	sprof_rundelay_end(&run->rundelay, now_ns);
	sprof_single_delays_end(&run->singles);
	end_interval(run, now_ns);
	print(run, true, run->observing.begin_ns, now_ns);
	run->no_memory |= run->rundelay.delays.no_memory || run->singles.no_memory;
	if (run->no_memory)
		sprof_ui_note("out of memory: some threads or delays are missing");
	if (run->is_partial)
		sprof_ui_note("--filter %s: no thread has such a name", run->options->filter);
}

static bool open_output(struct run *run, struct sprof_error *err)
{
	const struct rundelay_options *options = run->options;

	if (!sprof_report_file_open(options->output, &run->out, err))
		return false;
	run->singles = (struct sprof_single_delays){.view = view_of(run),
		.out = run->out,
		.json = options->json,
		.heatmap.name = options->heatmap};
	return sprof_single_delays_begin(&run->singles, &options->detail, err);
}

static bool close_output(struct run *run, struct sprof_error *err)
{
	struct sprof_out *out = run->out;

	run->out = NULL;
	return sprof_out_close(out, err) && sprof_single_delays_close(&run->singles, err);
}

/* schedstat has only sums. */
static bool check_source(const struct rundelay_options *options, struct sprof_error *err)
{
	if (options->request != SPROF_RUNDELAY_PROC ||
		(!options->detail.is_wanted && !options->heatmap))
		return true;
	return sprof_error_set(err, SPROF_ERROR_USAGE, "--source proc has no single delays for %s",
		options->heatmap ? "--heatmap" : "--detail");
}

static bool run(const void *data, char *const operands[], int *ret_exit, struct sprof_error *err)
{
	struct rundelay_options settled = *(const struct rundelay_options *)data;
	const struct rundelay_options *options = &settled;
	struct run run = {.options = options};
	bool done;

	run.observing = (struct sprof_unattached_run){
		.pid = options->processes.pid,
		.operands = operands,
		.duration_ns = options->duration_ns,
		.interval_ns = options->interval_ns,
		.keeps_stdout = !sprof_report_file_is_stdout(options->output),
		.period_ns = SPROF_RUNDELAY_PERIOD_NS,
		.snapshot = print_statistics,
		.begin = begin,
		.begun = note_begun,
		.fd = ring_fd,
		.poll = poll_rings,
		.end_interval = end_interval,
		.end = end,
		.data = &run,
	};
	done = sprof_unattached_run_check("rundelay", options->processes.pid, operands, err) &&
		check_source(options, err) &&
		sprof_report_file_settle(options->output, &settled.json, NULL, err) &&
		open_output(&run, err) && sprof_unattached_run_run(&run.observing, ret_exit, err) &&
		close_output(&run, err);
	sprof_out_discard(run.out);
	if (done && (run.no_memory || run.is_partial))
		*ret_exit = SPROF_EXIT_PARTIAL;
	sprof_single_delays_finish(&run.singles);
	sprof_rundelay_finish(&run.rundelay);
	return done;
}

const struct sprof_command sprof_command_rundelay = {
	.name = "rundelay",
	.summary = "Measure how long threads wait for a CPU",
	.synopsis = "[options] (-p PID | [--] PROGRAM [ARGUMENT...])",
	.details =
		"A thread waits for a CPU after a preemption and after a wake-up. Waits after "
		"preemptions are\n"
		"exact with switch records, which need kernel.perf_event_paranoid to be at most 2 "
		"(your own\n"
		"processes). Waits after wake-ups are exact with tracepoints, which need root or "
		"CAP_PERFMON, and a\n"
		"tracefs that is mounted and readable; otherwise the kernel gives only their "
		"number and sum (~).\n"
		"With --pid, Ctrl-C ends it and prints the tables. SIGUSR1 prints statistics. sprof "
		"exits with the\n"
		"exit code of PROGRAM.\n\n"
		"  sprof rundelay -p 4711 -d 10s --than 4ms --per-thread\n"
		"  sprof rundelay -p 4711 --than 4ms --detail=-1ms\n"
		"  sprof rundelay -i 1s -- ./server --port 8080\n",
	.groups = groups,
	.hidden = "perins mmap-pages",
	.processes = FIELD(processes),
	.processes_use = SPROF_PROCESSES_ROWS,
	.defaults = &defaults,
	.options_size = sizeof(struct rundelay_options),
	.run = run,
};
