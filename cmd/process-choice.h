/*
 * Processes that are running already, chosen by name.
 */
#ifndef SPROF_CMD_PROCESS_CHOICE_H
#define SPROF_CMD_PROCESS_CHOICE_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/pids.h"

struct sprof_process_choice {
	const char *pattern; /* an extended regular expression; NULL: none */
	bool newest, all;    /* of several that match */
};

/*
 * Finds the processes of which one of the names matches. sprof itself, those that it was started by,
 * kernel threads and zombies never do. False: none does, or several do and the choice doesn't say
 * which.
 */
SPROF_MUST_USE bool sprof_process_choice_find(
	const struct sprof_process_choice *choice, struct sprof_pids *ret, struct sprof_error *err);

#endif
