/* Names the PLT entries of a symbol table after the functions that they lead to. */
#include <stdlib.h>

#include "base/array.h"
#include "base/idmap.h"
#include "elfsym/elf/plt.h"
#include "elfsym/elf/symtab-items.h"

/* PLT entries that get the name of the symbol at the resolver that they call. */
struct unnamed {
	struct sprof_symtab *symtab;
	struct sprof_plt_entry *items;
	size_t count, capacity;
	struct sprof_idmap by_resolver; /* -> index of the best symbol there, or NO_SYMBOL */
};

enum { NO_SYMBOL = SPROF_IDMAP_NONE - 1 };

static bool add_plt_entry(
	struct sprof_symtab *symtab, const struct sprof_plt_entry *entry, const char *name)
{
	return sprof_symtab_append(symtab,
		&(struct sprof_candidate){
			.address = entry->address,
			.size = entry->size,
			.limit = entry->address + entry->size,
			.name = name,
			.rank = SPROF_RANK_SIZED | SPROF_RANK_FUNCTION,
			.source = SPROF_SYMBOL_PLT,
		});
}

static bool take_plt_entry(void *data, const struct sprof_plt_entry *entry)
{
	struct unnamed *unnamed = data;

	if (entry->name)
		return add_plt_entry(unnamed->symtab, entry, entry->name);
	if (!SPROF_ARRAY_APPEND(unnamed->items, unnamed->count, unnamed->capacity, *entry))
		return false;
	return sprof_idmap_put(&unnamed->by_resolver, 0, entry->resolver, NO_SYMBOL);
}

static bool find_resolvers(struct unnamed *unnamed)
{
	const struct sprof_candidate *items = unnamed->symtab->items;

	for (size_t i = 0; unnamed->count && i < unnamed->symtab->count; i++) {
		uint32_t best = sprof_idmap_find(&unnamed->by_resolver, 0, items[i].address);

		if (best == SPROF_IDMAP_NONE ||
			(best != NO_SYMBOL && sprof_symtab_compare(&items[i], &items[best]) <= 0))
			continue;
		if (!sprof_idmap_put(&unnamed->by_resolver, 0, items[i].address, (uint32_t)i))
			return false;
	}
	return true;
}

static bool name_after_resolvers(struct unnamed *unnamed)
{
	struct sprof_symtab *symtab = unnamed->symtab;

	for (size_t i = 0; i < unnamed->count; i++) {
		const struct sprof_plt_entry *entry = &unnamed->items[i];
		uint32_t best = sprof_idmap_find(&unnamed->by_resolver, 0, entry->resolver);

		if (best != NO_SYMBOL && !add_plt_entry(symtab, entry, symtab->items[best].name))
			return false;
	}
	return true;
}

bool sprof_symtab_read_plt(struct sprof_symtab *symtab, const struct sprof_image *image)
{
	struct unnamed unnamed = {.symtab = symtab};
	bool ok = sprof_plt_visit(image, take_plt_entry, &unnamed) && find_resolvers(&unnamed) &&
		name_after_resolvers(&unnamed);

	free(unnamed.items);
	sprof_idmap_finish(&unnamed.by_resolver);
	return ok;
}
