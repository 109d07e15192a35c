/*
 * The file of a command that writes text or JSON, and no other format. NULL is stdout.
 */
#ifndef SPROF_CMD_CLI_REPORT_FILE_H
#define SPROF_CMD_CLI_REPORT_FILE_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "output/out.h"

/*
 * Sets *json if the suffix of --output is .json. Returns false if the suffix names no format, or
 * one that these commands don't write.
 */
SPROF_MUST_USE bool sprof_report_file_settle(const char *path, bool *json, struct sprof_error *err);

/* Whether the report goes to stdout, so that a program's own output goes to stderr. */
bool sprof_report_file_is_stdout(const char *path);

SPROF_MUST_USE bool sprof_report_file_open(
	const char *path, struct sprof_out **ret, struct sprof_error *err);

#endif
