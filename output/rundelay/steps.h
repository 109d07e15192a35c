/* Writes lines about single delays, and what the threads did before and after them. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "events/pairs/details.h"
#include "output/out.h"

/*
 * The values of a step, as an event, are those of a switch from its thread to the other one. The
 * index of its item is its enum sprof_delay_step.
 */
enum {
	SPROF_RUNDELAY_OWN_NAME = 0,
	SPROF_RUNDELAY_OTHER_NAME = 4,
	SPROF_RUNDELAY_OTHER_TID = 5,
};

void sprof_rundelay_step_text(const struct sprof_trace_instance *instance,
	const struct sprof_details_line *line, struct sprof_out *out);

/* Returns false if out of memory. */
SPROF_MUST_USE bool sprof_rundelay_step_json(const struct sprof_trace_instance *instance,
	const struct sprof_details_line *line, struct sprof_out *out);
