/*
 * Functions as events of `sprof trace`: by uprobes, which stop no thread, if only entries are
 * wanted, the kernel permits uprobes, and there are few functions; otherwise by breakpoints. Does
 * not use uretprobes: they change return addresses, which ends a program that leaves a function
 * without a return, or moves its stacks. probes.c finds the functions.
 */
#include <inttypes.h>
#include <string.h>

#include "attach/breakpoints/breakpoints.h"
#include "attach/start/guardian.h"
#include "base/proc-status.h"
#include "cmd/trace/choice.h"
#include "cmd/trace/state.h"

/*
 * The kernel opens a uprobe for one thread, and waits for all CPUs each time
 * (kernel/events/uprobes.c, dup_mmap_sem): 5 to 40 ms. New threads don't inherit them, but wait
 * until theirs are open.
 */
enum { UPROBES_MAX = 32 };

static uint64_t uprobes_of(const struct trace *trace)
{
	const pid_t pid = trace->options->watching.processes.pid;
	long threads = 1;

	if (pid && !sprof_proc_status_read_number(pid, "Threads", &threads))
		threads = 1;
	return trace->probes.count * (uint64_t)threads;
}

static bool check_few(const struct trace *trace, struct sprof_error *err)
{
	const uint64_t count = uprobes_of(trace);

	if (count <= UPROBES_MAX)
		return true;
	sprof_error_set(err, SPROF_ERROR_USAGE,
		"--source kernel: %zu functions, for each thread, need %" PRIu64
		" uprobes, and the kernel takes some ms to open each; the limit is %d",
		trace->probes.count, count, UPROBES_MAX);
	return sprof_error_hint(err, "without --source kernel, breakpoints are used");
}

static bool needs_breakpoints(const struct trace *trace)
{
	struct sprof_perf_denial denial;

	if (trace->options->request == SPROF_SOURCE_PTRACE ||
		sprof_trace_probes_have_returns(&trace->probes))
		return true;
	return sprof_breakpoints_are_possible() &&
		(uprobes_of(trace) > UPROBES_MAX || !sprof_recorded_probes_are_permitted(&denial));
}

static bool begin_breakpoints(struct trace *trace, struct sprof_error *err)
{
	trace->by_breakpoints = true;
	if (trace->options->beside.sample) {
		sprof_error_set(err, SPROF_ERROR_USAGE,
			"functions watched by breakpoints can't be combined with --sample");
		return sprof_error_hint(err, "as root, uprobe: without uretprobe: needs no stops");
	}
	return sprof_trace_probes_check(&trace->probes, err) &&
		sprof_guardian_begin(trace->options->watching.processes.pid, err);
}

bool sprof_trace_choose_functions(struct trace *trace, struct sprof_error *err)
{
	if (!trace->probes.count)
		return true;
	if (trace->options->request == SPROF_SOURCE_PERF)
		return check_few(trace, err);
	return !needs_breakpoints(trace) || begin_breakpoints(trace, err);
}

static bool wants(
	void *data, const struct sprof_module *module, const struct sprof_listed *function)
{
	const struct trace *trace = data;

	return sprof_trace_probes_want(&trace->probes, module, function->address);
}

/* As an event of each -e that has the function. */
static bool give_all(struct trace *trace, const struct sprof_trace_event *event)
{
	const struct sprof_function *function =
		sprof_functions_at(trace->functions, event->fields[0].integer);
	const bool is_return = event->type == SPROF_TRACE_RETURN;
	struct sprof_trace_event copy = *event;
	struct sprof_trace_value fields[SPROF_TRACE_MAX_VALUES];
	size_t next = 0;

	memcpy(fields, event->fields, sprof_trace_event_values(event) * sizeof(fields[0]));
	copy.fields = fields;
	while (sprof_trace_probes_next(
		&trace->probes, function, is_return, &next, &fields[0].integer)) {
		if (!trace->stops.event(trace->stops.data, &copy))
			return false;
	}
	return true;
}

static bool take_event(void *data, const struct sprof_trace_event *event)
{
	struct trace *trace = data;

	if (event->type == SPROF_TRACE_PROBE || event->type == SPROF_TRACE_RETURN)
		return give_all(trace, event);
	return trace->stops.event(trace->stops.data, event);
}

bool sprof_trace_watch_functions(struct trace *trace, struct sprof_error *err)
{
	const struct sprof_functions_options wanted = {
		.modules = trace->watching.modules,
		.data = trace,
		.wants = wants,
		.event = take_event,
		.stacks = sprof_trace_choice_stack_types(&trace->list) & 1U << SPROF_TRACE_PROBE,
		.begins_only = !sprof_trace_probes_have_returns(&trace->probes),
		.follow_children = trace->watching.subject.follow_children,
	};

	if (!sprof_functions_create(&wanted, &trace->functions, err))
		return false;
	sprof_functions_prepare(trace->functions, &trace->watching.subject);
	return true;
}
