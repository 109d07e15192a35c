/*
 * Decides which files a module's names come from. DWARF that the module carries itself is best;
 * else that of its separate debug file, whose symbol table is then read too. The symbol tables are
 * read late, because with DWARF they are rarely asked.
 */
#include "elfsym/names.h"

#include "elfsym/debugfile.h"

bool sprof_names_init(struct sprof_names *names, const struct sprof_module *module,
	const char *debug_root, struct sprof_error *err)
{
	struct sprof_error unreadable;

	*names = (struct sprof_names){0};
	if (!sprof_image_open(module, &names->image, &unreadable)) {
		if (unreadable.kind != SPROF_ERROR_NO_MEMORY)
			return true;
		*err = unreadable;
		return false;
	}
	if (!sprof_dwarf_open(names->image, names->image, &names->dwarf, err))
		return false;
	if (names->dwarf)
		return true;
	names->debug = sprof_debugfile_open(names->image, debug_root);
	return !names->debug || sprof_dwarf_open(names->image, names->debug, &names->dwarf, err);
}

bool sprof_names_load_symtab(struct sprof_names *names, struct sprof_error *err)
{
	return names->symtab ||
	       sprof_symtab_create(names->image, names->debug, &names->symtab, err);
}

void sprof_names_finish(struct sprof_names *names)
{
	sprof_symtab_destroy(names->symtab);
	sprof_dwarf_close(names->dwarf);
	sprof_image_close(names->debug);
	sprof_image_close(names->image);
	*names = (struct sprof_names){0};
}
