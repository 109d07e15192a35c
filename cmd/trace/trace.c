/*
 * sprof trace: the time between any two events of a process. Parses the command line; run.c
 * runs it.
 */
#include <stdio.h>
#include <string.h>

#include "cmd/cli/commands.h"
#include "cmd/cli/report-file.h"
#include "cmd/trace/run.h"

enum { CALLS_LIMIT = 100 * 1000 };

#define FIELD(name) offsetof(struct sprof_trace_options, name)

_Static_assert(offsetof(struct sprof_trace_options, common) == 0,
	"main.c reads the common options of any command");

static bool add_events(void *field, const char *text, struct sprof_error *err)
{
	struct sprof_trace_lists *lists = field;

	if (lists->count == SPROF_EVENT_POSITIONS)
		return sprof_error_set(err, SPROF_ERROR_USAGE,
			"is number %d; at most %d are possible", SPROF_EVENT_POSITIONS + 1,
			SPROF_EVENT_POSITIONS);
	lists->items[lists->count++] = text;
	return true;
}

static bool set_analysis(void *field, const char *text, struct sprof_error *err)
{
	static const char *const names[] = {
		[SPROF_TRACE_DELAY] = "delay",
		[SPROF_TRACE_PAIR] = "pair",
		[SPROF_TRACE_SYSCALLS] = "syscalls",
		[SPROF_TRACE_CALL] = "call",
		[SPROF_TRACE_CALL_DELAY] = "call-delay",
		[SPROF_TRACE_KMEMPROF] = "kmemprof",
		NULL,
	};
	unsigned analysis;

	if (!sprof_value_choice(names, text, &analysis, err)) {
		if (strcmp(text, "rundelay") == 0)
			sprof_error_hint(err, "sprof rundelay measures the wait for a CPU");
		return false;
	}
	*(enum sprof_trace_analysis *)field = (enum sprof_trace_analysis)analysis;
	return true;
}

static bool set_threshold(void *field, const char *text, struct sprof_error *err)
{
	struct sprof_trace_threshold *threshold = field;

	threshold->is_set = sprof_latency_parse(text, strlen(text), &threshold->ns) ||
		sprof_value_latency(&threshold->ns, text, err);
	return threshold->is_set;
}

static const struct sprof_option event_table[] = {
	{"event", "e", "EVENT[,EVENT]...",
		"a position: group:name[/filter/key=EXPR/.../]; sprof measures\n"
		"from an event at one position to the next matching event at the\n"
		"following one",
		add_events, FIELD(lists)},
	{"key", "k", "EXPR", "events with the same value match (the thread)", sprof_value_text,
		FIELD(key)},
	{"cycle", NULL, NULL, "the last position is followed by the first one", sprof_value_flag,
		FIELD(cycle)},
	{"source", NULL, "SOURCE",
		"auto (the best permitted source), kernel (its tracepoints: root,\n"
		"no stops), ptrace (auto)",
		sprof_value_source, FIELD(request)},
	{"mmap-pages", "m", "N",
		"room for the kernel's records, for each CPU, in pages: a power of\n"
		"two (4 MiB, with stacks up to 32 MiB, where permitted)",
		sprof_value_ring_size, FIELD(ring_size)},
	{"impl", NULL, "WHAT",
		"delay: latencies; pair: also events without a partner; syscalls: a\n"
		"table of system calls; call: each -e is a function (start,end),\n"
		"with callers; call-delay: both; kmemprof: memory that events\n"
		"allocate and free (delay)",
		set_analysis, FIELD(analysis)},
	{0},
};

static const struct sprof_option report_table[] = {
	{"than", NULL, "TIME", "show each pair that takes longer than TIME", set_threshold,
		FIELD(than)},
	{"lower", NULL, "TIME", "show each pair that takes less than TIME", set_threshold,
		FIELD(lower)},
	{"per-thread", NULL, NULL, "show a row for each thread, or value of --key",
		sprof_value_flag, FIELD(by_key)},
	{"perins", NULL, NULL, "show a row for each key", sprof_value_flag, FIELD(by_key)},
	{"detail", NULL, "[WHAT]",
		"with --than or --lower: also show the events between: all, or a\n"
		"comma-separated list of -1ms, +1ms, hide<10us, sametid, samepid,\n"
		"samekey, samecpu, 1, 2 (all)",
		sprof_value_detail, FIELD(detail), .needs = "than lower"},
	{"heatmap", NULL, "FILE",
		"write time and latency (ns) to FILE-EVENT1-EVENT2.lat, a picture\n"
		"of each (.svg), and FILE.html with all pictures",
		sprof_value_text, FIELD(heatmap)},
	{"limit", NULL, "N", "keep the first N calls for the tree of --impl call-delay (100000)",
		sprof_value_count, FIELD(limit), .needs = "impl=call-delay"},
	{"interval", "i", "TIME", "print a table every TIME, such as 1s", sprof_value_interval,
		FIELD(interval_ns)},
	{"output", "o", "FILE", "write to FILE (.txt or .json) instead of stdout", sprof_value_text,
		FIELD(output)},
	{"format", "f", "FORMAT", NULL, sprof_value_json, FIELD(json)},
	{"json", NULL, NULL, "write one line of JSON instead of each table", sprof_value_flag,
		FIELD(json), .conflicts = "format"},
	/* Options of perf-prof: here events are always in order, and buffers are small. */
	{"order", NULL, NULL, NULL, sprof_value_ignored, 0},
	{"watermark", NULL, "N", NULL, sprof_value_ignored, 0},
	{0},
};

static const struct sprof_option_group groups[] = {
	SPROF_EVENT_RUN_GROUPS("What to trace", FIELD(watching)),
	{"What to trace", event_table},
	{"What to trace", sprof_with_samples_table, FIELD(beside)},
	{"Report", report_table},
	{"Names", sprof_naming_table, FIELD(naming)},
	{"General", sprof_common_option_table},
	{0},
};

static bool run(const void *data, char *const operands[], int *ret_exit, struct sprof_error *err)
{
	struct sprof_trace_options options = *(const struct sprof_trace_options *)data;

	if (!options.lists.count) {
		sprof_error_set(err, SPROF_ERROR_USAGE, "trace needs events");
		return sprof_error_hint(err,
			"for example: sprof trace -e syscalls:sys_enter_read -e "
			"syscalls:sys_exit_read -p 4711; sprof events lists them; "
			"sprof syscalls counts system calls");
	}
	return sprof_event_run_check("trace", &options.watching, operands, err) &&
		sprof_report_file_settle(options.output, &options.json, NULL, err) &&
		sprof_trace_run(&options, operands, ret_exit, err);
}

static const struct sprof_trace_options defaults = {
	.naming.debuginfod_limit_ns = SPROF_DEBUGINFOD_LIMIT_NS,
	.beside.rate_hz = SPROF_WITH_SAMPLES_RATE_HZ,
	.limit = CALLS_LIMIT,
};

const struct sprof_command sprof_command_trace = {
	.name = "trace",
	.alias = "multi-trace",
	.summary = "Measure the time between two events, each time they occur",
	.synopsis = "-e EVENT [-e EVENT]... [options] (-p PID | [--] PROGRAM [ARGUMENT...])",
	.details =
		"sprof multi-trace is the same command. sprof events lists the events and their "
		"fields.\n"
		"Expressions have the operators of C, and ~ for a glob. sprof exits with the exit "
		"code of\n"
		"PROGRAM.\n\n"
		"  sprof trace -e syscalls:sys_enter_read -e syscalls:sys_exit_read --than 4ms -p "
		"4711\n"
		"  sprof trace -e 'syscalls:sys_exit_openat/ret>=0/key=ret/' -e "
		"'syscalls:sys_enter_close//key=fd/' --impl pair -- ls\n"
		"  sprof trace --impl call-delay -e uprobe:parse,uretprobe:parse -e "
		"raw_syscalls:sys_enter,raw_syscalls:sys_exit -- ./app\n",
	.groups = groups,
	.hidden = "perins rate " SPROF_NAMING_HIDDEN,
	.processes = FIELD(watching),
	.defaults = &defaults,
	.options_size = sizeof(struct sprof_trace_options),
	.run = run,
};
