/*
 * Reads the events of `sprof trace`, and rejects those without a source here.
 * events/language/event-list.c parses them.
 */
#include "cmd/trace/choice.h"

#include "base/syscall-name.h"
#include "cmd/trace/engine.h"

enum {
	NAME_SIZE = 64,
	BY_PTRACE =
		SPROF_TRACE_BY_CALL_STOPS | SPROF_TRACE_BY_EVENT_STOPS | SPROF_TRACE_BY_BREAKPOINT,
	BY_KERNEL = SPROF_TRACE_BY_TRACEPOINT | SPROF_TRACE_BY_SWITCHES | SPROF_TRACE_BY_CLOCK |
		SPROF_TRACE_BY_FAULTS | SPROF_TRACE_BY_UPROBE,
	/*
	 * Returns have none. Records of switches have no registers; those of the machine are mostly
	 * other processes'.
	 */
	HAVE_STACKS = SPROF_TRACE_BY_CALL_STOPS | SPROF_TRACE_BY_CLOCK | SPROF_TRACE_BY_FAULTS |
		SPROF_TRACE_BY_UPROBE,
	DEFAULT_RATE = 99,
};

static bool number_of(void *context, const struct sprof_event_suffix *suffix, int64_t *ret,
	struct sprof_error *err)
{
	if (suffix->type == SPROF_TRACE_PROBE || suffix->type == SPROF_TRACE_RETURN)
		return sprof_trace_probes_add(context, suffix, ret, err);
	return sprof_syscall_find(suffix->text, ret) ||
		sprof_error_set(err, SPROF_ERROR_USAGE, "column %zu: there is no system call '%s'",
			suffix->column, suffix->text);
}

static bool refuse(const struct sprof_event_item *item, const char *what, struct sprof_error *err)
{
	char name[NAME_SIZE];

	sprof_trace_type_name(item->row, item->call, name, sizeof(name));
	return sprof_error_set(err, SPROF_ERROR_USAGE, "%s: %s", name, what);
}

static bool check_item(const struct sprof_event_item *item, struct sprof_error *err)
{
	if (!(item->row->sources & (BY_PTRACE | BY_KERNEL))) {
		refuse(item, "can't be traced", err);
		return sprof_error_hint(err,
			"sprof run takes samples; sprof events lists the events that can be traced here");
	}
	return !item->stack || item->row->sources & HAVE_STACKS ||
		refuse(item,
			"only system calls, functions, page faults and the task clock have stacks",
			err);
}

static bool check_source(enum sprof_source_request request, const struct sprof_event_item *item,
	struct sprof_error *err)
{
	if (request == SPROF_SOURCE_PERF && !(item->row->sources & BY_KERNEL))
		return refuse(item, "comes from ptrace only", err);
	return request != SPROF_SOURCE_PTRACE || item->row->sources & BY_PTRACE ||
		refuse(item, "can't be traced by ptrace", err);
}

/* One clock runs for all of them. */
static bool check_rate(const struct sprof_event_list *list, const struct sprof_event_item *item,
	struct sprof_error *err)
{
	return item->row->type != SPROF_TRACE_PROFILE || !item->rate ||
		item->rate == sprof_trace_choice_rate(list) ||
		refuse(item, "there is one rate (-F) for all", err);
}

static bool check_sources(const struct sprof_trace_options *options,
	const struct sprof_event_list *list, struct sprof_error *err)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct sprof_event_item *item = &list->items[i];

		if (!check_item(item, err) || !check_source(options->request, item, err) ||
			!check_rate(list, item, err))
			return false;
	}
	return true;
}

unsigned sprof_trace_choice_rate(const struct sprof_event_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].row->type == SPROF_TRACE_PROFILE && list->items[i].rate)
			return list->items[i].rate;
	}
	return DEFAULT_RATE;
}

uint32_t sprof_trace_choice_types(const struct sprof_event_list *list)
{
	uint32_t types = 0;

	for (size_t i = 0; i < list->count; i++)
		types |= 1U << list->items[i].row->type;
	return types;
}

uint32_t sprof_trace_choice_kernel_types(const struct sprof_event_list *list)
{
	uint32_t types = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (!(list->items[i].row->sources & BY_PTRACE))
			types |= 1U << list->items[i].row->type;
	}
	return types;
}

/* A call has one stack, from its start to its end. */
uint32_t sprof_trace_choice_stack_types(const struct sprof_event_list *list)
{
	uint32_t types = 0;

	for (size_t i = 0; i < list->count; i++) {
		const enum sprof_trace_type type = list->items[i].row->type;

		if (list->items[i].stack)
			types |= 1U
				<< (type == SPROF_TRACE_SYS_EXIT ? SPROF_TRACE_SYS_ENTER : type);
	}
	return types;
}

bool sprof_trace_choice_read(const struct sprof_trace_options *options,
	struct sprof_event_list *list, struct sprof_trace_probes *probes, struct sprof_error *err)
{
	/* A signal handler makes system calls before the interrupted one ends. */
	const char *key = options->analysis == SPROF_TRACE_SYSCALLS && !options->key
		? "(_tid<<16)+id"
		: options->key;

	list->number_of = number_of;
	list->context = probes;
	for (size_t i = 0; i < options->lists.count; i++) {
		if (!sprof_event_list_add(list, options->lists.items[i], err))
			return false;
	}
	return (!key || sprof_event_list_set_key(list, key, err)) &&
		sprof_trace_engine_check(options, list, err) && check_sources(options, list, err);
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

/* At a call's start, its time is 0. */
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
