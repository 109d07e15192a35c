/*
 * What the user wants to trace: the events of all -e, each with its filter and attributes.
 *
 *     group:name[/filter/attribute/attribute/.../][,group:name...]
 *
 * The attributes are key=EXPR, role=EXPR, size=EXPR, printkey=EXPR, alias=NAME, stack, max-stack=N,
 * untraced, trigger. Each -e is one position, a comma means "one of". Slashes in quotes, parentheses
 * and brackets belong to the expression. A glob in the name takes all events that match; `profile`
 * takes `-F N` in place of a filter.
 */
#ifndef SPROF_EVENTS_EVENT_LIST_H
#define SPROF_EVENTS_EVENT_LIST_H

#include "base/attributes.h"
#include "base/error.h"
#include "events/event-type.h"
#include "events/expression.h"

enum {
	SPROF_EVENT_POSITIONS = 16,
	SPROF_EVENT_ITEMS = 256,
	SPROF_EVENT_MAX_STACK = 1024,
};

struct sprof_event_item {
	const struct sprof_trace_type_row *row;
	char *call;     /* of a row per name that name, of a call or a function; else NULL */
	int64_t number; /* of the call or the function; -1: any */
	char *name;     /* for reports: the alias, or the name without its group */
	size_t index, position;
	/* NULL: none. A filter lets events through that it isn't 0 for. */
	struct sprof_expression *filter, *key, *role, *size, *printkey;
	bool untraced, trigger, stack;
	unsigned max_stack; /* 0: not said */
	unsigned rate;      /* of `profile`, in Hz; 0: not said */
};

/* The end of an event's name, of a row per name. */
struct sprof_event_suffix {
	enum sprof_trace_type type;
	const char *text;
	size_t column; /* of the event's name */
};

/* Set `number_of` before the first add; the rest zeroed is empty and valid. Items move with an add. */
struct sprof_event_list {
	/* Which call or function is meant. False: none is, and the error has the column. */
	bool (*number_of)(void *context, const struct sprof_event_suffix *suffix, int64_t *ret,
		struct sprof_error *err);
	void *context;

	struct sprof_event_item *items; /* in the order of the positions */
	size_t count, capacity;
	size_t position_count;
	char *key_name; /* what the header of keys says: the first key's text; NULL: the thread */
};

/*
 * Adds one -e as the next position. False: the error begins with "column N: ", or there is no
 * memory; the list is to be finished.
 */
SPROF_MUST_USE bool sprof_event_list_add(
	struct sprof_event_list *list, const char *text, struct sprof_error *err);

/*
 * Takes -k for all events that have no key of their own. Untraced events for which the expression
 * makes no sense stay without one. To be called after the last add. False: as above.
 */
SPROF_MUST_USE bool sprof_event_list_set_key(
	struct sprof_event_list *list, const char *text, struct sprof_error *err);

/* Whether the positions make pairs: two of them or, with `cycle`, one; each with a traced event. */
SPROF_MUST_USE bool sprof_event_list_check(
	const struct sprof_event_list *list, bool cycle, struct sprof_error *err);

/* Whether an event is the item's: of its type and call, and let through by its filter. */
bool sprof_event_item_matches(
	const struct sprof_event_item *item, struct sprof_expression_frame *frame);

/*
 * Whether the item can match an event of the system call with this number: where no item can, its
 * source need not see the call. False of an item that is no event of a call.
 */
bool sprof_event_item_may_match_call(const struct sprof_event_item *item, int64_t number,
	const struct sprof_expression_lookup *lookup);

void sprof_event_list_finish(struct sprof_event_list *list);

#endif
