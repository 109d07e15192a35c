/*
 * Reads the events of `sprof trace`, and refuses those that no source here gives. Does not parse
 * them: events/event-list.c does.
 */
#include "cmd/trace-choice.h"

#include "cmd/syscall-name.h"
#include "cmd/trace-calls.h"

enum { NAME_SIZE = 64 };

static int64_t number_of(void *context, const char *name)
{
	int64_t number;

	return sprof_syscall_find(name, &number) ? number : -1;
}

enum { BY_PTRACE = SPROF_TRACE_BY_CALL_STOPS | SPROF_TRACE_BY_EVENT_STOPS };

static bool refuse(const struct sprof_event_item *item, const char *what, struct sprof_error *err)
{
	char name[NAME_SIZE];

	sprof_trace_type_name(item->row, item->call, name, sizeof(name));
	return sprof_error_set(err, SPROF_ERROR_USAGE, "%s: %s", name, what);
}

static bool check_item(const struct sprof_event_item *item, struct sprof_error *err)
{
	if (!(item->row->sources & (BY_PTRACE | SPROF_TRACE_BY_TRACEPOINT))) {
		refuse(item, "can't be traced", err);
		sprof_error_hint(err,
			"sprof rundelay measures how long threads wait for a CPU; sprof run samples; "
			"sprof events lists what can be traced here");
		return false;
	}
	return !item->stack || item->row->sources & SPROF_TRACE_BY_CALL_STOPS ||
		refuse(item, "only the events of system calls have stacks", err);
}

/* One run has one source: events of two would come in no order. */
static bool check_together(const struct sprof_trace_options *options,
	const struct sprof_event_list *list, struct sprof_error *err)
{
	const bool needs =
		sprof_trace_choice_needs_tracepoints(list) || options->request == SPROF_SOURCE_PERF;

	for (size_t i = 0; i < list->count; i++) {
		const struct sprof_event_item *item = &list->items[i];

		if (needs && !(item->row->sources & SPROF_TRACE_BY_TRACEPOINT))
			return refuse(
				item, "comes from ptrace, and can't be beside tracepoints", err);
		if (needs && item->stack)
			return refuse(item, "has no stack where tracepoints are the source", err);
		if (options->request == SPROF_SOURCE_PTRACE && !(item->row->sources & BY_PTRACE))
			return refuse(item, "can't be traced by ptrace", err);
	}
	return true;
}

static bool check_sources(const struct sprof_trace_options *options,
	const struct sprof_event_list *list, struct sprof_error *err)
{
	for (size_t i = 0; i < list->count; i++) {
		if (!check_item(&list->items[i], err))
			return false;
	}
	return check_together(options, list, err);
}

bool sprof_trace_choice_needs_tracepoints(const struct sprof_event_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		if (!(list->items[i].row->sources & BY_PTRACE))
			return true;
	}
	return false;
}

uint32_t sprof_trace_choice_types(const struct sprof_event_list *list)
{
	uint32_t types = 0;

	for (size_t i = 0; i < list->count; i++)
		types |= 1U << list->items[i].row->type;
	return types;
}

bool sprof_trace_choice_is_of_tracepoints(const struct sprof_event_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		if (!(list->items[i].row->sources & SPROF_TRACE_BY_TRACEPOINT) ||
			list->items[i].stack)
			return false;
	}
	return true;
}

bool sprof_trace_choice_read(const struct sprof_trace_options *options,
	struct sprof_event_list *list, struct sprof_error *err)
{
	/* The handler of a signal makes calls of its own before the interrupted one ends. */
	const char *key = options->analysis == SPROF_TRACE_SYSCALLS && !options->key
		? "(_tid<<16)+id"
		: options->key;

	list->number_of = number_of;
	for (size_t i = 0; i < options->lists.count; i++) {
		if (!sprof_event_list_add(list, options->lists.items[i], err))
			return false;
	}
	return (!key || sprof_event_list_set_key(list, key, err)) &&
		sprof_event_list_check(list, options->cycle, err) &&
		(options->analysis != SPROF_TRACE_SYSCALLS ||
			sprof_trace_calls_check(list, options->cycle, err)) &&
		check_sources(options, list, err);
}

bool sprof_trace_choice_wants(const struct sprof_event_list *list, unsigned source)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].row->sources & source)
			return true;
	}
	return false;
}

bool sprof_trace_choice_has_call(const struct sprof_event_list *list, int64_t number,
	const struct sprof_expression_lookup *lookup)
{
	for (size_t i = 0; i < list->count; i++) {
		if (sprof_event_item_may_match_call(&list->items[i], number, lookup))
			return true;
	}
	return false;
}

bool sprof_trace_choice_has_stacks(const struct sprof_event_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].stack)
			return true;
	}
	return false;
}

/* At a call's begin, its time is 0. */
bool sprof_trace_choice_has_stack(const struct sprof_event_list *list,
	const struct sprof_call *call, const struct sprof_expression_lookup *lookup)
{
	const enum sprof_trace_type type =
		call->end_ns == call->begin_ns ? SPROF_TRACE_SYS_ENTER : SPROF_TRACE_SYS_EXIT;

	for (size_t i = 0; i < list->count; i++) {
		const struct sprof_event_item *item = &list->items[i];

		if (item->stack && item->row->type == type &&
			sprof_event_item_may_match_call(item, call->number, lookup))
			return true;
	}
	return false;
}
