/* A list of process or thread ids from the command line. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/error.h"

enum { SPROF_PIDS_MAX = 256 };

struct sprof_pids {
	pid_t items[SPROF_PIDS_MAX];
	size_t count;
};

/* Adds an id unless it is present. Returns false if the list is full. */
bool sprof_pids_add(struct sprof_pids *pids, pid_t pid) SPROF_MUST_USE;
bool sprof_pids_have(const struct sprof_pids *pids, pid_t pid);

/*
 * Adds all descendants of the listed processes that have not ended, except sprof itself. They are
 * found by their parents in /proc: one whose parent has ended is not. Returns false if the list is
 * full.
 */
bool sprof_pids_add_descendants(struct sprof_pids *pids) SPROF_MUST_USE;

/* An option setter (cmd/cli/command.h): appends "1,2,3"; the option may be repeated. */
bool sprof_value_pids(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;

/* Writes the ids with the separator: ", " in a sentence, "," as in an option. */
void sprof_pids_list(
	const struct sprof_pids *pids, const char *separator, char *buffer, size_t size);
