/* The quality figures as JSON, for --stats. */
#pragma once

#include "base/record.h"
#include "output/out.h"

/*
 * Writes one JSON object: the fields of struct sprof_quality by name, `samples` as the sum of its
 * kinds, `stacks_complete` and `stacks_truncated`, and `truncated_reasons`, an object with the
 * count of every reason that occurred.
 */
void sprof_stats_write(const struct sprof_quality *quality, struct sprof_out *out);
