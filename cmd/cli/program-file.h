/* The program file of a run. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/error.h"
#include "base/module.h"

/*
 * The path of a program to start, as execvp(3) finds it; if `name` is NULL, a path in /proc to the
 * process's program. Returns false if there is none.
 */
SPROF_MUST_USE bool sprof_program_find(
	const char *name, pid_t pid, char ret_path[PATH_MAX], struct sprof_error *err);

/*
 * Opens a file as a module. If that fails, its open_errno is set. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_program_open(struct sprof_modules *modules, const char *path,
	struct sprof_module **ret, struct sprof_error *err);
