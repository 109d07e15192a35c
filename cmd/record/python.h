/* The options about interpreted languages. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "base/module.h"

struct sprof_interp;

enum sprof_python_shown {
	SPROF_PYTHON_CALLS, /* Python functions, and C functions that do more than call others */
	SPROF_PYTHON_ALL,   /* also C functions that only call others */
	SPROF_PYTHON_ONLY,
	SPROF_PYTHON_NONE, /* native stacks only */
};

/* Option setter for --python and the old flag --no-python. */
SPROF_MUST_USE bool sprof_python_set(void *field, const char *text, struct sprof_error *err);
SPROF_MUST_USE bool sprof_python_unset(void *field, const char *text, struct sprof_error *err);

/* *ret is NULL for native stacks only. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_python_begin(enum sprof_python_shown shown, struct sprof_modules *modules,
	struct sprof_interp **ret, struct sprof_error *err);
