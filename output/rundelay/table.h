/* Writes a report on run-queue delays, as a table or as a line of JSON. */
#pragma once

#include <stddef.h>

#include "events/sched/rundelay-rows.h"
#include "output/out.h"

/*
 * If it is wider than `width` columns (0: no limit), it drops columns. Returns false if out of
 * memory.
 */
SPROF_MUST_USE bool sprof_rundelay_table(const struct sprof_rundelay_view *view,
	const struct sprof_rundelay_rows *rows, size_t width, struct sprof_out *out);

/* One object on one line. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_rundelay_json(const struct sprof_rundelay_view *view,
	const struct sprof_rundelay_rows *rows, struct sprof_out *out);
