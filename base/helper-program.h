/*
 * Programs that sprof runs through a shell.
 */
#pragma once

#include "base/attributes.h"
#include "base/error.h"

struct sprof_helper_program {
	const char *user; /* an option or a format, for messages */
	const char *name;
	const char *task; /* "disassembles" */
	const char *hint; /* how to install it */
};

/* Checks the status that pclose(3) returned. Returns false with an error that names the user. */
SPROF_MUST_USE bool sprof_helper_program_judge(
	const struct sprof_helper_program *program, int status, struct sprof_error *err);
