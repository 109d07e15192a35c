/*
 * Matches begin and end events of nested functions: the calls of one key form a stack. Any two
 * events can define a function:
 *
 *     -e A,B -e C,D      two functions: one begins with A and ends with B, the other with C and D
 *     -e A -e B          one function
 *
 * An end event ends the innermost call of its function; open calls inside it count as left. If all
 * events are begins and returns of functions or system calls of a thread, its stack pointer shows
 * as well which calls have ended. With an event for all system calls, each system call is a
 * separate function.
 */
#pragma once

#include "base/attributes.h"
#include "events/functions/activation-books.h"
#include "events/language/event-list.h"
#include "events/pairs/pairs.h"

struct sprof_nested;

struct sprof_nested_function {
	const struct sprof_event_item *begin, *end;
	/* with events for all system calls: the call's number; -1: an ordinary function */
	int64_t call;
};

/* Whether the events define functions. On false, the error explains what is missing. */
SPROF_MUST_USE bool sprof_nested_check(
	const struct sprof_event_list *list, struct sprof_error *err);

/*
 * `cycle` is ignored. `keep_limit`: length of the list of calls; `by_key`: rows per key. Returns
 * NULL if out of memory.
 */
SPROF_MUST_USE struct sprof_nested *sprof_nested_create(
	const struct sprof_pairs_options *options, bool by_key, size_t keep_limit);
/* NULL is accepted. */
void sprof_nested_destroy(struct sprof_nested *nested);

/* As sprof_pairs_add(). Add EXIT, FORK and EXEC events even if no item matches them. */
SPROF_MUST_USE bool sprof_nested_add(
	struct sprof_nested *nested, const struct sprof_trace_event *event, bool *ret_trigger);
/*
 * Records before end_ns were lost: open calls lose their durations. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_nested_gap(struct sprof_nested *nested, uint64_t end_ns);
/* End of the stream: open calls end as OPEN. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_nested_close(struct sprof_nested *nested, uint64_t now_ns);

/* The begin events of open calls. */
struct sprof_open_events *sprof_nested_open(struct sprof_nested *nested);
const struct sprof_pairs_counts *sprof_nested_counts(const struct sprof_nested *nested);

/* Function ids in the rows are those of sprof_nested_function; thread ids are key numbers. */
const struct sprof_activation_books *sprof_nested_books(const struct sprof_nested *nested);
size_t sprof_nested_function_count(const struct sprof_nested *nested);
struct sprof_nested_function sprof_nested_function(
	const struct sprof_nested *nested, size_t number);
/* The keys by number; NULL: keys are thread ids. */
const int64_t *sprof_nested_keys(const struct sprof_nested *nested, size_t *ret_count);
