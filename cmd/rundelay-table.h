/*
 * A report on run-queue delays as a table, or as a line of JSON, on stdout.
 */
#ifndef SPROF_CMD_RUNDELAY_TABLE_H
#define SPROF_CMD_RUNDELAY_TABLE_H

#include <stddef.h>

#include "cmd/rundelay-rows.h"

/*
 * Prints a table. If it is wider than `width` columns (0: any width is right), it has shorter
 * figures, and then fewer columns.
 */
void sprof_rundelay_print_table(const struct sprof_rundelay_view *view,
	const struct sprof_rundelay_rows *rows, size_t width);

/* Prints one object on one line. */
void sprof_rundelay_print_json(
	const struct sprof_rundelay_view *view, const struct sprof_rundelay_rows *rows);

#endif
