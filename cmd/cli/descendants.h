/* Finds the descendants of processes. */
#ifndef SPROF_CMD_CLI_DESCENDANTS_H
#define SPROF_CMD_CLI_DESCENDANTS_H

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/cli/pids.h"

/* Adds all present descendants of the listed processes. Returns false if there are too many. */
SPROF_MUST_USE bool sprof_descendants_add(struct sprof_pids *pids, struct sprof_error *err);

#endif
