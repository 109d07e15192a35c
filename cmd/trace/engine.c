/* Chooses the analysis and passes events to it. Does not print. */
#include "cmd/trace/engine.h"

#include "cmd/trace/calls.h"
#include "events/pairs/open-events.h"

static bool refuse(
	const char *option, const char *analysis, const char *why, struct sprof_error *err)
{
	return sprof_error_set(err, SPROF_ERROR_USAGE, "%s: --impl %s %s", option, analysis, why);
}

/* Without latencies of single pairs. */
static bool check_table_only(
	const struct sprof_trace_options *options, const char *analysis, struct sprof_error *err)
{
	static const char why[] = "has no latencies of pairs";

	if (options->than.is_set)
		return refuse("--than", analysis, why, err);
	if (options->lower.is_set)
		return refuse("--lower", analysis, why, err);
	if (options->detail)
		return refuse("--detail", analysis, why, err);
	return !options->heatmap || refuse("--heatmap", analysis, why, err);
}

static bool check_calls(const struct sprof_trace_options *options,
	const struct sprof_event_list *list, struct sprof_error *err)
{
	if (options->cycle)
		return refuse("--cycle", "call", "has begins and ends of functions", err);
	if (options->analysis == SPROF_TRACE_CALL && !check_table_only(options, "call", err)) {
		return sprof_error_hint(err, "--impl call-delay has both");
	}
	return sprof_nested_check(list, err);
}

static bool check_memory(const struct sprof_trace_options *options,
	const struct sprof_event_list *list, struct sprof_error *err)
{
	if (options->cycle)
		return refuse("--cycle", "kmemprof", "has events that allocate and free", err);
	if (options->by_key)
		return refuse("--per-thread", "kmemprof", "has a row for each stack", err);
	return check_table_only(options, "kmemprof", err) && sprof_heap_events_check(list, err);
}

static bool has_nesting(enum sprof_trace_analysis analysis)
{
	return analysis == SPROF_TRACE_CALL || analysis == SPROF_TRACE_CALL_DELAY;
}

bool sprof_trace_engine_check(const struct sprof_trace_options *options,
	const struct sprof_event_list *list, struct sprof_error *err)
{
	if (options->analysis == SPROF_TRACE_KMEMPROF)
		return check_memory(options, list, err);
	if (has_nesting(options->analysis))
		return check_calls(options, list, err);
	return sprof_event_list_check(list, options->cycle, err) &&
		(options->analysis != SPROF_TRACE_SYSCALLS ||
			sprof_trace_calls_check(list, options->cycle, err));
}

bool sprof_trace_engine_create(const struct sprof_trace_options *options,
	const struct sprof_pairs_options *how, struct sprof_trace_engine *ret)
{
	*ret = (struct sprof_trace_engine){0};
	if (options->analysis == SPROF_TRACE_KMEMPROF)
		ret->heap = sprof_heap_events_create(how->list, how->lookup);
	else if (has_nesting(options->analysis))
		ret->nested = sprof_nested_create(how, options->by_key,
			options->analysis == SPROF_TRACE_CALL_DELAY ? options->limit : 0);
	else
		ret->pairs = sprof_pairs_create(how);
	return ret->heap || ret->nested || ret->pairs;
}

void sprof_trace_engine_finish(struct sprof_trace_engine *engine)
{
	sprof_heap_events_destroy(engine->heap);
	sprof_nested_destroy(engine->nested);
	sprof_pairs_destroy(engine->pairs);
}

bool sprof_trace_engine_add(
	struct sprof_trace_engine *engine, const struct sprof_trace_event *event, bool *ret_trigger)
{
	if (engine->heap)
		return sprof_heap_events_add(engine->heap, event, ret_trigger);
	if (engine->nested)
		return sprof_nested_add(engine->nested, event, ret_trigger);
	return sprof_pairs_add(engine->pairs, event, ret_trigger);
}

bool sprof_trace_engine_gap(struct sprof_trace_engine *engine, uint64_t end_ns)
{
	if (engine->nested)
		return sprof_nested_gap(engine->nested, end_ns);
	if (engine->heap)
		sprof_heap_events_gap(engine->heap);
	else
		sprof_pairs_gap(engine->pairs, end_ns);
	return true;
}

bool sprof_trace_engine_close(struct sprof_trace_engine *engine, uint64_t now_ns)
{
	if (engine->nested)
		return sprof_nested_close(engine->nested, now_ns);
	if (engine->pairs)
		sprof_pairs_close(engine->pairs);
	return true;
}

void sprof_trace_engine_overdue(struct sprof_trace_engine *engine, uint64_t now_ns,
	uint64_t than_ns, bool (*visit)(void *context, const struct sprof_trace_side *side),
	void *context)
{
	if (engine->nested)
		sprof_open_events_overdue(
			sprof_nested_open(engine->nested), now_ns, than_ns, visit, context);
	else if (engine->pairs)
		sprof_pairs_overdue(engine->pairs, now_ns, than_ns, visit, context);
}

uint64_t sprof_trace_engine_oldest_ns(const struct sprof_trace_engine *engine)
{
	if (engine->nested)
		return sprof_open_events_oldest_ns(sprof_nested_open(engine->nested));
	return engine->pairs ? sprof_pairs_oldest_ns(engine->pairs) : UINT64_MAX;
}

size_t sprof_trace_engine_open(const struct sprof_trace_engine *engine)
{
	if (engine->nested)
		return sprof_nested_open(engine->nested)->count;
	return engine->pairs ? sprof_pairs_open(engine->pairs) : 0;
}

struct sprof_pairs_counts sprof_trace_engine_counts(const struct sprof_trace_engine *engine)
{
	if (engine->nested)
		return *sprof_nested_counts(engine->nested);
	if (engine->heap)
		return (struct sprof_pairs_counts){
			.events = sprof_heap_events_counts(engine->heap)->calls};
	return *sprof_pairs_counts(engine->pairs);
}
