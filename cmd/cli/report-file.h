/*
 * The file of a command that writes text or JSON, and perhaps a graph. NULL is stdout.
 */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "output/out.h"

/*
 * Sets *json or *dot if the suffix of --output is .json or .dot. `dot` is NULL for a command that
 * draws no graph. Returns false if the suffix names no format and no other option does, or one that
 * the command doesn't write.
 */
SPROF_MUST_USE bool sprof_report_file_settle(
	const char *path, bool *json, bool *dot, struct sprof_error *err);

/* Whether the report goes to stdout, so that a program's own output goes to stderr. */
bool sprof_report_file_is_stdout(const char *path);

SPROF_MUST_USE bool sprof_report_file_open(
	const char *path, struct sprof_out **ret, struct sprof_error *err);
