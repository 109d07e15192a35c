/* The events requested from `sprof trace`, and the sources that they need. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/trace/probes.h"
#include "cmd/trace/run.h"
#include "events/language/event-list.h"
#include "events/syscalls/calls.h"

/* Parses and checks all events. Finish the list and the probes in both cases. */
SPROF_MUST_USE bool sprof_trace_choice_read(const struct sprof_trace_options *options,
	struct sprof_event_list *list, struct sprof_trace_probes *probes, struct sprof_error *err);

/* Whether an event comes from this source (enum sprof_trace_source). */
bool sprof_trace_choice_wants(const struct sprof_event_list *list, unsigned source);
/* Whether an event can match the system call with this number. */
bool sprof_trace_choice_has_call(const struct sprof_event_list *list, int64_t number,
	const struct sprof_expression_lookup *lookup);

/* All event types, as bits: 1 << enum sprof_trace_type. */
uint32_t sprof_trace_choice_types(const struct sprof_event_list *list);

/* The types available from kernel records only; those of them that need stacks. */
uint32_t sprof_trace_choice_kernel_types(const struct sprof_event_list *list);
uint32_t sprof_trace_choice_stack_types(const struct sprof_event_list *list);
/* Samples per second for SPROF_TRACE_PROFILE. */
unsigned sprof_trace_choice_rate(const struct sprof_event_list *list);

/* Whether any event has a stack; whether this call has one, at its start or its end. */
bool sprof_trace_choice_has_stacks(const struct sprof_event_list *list);
bool sprof_trace_choice_has_stack(const struct sprof_event_list *list,
	const struct sprof_call *call, const struct sprof_expression_lookup *lookup);
