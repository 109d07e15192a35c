/*
 * The events to trace, from all -e options, each with its filter and attributes.
 *
 *     group:name[/filter/attribute/attribute/.../][,group:name...]
 *
 * The attributes are key=EXPR, role=EXPR, size=EXPR, printkey=EXPR, alias=NAME, stack, max-stack=N,
 * untraced, trigger. Each -e is one position; a comma separates alternatives. Slashes inside
 * quotes, parentheses and brackets belong to the expression. A glob selects all matching events.
 * `profile` has `-F N` instead of a filter.
 */
#pragma once

#include "base/attributes.h"
#include "base/error.h"
#include "events/expression/expression.h"
#include "events/event-type.h"

enum {
	SPROF_EVENT_POSITIONS = 16,
	SPROF_EVENT_ITEMS = 256,
	SPROF_EVENT_MAX_STACK = 1024,
};

struct sprof_event_item {
	const struct sprof_trace_type_row *row;
	char *call;     /* in a row per name: the name of the system call or function; else NULL */
	int64_t number; /* number of the system call or function; -1: any */
	char *name;     /* name in reports: the alias, or the name without its group */
	size_t index, position;
	/* Each may be NULL. Events with filter 0 are dropped. */
	struct sprof_expression *filter, *key, *role, *size, *printkey;
	bool untraced, trigger, stack;
	unsigned max_stack; /* 0: not given */
	unsigned rate;      /* of `profile`, in Hz; 0: not given */
};

/* The part of an event's name after the prefix, in a row per name. */
struct sprof_event_suffix {
	enum sprof_trace_type type;
	const char *text;
	size_t column; /* where the event's name begins */
};

/*
 * Set `number_of` before the first add; the rest zeroed is empty and valid. An add may move the
 * items.
 */
struct sprof_event_list {
	/*
	 * Looks up a system call or function by name. Returns false, and an error with the column,
	 * if there is none.
	 */
	bool (*number_of)(void *context, const struct sprof_event_suffix *suffix, int64_t *ret,
		struct sprof_error *err);
	void *context;

	struct sprof_event_item *items; /* in order of position */
	size_t count, capacity;
	size_t position_count;
	char *key_name; /* title of the key column: the first key's text; NULL: thread */
};

/*
 * Adds one -e as the next position. On false, the error begins with "column N: ", or memory ran
 * out; finish the list.
 */
SPROF_MUST_USE bool sprof_event_list_add(
	struct sprof_event_list *list, const char *text, struct sprof_error *err);

/*
 * Sets -k as the key of all events without a key. Untraced events that lack the expression's fields
 * get none. Call it after the last add. Errors as above.
 */
SPROF_MUST_USE bool sprof_event_list_set_key(
	struct sprof_event_list *list, const char *text, struct sprof_error *err);

/*
 * Checks that the positions form pairs: two of them or, with `cycle`, one; each with a traced
 * event.
 */
SPROF_MUST_USE bool sprof_event_list_check(
	const struct sprof_event_list *list, bool cycle, struct sprof_error *err);

/* Whether the event has the item's type and call and passes its filter. */
bool sprof_event_item_matches(
	const struct sprof_event_item *item, struct sprof_expression_frame *frame);

/*
 * Whether the item can match an event of this system call; if no item can, the source may skip the
 * call. False for items that are not system call events.
 */
bool sprof_event_item_may_match_call(const struct sprof_event_item *item, int64_t number,
	const struct sprof_expression_lookup *lookup);

void sprof_event_list_finish(struct sprof_event_list *list);
