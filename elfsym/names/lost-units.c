/* Which names are incomplete because a part of the debug information is missing. */
#include "elfsym/names/names.h"
#include "elfsym/names/symbols.h"

const struct sprof_module *sprof_symbols_lost_units(
	const struct sprof_symbols *symbols, size_t *ret_units)
{
	const struct sprof_module *module = NULL;
	size_t count;
	struct sprof_names *const *names = sprof_symbols_opened(symbols, &count);

	*ret_units = 0;
	for (size_t i = 0; i < count; i++) {
		const size_t lost =
			names[i] && names[i]->dwarf ? sprof_dwarf_lost_units(names[i]->dwarf) : 0;

		if (lost > *ret_units) {
			*ret_units = lost;
			module = names[i]->module;
		}
	}
	return module;
}
