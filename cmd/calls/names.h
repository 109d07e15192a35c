/*
 * The names of watched functions, as `sprof calls` shows them: no two are equal.
 */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "base/module.h"
#include "cmd/functions/choice.h"
#include "cmd/functions/functions.h"

struct sprof_calls_naming {
	const struct sprof_modules *modules;
	const struct sprof_functions *functions;
	struct sprof_function_choice *choice; /* knows the program, whose name is left out */
	bool short_names;
};

struct sprof_calls_names {
	char **items;          /* by function number */
	const char **refusals; /* by function number: why it is not watched; NULL: it is */
	size_t count;
};

/* Finish them in both cases. */
SPROF_MUST_USE bool sprof_calls_names_make(const struct sprof_calls_naming *naming,
	struct sprof_calls_names *ret, struct sprof_error *err);
void sprof_calls_names_finish(struct sprof_calls_names *names);
