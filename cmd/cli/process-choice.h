/* Selects running processes by name. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/cli/pids.h"

struct sprof_process_choice {
	const char *pattern; /* an extended regular expression; NULL: none */
	bool newest, all;    /* if several match */
	bool has_all;        /* the command has an option for `all`, for the hint */
};

/*
 * Finds the processes with a matching name, or else command line; never sprof itself, its
 * ancestors, kernel threads or zombies. Returns false if none matches, or several do and neither
 * `newest` nor `all` is set.
 */
SPROF_MUST_USE bool sprof_process_choice_find(
	const struct sprof_process_choice *choice, struct sprof_pids *ret, struct sprof_error *err);
