/*
 * The file of a command that writes text or JSON, and no other format.
 */
#ifndef SPROF_CMD_REPORT_FILE_H
#define SPROF_CMD_REPORT_FILE_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"

/*
 * Sets *json if the suffix of --output asks for it. False: it names a format that these commands don't
 * write. NULL is stdout.
 */
SPROF_MUST_USE bool sprof_report_file_settle(const char *path, bool *json, struct sprof_error *err);

#endif
