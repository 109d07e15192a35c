/* The output file of a command that writes text or JSON only. */
#ifndef SPROF_CMD_REPORT_FILE_H
#define SPROF_CMD_REPORT_FILE_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"

/*
 * Sets *json by the suffix of --output. Returns false if the suffix belongs to another format. NULL
 * is stdout.
 */
SPROF_MUST_USE bool sprof_report_file_settle(const char *path, bool *json, struct sprof_error *err);

#endif
