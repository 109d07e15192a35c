/*
 * The processes that others have started.
 */
#ifndef SPROF_CMD_DESCENDANTS_H
#define SPROF_CMD_DESCENDANTS_H

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/pids.h"

/* Adds the children of the processes in the list that are there now, and theirs. False: too many. */
SPROF_MUST_USE bool sprof_descendants_add(struct sprof_pids *pids, struct sprof_error *err);

#endif
