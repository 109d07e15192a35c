/*
 * Relates the begins and ends of functions that lie within each other: the calls of one key are a
 * stack. Any two events may be a function's:
 *
 *     -e A,B -e C,D      two functions: one begins with A and ends with B, the other with C and D
 *     -e A -e B          one function
 *
 * An end ends the innermost call of its function; calls inside it that have not ended are left. Where all
 * events are begins and returns of functions, and of system calls, of a thread, its stack pointers say as
 * well which calls are over. An event of all system calls makes each of them a function of its own.
 */
#ifndef SPROF_EVENTS_NESTED_CALLS_H
#define SPROF_EVENTS_NESTED_CALLS_H

#include "base/attributes.h"
#include "events/activation-books.h"
#include "events/event-list.h"
#include "events/pairs.h"

struct sprof_nested;

/* A row's function. */
struct sprof_nested_function {
	const struct sprof_event_item *begin, *end;
	int64_t call; /* of events of all system calls the number of this one; -1: it is one function */
};

/* Whether the list's events make functions. False: they do not, and the error says how they would. */
SPROF_MUST_USE bool sprof_nested_check(
	const struct sprof_event_list *list, struct sprof_error *err);

/* `cycle` is ignored. `keep_limit`: calls that the books keep; `by_key`: rows for each key. NULL: no memory. */
SPROF_MUST_USE struct sprof_nested *sprof_nested_create(
	const struct sprof_pairs_options *options, bool by_key, size_t keep_limit);
/* NULL is accepted. */
void sprof_nested_destroy(struct sprof_nested *nested);

/* As sprof_pairs_add(). Ends of threads, forks and execs are to be added even if no item matches. */
SPROF_MUST_USE bool sprof_nested_add(
	struct sprof_nested *nested, const struct sprof_trace_event *event, bool *ret_trigger);
/* Records were lost before this time: what was under way has no time. False: no memory. */
SPROF_MUST_USE bool sprof_nested_gap(struct sprof_nested *nested, uint64_t end_ns);
/* The end of the stream: what is under way is open. False: no memory. */
SPROF_MUST_USE bool sprof_nested_close(struct sprof_nested *nested, uint64_t now_ns);

/* The begins of calls that are under way. */
struct sprof_open_events *sprof_nested_open(struct sprof_nested *nested);
const struct sprof_pairs_counts *sprof_nested_counts(const struct sprof_nested *nested);

/* Rows have the numbers of functions and, as threads, those of keys. */
const struct sprof_activation_books *sprof_nested_books(const struct sprof_nested *nested);
size_t sprof_nested_function_count(const struct sprof_nested *nested);
struct sprof_nested_function sprof_nested_function(
	const struct sprof_nested *nested, size_t number);
/* The keys by their numbers; NULL: threads are the keys, with their own numbers. */
const int64_t *sprof_nested_keys(const struct sprof_nested *nested, size_t *ret_count);

#endif
