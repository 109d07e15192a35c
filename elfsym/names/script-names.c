/* Function and line of an interpreter's frame. Does not read sources or processes. */
#include "elfsym/names/symbols.h"

struct sprof_location sprof_script_location(const struct sprof_module *module, uint64_t offset)
{
	struct sprof_location location = {.file = module->path};
	const struct sprof_script_function *function =
		sprof_script_find(module->script, offset, &location.line);

	location.function = function ? function->name : "[unknown]";
	location.linkage = location.function;
	location.function_line = function ? function->line : 0;
	location.unresolved = !function;
	return location;
}
