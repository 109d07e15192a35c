/* Writes how each line about one pair of events begins; the caller adds the event. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/pairs/details.h"
#include "output/json.h"
#include "output/out.h"

/* Returns whether an event is to follow. */
SPROF_MUST_USE bool sprof_details_text_begin(const struct sprof_trace_instance *instance,
	const struct sprof_details_line *line, struct sprof_out *out);

/* "17:01:02.123456": the time of day of a moment of CLOCK_MONOTONIC. */
void sprof_details_text_time(uint64_t time_ns, struct sprof_out *out);

/* Opens an object, with the members that every line has. */
void sprof_details_json_begin(const struct sprof_trace_instance *instance,
	const struct sprof_details_line *line, struct sprof_json *json);
