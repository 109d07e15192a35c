/* The values of --python, and what they mean for interp/. */
#include "cmd/record/python.h"

#include "cmd/cli/option-values.h"
#include "interp/interp.h"

bool sprof_python_set(void *field, const char *text, struct sprof_error *err)
{
	static const char *const names[] = {
		[SPROF_PYTHON_CALLS] = "calls",
		[SPROF_PYTHON_ALL] = "all",
		[SPROF_PYTHON_ONLY] = "only",
		[SPROF_PYTHON_NONE] = "none",
		NULL,
	};

	return sprof_value_choice(names, text, field, err);
}

bool sprof_python_unset(void *field, const char *text, struct sprof_error *err)
{
	*(enum sprof_python_shown *)field = SPROF_PYTHON_NONE;
	return true;
}

bool sprof_python_begin(enum sprof_python_shown shown, struct sprof_modules *modules,
	struct sprof_interp **ret, struct sprof_error *err)
{
	static const enum sprof_interp_mode modes[] = {
		[SPROF_PYTHON_CALLS] = SPROF_INTERP_CALLS,
		[SPROF_PYTHON_ALL] = SPROF_INTERP_ALL,
		[SPROF_PYTHON_ONLY] = SPROF_INTERP_ONLY,
	};

	*ret = NULL;
	if (shown == SPROF_PYTHON_NONE)
		return true;
	*ret = sprof_interp_create(modules, modes[shown]);
	return *ret || sprof_error_no_memory(err);
}
