/*
 * Heap accounts from arbitrary events that allocate and free. The key of an event is an address:
 *
 *     -e ALLOC -e FREE             ALLOC has size= and the address
 *     -e BEGIN -e ALLOC -e FREE    BEGIN has size=; the next ALLOC of its thread has the address
 *
 * Blocks that are never freed count, too. The stack is that of BEGIN or, without one, of ALLOC.
 */
#pragma once

#include "base/attributes.h"
#include "events/heap/allocations.h"
#include "events/heap/books.h"
#include "events/language/event-list.h"

struct sprof_heap_events;

/* Whether the list has sizes and addresses. On false, the error says what is missing. */
SPROF_MUST_USE bool sprof_heap_events_check(
	const struct sprof_event_list *list, struct sprof_error *err);

/* Both arguments must outlive the result; the lookup may be NULL. Returns NULL if out of memory. */
SPROF_MUST_USE struct sprof_heap_events *sprof_heap_events_create(
	const struct sprof_event_list *list, const struct sprof_expression_lookup *lookup);
/* NULL is accepted. */
void sprof_heap_events_destroy(struct sprof_heap_events *events);

/* As sprof_pairs_add(). Add EXIT and EXEC events even if no item matches them. */
SPROF_MUST_USE bool sprof_heap_events_add(
	struct sprof_heap_events *events, const struct sprof_trace_event *event, bool *ret_trigger);
/* Records were lost: forgets open calls. */
void sprof_heap_events_gap(struct sprof_heap_events *events);

const struct sprof_heap_books *sprof_heap_events_books(const struct sprof_heap_events *events);
/* `calls`: number of events that an item matched. */
const struct sprof_allocations_counts *sprof_heap_events_counts(
	const struct sprof_heap_events *events);
