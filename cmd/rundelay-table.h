/* Writes a report on run-queue delays to stdout, as a table or as a line of JSON. */
#ifndef SPROF_CMD_RUNDELAY_TABLE_H
#define SPROF_CMD_RUNDELAY_TABLE_H

#include <stddef.h>

#include "cmd/rundelay-rows.h"

/*
 * Prints a table. If it is wider than `width` columns (0: no limit), it shortens figures, and then
 * drops columns.
 */
void sprof_rundelay_print_table(const struct sprof_rundelay_view *view,
	const struct sprof_rundelay_rows *rows, size_t width);

/* Prints one object on one line. */
void sprof_rundelay_print_json(
	const struct sprof_rundelay_view *view, const struct sprof_rundelay_rows *rows);

#endif
