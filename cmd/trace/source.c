/*
 * Chooses the sources of `sprof trace`: kernel records for events that have no other source, or
 * where permitted; ptrace otherwise. Does not handle stops.
 */
#include <stdio.h>
#include <string.h>

#include "cmd/cli/perf-denied.h"
#include "cmd/trace/choice.h"
#include "cmd/trace/state.h"
#include "events/syscalls/events.h"

enum {
	LAST_CALL = 1024,
	NAME_SIZE = 64,
	/* ptrace stops cause such events, too. */
	SCHEDULING = 1 << SPROF_TRACE_SWITCH | 1 << SPROF_TRACE_WAKEUP | 1 << SPROF_TRACE_WAKING |
		1 << SPROF_TRACE_WAKEUP_NEW | 1 << SPROF_TRACE_MIGRATE | 1 << SPROF_TRACE_OFF |
		1 << SPROF_TRACE_ON,
};

static void add_word(struct sprof_trace_words *words, const char *word)
{
	const size_t used = strlen(words->text);

	if (!strstr(words->text, word))
		snprintf(words->text + used, sizeof(words->text) - used, "%s%s", used ? " + " : "",
			word);
}

/* The kernel's source of a type has one name. */
static void add_kernel_source(struct sprof_trace_words *words, unsigned sources)
{
	static const enum sprof_trace_source named[] = {SPROF_TRACE_BY_TRACEPOINT,
		SPROF_TRACE_BY_SWITCHES, SPROF_TRACE_BY_FAULTS, SPROF_TRACE_BY_CLOCK,
		SPROF_TRACE_BY_UPROBE};

	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		if (sources & named[i])
			add_word(words, sprof_trace_source_name(named[i]));
	}
}

struct sprof_trace_words sprof_trace_source_words(const struct trace *trace)
{
	struct sprof_trace_words words = {""};

	for (size_t i = 0; i < trace->list.count; i++) {
		const struct sprof_trace_type_row *row = trace->list.items[i].row;

		if (trace->recorded_types >> row->type & 1)
			add_kernel_source(&words, row->sources);
		else
			add_word(&words,
				sprof_trace_source_name(row->sources & SPROF_TRACE_BY_BREAKPOINT
						? SPROF_TRACE_BY_BREAKPOINT
						: SPROF_TRACE_BY_EVENT_STOPS));
	}
	return words;
}

static void on_gap(void *data, uint64_t since_ns, uint64_t end_ns)
{
	struct trace *trace = data;

	if (!sprof_trace_engine_gap(&trace->engine, end_ns))
		trace->out_of_memory = true;
}

/* Calls that no event can be of need not be seen. */
static void choose_calls(struct trace *trace)
{
	for (int64_t number = 0; number < LAST_CALL; number++) {
		if (!sprof_trace_choice_has_call(&trace->list, number, &trace->lookup))
			continue;
		if (trace->call_count == TRACE_CALLS) {
			trace->call_count = 0;
			return;
		}
		trace->call_numbers[trace->call_count++] = number;
	}
}

/* Which events are not permitted, and why. */
struct denied {
	enum sprof_trace_type type; /* SPROF_TRACE_TYPES: all */
	struct sprof_perf_denial why;
};

/* Returns false if the kernel does not permit it, or out of memory. */
static bool record(struct trace *trace, uint32_t types, struct denied *ret)
{
	const struct sprof_trace_options *options = trace->options;
	const bool has_probes = types >> SPROF_TRACE_PROBE & 1;
	const struct sprof_probe *probes =
		has_probes ? sprof_trace_probes_begins(&trace->probes) : NULL;
	const struct sprof_recorded_options wanted = {
		.wants = {.types = types,
			.stacks = sprof_trace_choice_stack_types(&trace->list),
			.rate_hz = sprof_trace_choice_rate(&trace->list),
			.ring_size = options->ring_size,
			.probes = probes,
			.probe_count = has_probes ? trace->probes.count : 0,
			.calls = trace->call_numbers,
			.call_count = trace->call_count},
		.follow_children = sprof_processes_follow_children(
			&options->watching.processes, trace->probes.program),
		.listener = sprof_call_events_listener(&trace->sink),
		.sink = trace->sink,
		.gap = on_gap,
	};

	*ret = (struct denied){SPROF_TRACE_TYPES, {SPROF_PERF_OTHER, 0}};
	trace->recorded_types = types;
	return !types ||
		((probes || !has_probes) &&
			sprof_recorded_events_create(
				&wanted, &trace->recorded, &ret->type, &ret->why));
}

/*
 * Whether to get system calls from kernel records. They stop no thread but copy each call's stack.
 * ptrace stops cause context switches, so together with scheduler events records are the only way.
 */
static bool may_record_calls(const struct trace *trace, uint32_t needed)
{
	const enum sprof_source_request request = trace->options->request;
	const bool has_stacks =
		sprof_trace_choice_stack_types(&trace->list) & sprof_recorded_calls();

	return request != SPROF_SOURCE_PTRACE &&
		(request == SPROF_SOURCE_PERF || !has_stacks || needed & SCHEDULING ||
			trace->by_breakpoints);
}

static bool check_scheduling(const struct trace *trace, uint32_t calls, struct sprof_error *err)
{
	const bool has_stops = calls && !sprof_trace_records_calls(trace);

	if (!(trace->recorded_types & SCHEDULING) ||
		(!has_stops && !trace->by_breakpoints && !trace->options->beside.sample))
		return true;
	sprof_error_set(err, SPROF_ERROR_USAGE, "scheduler events can't be combined with %s",
		has_stops                       ? "system calls from ptrace"
			: trace->by_breakpoints ? "functions from breakpoints"
						: "samples");
	return sprof_error_hint(err,
		has_stops ? "each stop is a switch; root's tracepoints need no stops"
			: trace->by_breakpoints
			? "each stop is a switch; as root, uprobe: without uretprobe: needs none"
			: "each sample of a running thread is a switch; leave --sample out");
}

/* The loader is followed by its system calls, too, until its libraries are watched. */
static bool check_functions(const struct trace *trace, uint32_t calls, struct sprof_error *err)
{
	if (!trace->by_breakpoints || !calls || sprof_trace_records_calls(trace))
		return true;
	sprof_error_set(err, SPROF_ERROR_USAGE,
		"functions watched by breakpoints can't be combined with system calls from ptrace");
	return sprof_error_hint(err,
		"as root, take system calls from tracepoints: mount -t tracefs nodev "
		"/sys/kernel/tracing");
}

static bool uses_cpu(const struct sprof_event_item *item)
{
	return (item->filter && sprof_expression_has_cpu(item->filter)) ||
		(item->key && sprof_expression_has_cpu(item->key)) ||
		(item->role && sprof_expression_has_cpu(item->role));
}

/* Stops don't say on which CPU their thread was: events of all CPUs would match. */
static bool check_cpus(const struct trace *trace, struct sprof_error *err)
{
	const bool compares = trace->options->detail.how.same_cpu;
	char name[NAME_SIZE];

	for (size_t i = 0; i < trace->list.count; i++) {
		const struct sprof_event_item *item = &trace->list.items[i];

		if ((trace->recorded_types >> item->row->type & 1) ||
			(!compares && !uses_cpu(item)))
			continue;
		sprof_trace_type_name(item->row, item->call, name, sizeof(name));
		sprof_error_set(err, SPROF_ERROR_USAGE, "%s: events from stops have no CPU", name);
		return sprof_error_hint(err, "as root, --source kernel records the CPU");
	}
	return true;
}

static bool check(const struct trace *trace, uint32_t calls, struct sprof_error *err)
{
	return check_scheduling(trace, calls, err) && check_functions(trace, calls, err) &&
		check_cpus(trace, err);
}

static bool explain(const struct denied *denied, struct sprof_error *err)
{
	struct sprof_trace_words words = {""};

	if (denied->type < SPROF_TRACE_TYPES)
		add_kernel_source(&words, sprof_trace_type_row(denied->type)->sources);
	return sprof_perf_denied(
		&denied->why, words.text[0] ? words.text : "recording events", err);
}

/* Kernel records for events without another source or where permitted; ptrace for the rest. */
bool sprof_trace_choose_source(struct trace *trace, struct sprof_error *err)
{
	const uint32_t probes = trace->by_breakpoints ? 0 : 1U << SPROF_TRACE_PROBE;
	const uint32_t needed = sprof_trace_choice_kernel_types(&trace->list) |
		(sprof_trace_choice_types(&trace->list) & probes);
	const uint32_t calls = sprof_trace_choice_types(&trace->list) & sprof_recorded_calls();
	const bool tries_calls = calls && may_record_calls(trace, needed);
	struct denied denied;

	choose_calls(trace);
	if (record(trace, tries_calls ? needed | calls : needed, &denied))
		return check(trace, calls, err);
	if (tries_calls && trace->options->request == SPROF_SOURCE_ANY &&
		record(trace, needed, &denied))
		return check(trace, calls, err);
	return explain(&denied, err);
}
