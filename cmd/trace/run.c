/*
 * The wiring of `sprof trace`: sources -> pairs -> table, details and heatmaps. report.c and
 * result.c format them.
 */
#include "cmd/trace/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "attach/floor/floor.h"
#include "base/clock.h"
#include "base/syscall-name.h"
#include "cmd/cli/report-file.h"
#include "cmd/trace/choice.h"
#include "cmd/trace/report.h"
#include "cmd/trace/state.h"
#include "cmd/ui.h"
#include "events/syscalls/events.h"
#include "events/syscalls/filter.h"
#include "output/units.h"

enum {
	PATH_SIZE = 4096,
	LINE_SIZE = 64,
	NAME_SIZE = 64,
	SOURCES_MAX = 6,
};

static const uint64_t LOOK_NS = SPROF_NS_PER_MS;

static const char *name_of_call(void *context, int64_t number)
{
	struct trace *trace = context;

	sprof_syscall_name(number, trace->call_name, sizeof(trace->call_name));
	return trace->call_name;
}

static const char *name_of_thread(void *context, pid_t tid)
{
	struct trace *trace = context;

	if (!sprof_owners_add(&trace->owners, tid))
		trace->out_of_memory = true;
	return sprof_owners_name(&trace->owners, tid);
}

static void on_event(void *context, const struct sprof_trace_side *side)
{
	struct trace *trace = context;

	if (trace->details &&
		!sprof_details_add(
			trace->details, side, sprof_trace_engine_oldest_ns(&trace->engine)))
		trace->out_of_memory = true;
}

/* Adds the instance to the table that will be printed. */
static bool count(struct trace *trace, const struct sprof_trace_instance *instance)
{
	if (trace->options->analysis == SPROF_TRACE_CALL)
		return true;
	return trace->options->analysis == SPROF_TRACE_SYSCALLS
		? sprof_trace_calls_add(&trace->call_figures, instance)
		: sprof_delay_table_add(&trace->table, instance);
}

/* Keeps a thread's name, if the table has a row for each thread. */
static bool keep_name(struct trace *trace, const struct sprof_trace_instance *instance)
{
	const struct sprof_trace_side *side = &instance->event1;

	if (!trace->options->by_key || !side->item->key ||
		!sprof_expression_is_tid(side->item->key))
		return true;
	return sprof_owners_add(&trace->owners, side->key);
}

static void on_instance(void *context, const struct sprof_trace_instance *instance)
{
	struct trace *trace = context;
	bool is_shown = instance->over || instance->under;

	if (!count(trace, instance) || !keep_name(trace, instance) ||
		(trace->details && is_shown && !sprof_details_request(trace->details, instance)))
		trace->out_of_memory = true;
	sprof_heatmap_write(&trace->heatmap,
		&(struct sprof_heatmap_point){
			.id = (uint64_t)instance->event1.item->index << 32 |
				instance->event2.item->index,
			.begin = instance->event1.item->name,
			.end = instance->event2.item->name,
			.time_ns = instance->event2.event->time_ns,
			.latency_ns = instance->latency_ns,
		});
}

static void on_unpaired(
	void *context, const struct sprof_trace_side *side, enum sprof_unpaired reason)
{
	struct trace *trace = context;

	const bool is_second = reason == SPROF_UNPAIRED_SECOND;

	trace->unpaired[is_second][side->item->index]++;
	sprof_trace_stacks_count(&trace->stacks, side, is_second);
}

static bool owns(void *context, int64_t tid)
{
	struct trace *trace = context;
	bool is_own;

	if (!sprof_owners_have(&trace->owners, tid, &is_own))
		trace->out_of_memory = true;
	return is_own;
}

static void write_open(uint64_t open_ns, unsigned stack, struct sprof_out *out)
{
	sprof_out_printf(out, "in flight after %s", sprof_figure_time(open_ns).text);
	if (stack)
		sprof_out_printf(out, ", now at stack %u", stack);
	sprof_out_puts(out, ":\n");
}

/* Shows an instance that is still open; its end is shown later. */
static bool show_open(void *context, const struct sprof_trace_side *side)
{
	struct trace *trace = context;
	const struct sprof_trace_instance instance = {
		.event1 = *side, .latency_ns = trace->known_ns - side->event->time_ns};

	const unsigned stack = sprof_trace_stacks_number(
		&trace->stacks, sprof_trace_stacks_peek(&trace->stacks, side->event->thread));

	if (trace->options->json)
		sprof_trace_json_open(instance.latency_ns, stack, trace->out);
	else
		write_open(instance.latency_ns, stack, trace->out);
	if (!sprof_details_request(trace->details, &instance))
		trace->out_of_memory = true;
	return !trace->out_of_memory;
}

static void on_line(void *context, const struct sprof_trace_instance *instance,
	const struct sprof_details_line *line)
{
	struct trace *trace = context;
	struct sprof_details_line shown = *line;

	if (!trace->options->detail.is_wanted)
		shown.hidden = 0;
	if (!trace->options->json)
		sprof_trace_report_line(
			&trace->owners, &trace->stacks, instance, &shown, trace->out);
	else if (!sprof_trace_json_line(
			 &trace->owners, &trace->stacks, instance, &shown, trace->out))
		trace->out_of_memory = true;
}

/* Some events arrive late; time never goes backwards here. */
static bool take_event(void *data, const struct sprof_trace_event *event)
{
	struct trace *trace = data;
	struct sprof_trace_event next = *event;
	bool trigger;

	if (next.time_ns < trace->last_ns)
		next.time_ns = trace->last_ns;
	trace->last_ns = next.time_ns;
	if (event->thread == SPROF_TRACE_FOREIGN && !sprof_owners_add(&trace->owners, event->tid))
		trace->out_of_memory = true;
	if (!sprof_trace_engine_add(&trace->engine, &next, &trigger))
		trace->out_of_memory = true;
	if (trigger)
		trace->next_ns = 0;
	return !trace->out_of_memory;
}

/* Events from ptrace arrive at once, but earlier kernel records come later: sorts them. */
static bool take_stop(void *data, const struct sprof_trace_event *event)
{
	struct trace *trace = data;
	struct sprof_trace_sink order;

	if (!trace->recorded)
		return take_event(data, event);
	order = sprof_recorded_events_sink(trace->recorded);
	return order.event(order.data, event);
}

/* How often to check for calls that take too long while still open. */
static uint64_t look_period(const struct trace *trace)
{
	const struct sprof_trace_threshold *than = &trace->options->than;

	if (!than->is_set)
		return UINT64_MAX;
	return than->ns > 2 * LOOK_NS ? than->ns / 2 : LOOK_NS;
}

static uint64_t due_ns(const void *data)
{
	const struct trace *trace = data;

	if (trace->out_of_memory)
		return 0;
	return trace->next_ns < trace->look_ns ? trace->next_ns : trace->look_ns;
}

static void look_for_open(struct trace *trace, uint64_t now_ns)
{
	if (now_ns < trace->look_ns)
		return;
	/* Late events are not missing yet. */
	trace->known_ns =
		trace->recorded ? sprof_recorded_events_known_ns(trace->recorded) : now_ns;
	sprof_trace_engine_overdue(
		&trace->engine, trace->known_ns, trace->options->than.ns, show_open, trace);
	trace->look_ns = now_ns + look_period(trace);
}

static bool end_interval(struct trace *trace, uint64_t now_ns)
{
	if (now_ns < trace->next_ns)
		return true;
	sprof_trace_write_table(trace, false);
	trace->interval_ns = now_ns;
	trace->next_ns =
		trace->options->interval_ns ? now_ns + trace->options->interval_ns : UINT64_MAX;
	return sprof_delay_table_end_interval(&trace->table) &&
		sprof_trace_calls_end_interval(&trace->call_figures);
}

static bool poll(void *data, uint64_t now_ns)
{
	struct trace *trace = data;

	bool is_going_on;

	look_for_open(trace, now_ns);
	is_going_on = end_interval(trace, now_ns) && !trace->out_of_memory;
	sprof_out_flush(trace->out);
	return is_going_on;
}

static void begin(void *data, struct sprof_target *target)
{
	struct trace *trace = data;

	trace->stacks.target = target;
	if (trace->recorded_types >> SPROF_TRACE_PROBE & 1)
		trace->opening = sprof_progress_begin("opening uprobes");
}

static void end(void *data, uint64_t now_ns)
{
	struct trace *trace = data;

	trace->end_ns = now_ns;
}

/* All sources have begun, which takes some time. */
static void begin_clock(void *data, struct sprof_target *target)
{
	struct trace *trace = data;

	sprof_progress_end(trace->opening);
	trace->opening = NULL;
	trace->begin_ns = trace->interval_ns = sprof_clock_now_ns();
	trace->next_ns = trace->options->interval_ns ? trace->begin_ns + trace->options->interval_ns
						     : UINT64_MAX;
	trace->look_ns =
		trace->options->than.is_set ? trace->begin_ns + look_period(trace) : UINT64_MAX;
}

static bool offer(void *data, const struct sprof_event_stacks *stacks)
{
	struct trace *trace = data;

	trace->stacks.source = stacks;
	return true;
}

static bool wants_stack(void *data, const struct sprof_call *call)
{
	const struct sprof_trace_sink *sink = data;
	const struct trace *trace = sink->data;

	return sprof_trace_choice_has_stack(&trace->list, call, &trace->lookup);
}

/* SIGUSR1. */
static void note_state(void *data)
{
	const struct trace *trace = data;
	const struct sprof_pairs_counts counts = sprof_trace_engine_counts(&trace->engine);

	sprof_ui_note("%" PRIu64 " events, %" PRIu64 " pairs, %zu open, %" PRIu64
		      " replaced; %zu bytes of details, %" PRIu64 " events had no room there",
		counts.events, counts.instances, sprof_trace_engine_open(&trace->engine),
		counts.replaced, trace->details ? sprof_details_bytes(trace->details) : 0,
		trace->details ? sprof_details_evicted(trace->details) : 0);
}

static bool create_parts(struct trace *trace, struct sprof_error *err)
{
	const struct sprof_trace_threshold *than = &trace->options->than;
	const struct sprof_pairs_options how = {
		.list = &trace->list,
		.cycle = trace->options->cycle,
		.has_than = than->is_set,
		.has_lower = trace->options->lower.is_set,
		.than_ns = than->ns,
		.lower_ns = trace->options->lower.ns,
		.lookup = &trace->lookup,
		.listener = {on_event, on_instance, on_unpaired, owns, trace},
	};
	const struct sprof_details_listener listener = {on_line, trace};
	struct sprof_details_options detail = trace->options->detail.how;

	if (!trace->options->detail.is_wanted)
		detail.hide_ns = UINT64_MAX;
	if (!sprof_trace_engine_create(trace->options, &how, &trace->engine))
		return sprof_error_no_memory(err);
	if (how.has_than || how.has_lower)
		trace->details = sprof_details_create(&detail, &listener);
	for (int i = 0; i < 2; i++)
		trace->unpaired[i] = calloc(trace->list.count, sizeof(*trace->unpaired[i]));
	if (!trace->unpaired[0] || !trace->unpaired[1] ||
		((how.has_than || how.has_lower) && !trace->details))
		return sprof_error_no_memory(err);
	return sprof_report_file_open(trace->options->output, &trace->out, err);
}

/* Returns false if out of memory, or without a filter. */
static bool trace_calls(struct trace *trace, struct sprof_error *err)
{
	struct sprof_calls_listener listener = sprof_call_events_listener(&trace->stops);
	struct sprof_calls_options how = {
		.filter_value = SPROF_CALL_FILTER_VALUE, .slow_ns = UINT64_MAX};

	listener.wants_stack = sprof_trace_choice_has_stacks(&trace->list) ? wants_stack : NULL;
	if (!sprof_event_run_calls(&trace->watching, trace->call_numbers, trace->call_count, err))
		return false;
	how.is_selected = trace->watching.subject.calls == SPROF_CALLS_SELECTED;
	trace->floor_ns = sprof_call_floor_ns();
	trace->calls = sprof_calls_create(&how, &listener);
	return trace->calls || sprof_error_no_memory(err);
}

static bool wants_call_stops(const struct trace *trace)
{
	return sprof_trace_choice_wants(&trace->list, SPROF_TRACE_BY_CALL_STOPS) &&
		!sprof_trace_records_calls(trace);
}

/*
 * Births are events, or new threads get probes at theirs, or their mappings are read; ends cut
 * calls.
 */
static bool wants_tasks(const struct trace *trace)
{
	return trace->probes.count || !trace->engine.pairs ||
		(trace->recorded && sprof_trace_choice_has_stacks(&trace->list)) ||
		sprof_trace_choice_wants(&trace->list, SPROF_TRACE_BY_EVENT_STOPS);
}

/* The source of functions reports thread events, too. */
static struct sprof_event_source tasks_of(struct trace *trace)
{
	return trace->functions ? sprof_functions_source(trace->functions)
				: sprof_task_events_source(&trace->stops);
}

/* At the end, the kernel's records come last, together with the events merged into them. */
static bool watch(struct trace *trace, int *ret_exit, struct sprof_error *err)
{
	struct sprof_event_source calls, recorded, tasks = tasks_of(trace),
						   ticker = {.data = trace,
							   .begin = begin,
							   .offer = offer,
							   .due_ns = due_ns,
							   .poll = poll,
							   .end = end},
						   last = {.data = trace, .begin = begin_clock};
	const struct sprof_event_source *sources[SOURCES_MAX] = {&ticker, &tasks};
	size_t count = 2;

	trace->watching.subject.tasks = wants_tasks(trace);
	trace->watching.signals.snapshot = note_state;
	trace->watching.signals.snapshot_data = trace;
	if (wants_call_stops(trace)) {
		if (!trace_calls(trace, err))
			return false;
		calls = sprof_calls_source(trace->calls);
		sources[count++] = &calls;
	}
	if (trace->recorded) {
		recorded = sprof_recorded_events_source(trace->recorded);
		sources[count++] = &recorded;
	}
	sources[count] = &last;
	trace->watching.tracing.events = sources;
	return sprof_event_run_run(&trace->watching, ret_exit, err);
}

static void finish(struct trace *trace)
{
	struct sprof_error err;

	/* Only after a failed run; otherwise it is already closed. */
	(void)!sprof_heatmap_close(&trace->heatmap, &err);
	sprof_trace_stacks_finish(&trace->stacks);
	sprof_owners_finish(&trace->owners);
	sprof_calls_destroy(trace->calls);
	sprof_progress_end(trace->opening);
	sprof_recorded_events_destroy(trace->recorded);
	sprof_functions_destroy(trace->functions);
	sprof_trace_probes_finish(&trace->probes);
	sprof_details_destroy(trace->details);
	sprof_trace_engine_finish(&trace->engine);
	sprof_delay_table_finish(&trace->table);
	sprof_trace_calls_finish(&trace->call_figures);
	sprof_event_list_finish(&trace->list);
	sprof_out_discard(trace->out);
	free(trace->unpaired[0]);
	free(trace->unpaired[1]);
	sprof_event_run_finish(&trace->watching);
}

/* Prints the summary of the samples taken in the run. */
static bool print_answer(struct trace *trace, int *ret_exit, struct sprof_error *err)
{
	struct sprof_report_options shown = SPROF_REPORT_OPTIONS_DEFAULTS, answer;

	if (!trace->options->beside.sample || trace->options->json)
		return true;
	shown.output.short_names = trace->options->naming.short_names;
	if (!trace->options->output) {
		puts("");
		fflush(stdout);
	}
	return sprof_with_samples_settle(&shown, &answer, err) &&
		sprof_report_options_write_all(&answer, trace->watching.profile, ret_exit, err);
}

bool sprof_trace_run(const struct sprof_trace_options *options, char *const operands[],
	int *ret_exit, struct sprof_error *err)
{
	struct trace trace = {.options = options,
		.table = {.by_key = options->by_key},
		.call_figures = sprof_trace_calls_of(options->by_key, options->than.ns),
		.heatmap = {.name = options->heatmap},
		.probes = {.program = operands[0], .pid = options->watching.processes.pid}};
	bool done;

	trace.sink = (struct sprof_trace_sink){&trace, take_event};
	trace.stops = (struct sprof_trace_sink){&trace, take_stop};
	trace.lookup = (struct sprof_expression_lookup){
		.comm = name_of_thread, .syscall = name_of_call, .context = &trace};
	done = sprof_trace_choice_read(options, &trace.list, &trace.probes, err) &&
		sprof_trace_choose_functions(&trace, err) && create_parts(&trace, err) &&
		sprof_trace_choose_source(&trace, err);
	if (done) {
		done = sprof_event_run_init(&trace.watching, &options->watching, operands, err);
		trace.owners.profile = trace.watching.profile;
		trace.watching.subject.stdout_to_stderr =
			operands[0] && sprof_report_file_is_stdout(options->output);
		if (done && options->beside.sample)
			sprof_event_run_sample(&trace.watching, options->beside.rate_hz);
		done = done &&
			(!trace.by_breakpoints || sprof_trace_watch_functions(&trace, err)) &&
			watch(&trace, ret_exit, err) && sprof_trace_write_result(&trace, err) &&
			print_answer(&trace, ret_exit, err);
	}
	finish(&trace);
	return done;
}
