/*
 * What `sprof trace` is asked for: its list of events, and what the list needs of the sources.
 */
#ifndef SPROF_CMD_TRACE_CHOICE_H
#define SPROF_CMD_TRACE_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/trace-probes.h"
#include "cmd/trace-run.h"
#include "events/calls.h"
#include "events/event-list.h"

/* Reads and checks all events. The list and the probes are to be finished in both cases. */
SPROF_MUST_USE bool sprof_trace_choice_read(const struct sprof_trace_options *options,
	struct sprof_event_list *list, struct sprof_trace_probes *probes, struct sprof_error *err);

/* Whether an event comes from this source (enum sprof_trace_source). */
bool sprof_trace_choice_wants(const struct sprof_event_list *list, unsigned source);
/* Whether an event can be of the call of this number. */
bool sprof_trace_choice_has_call(const struct sprof_event_list *list, int64_t number,
	const struct sprof_expression_lookup *lookup);

/* All types of events, as bits: 1 << enum sprof_trace_type. */
uint32_t sprof_trace_choice_types(const struct sprof_event_list *list);

/* Those that only the kernel's records give; those that have stacks in them. */
uint32_t sprof_trace_choice_kernel_types(const struct sprof_event_list *list);
uint32_t sprof_trace_choice_stack_types(const struct sprof_event_list *list);
/* Samples per second of SPROF_TRACE_PROFILE. */
unsigned sprof_trace_choice_rate(const struct sprof_event_list *list);

/* Whether any event has a stack; whether that of this call does, at its begin or its end. */
bool sprof_trace_choice_has_stacks(const struct sprof_event_list *list);
bool sprof_trace_choice_has_stack(const struct sprof_event_list *list,
	const struct sprof_call *call, const struct sprof_expression_lookup *lookup);

#endif
