/* Gives local symbols that share their name the files of their units. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "elfsym/elf/symtab-items.h"
#include "elfsym/names/demangle.h"

enum { HASHED_LENGTH = 256 };

/* Long names are hashed in part. */
static struct sprof_namesake describe(const struct sprof_candidate *item, size_t index)
{
	char start[HASHED_LENGTH + 1];
	const size_t length = strnlen(item->name, HASHED_LENGTH);
	size_t own;

	memcpy(start, item->name, length);
	start[length] = '\0';
	own = sprof_part_owner_length(start);
	return (struct sprof_namesake){
		.name = sprof_hash_bytes(start, own, SPROF_HASH_BASIS),
		.unit = item->unit,
		.symbol = (uint32_t)index,
		.is_part = own < length,
	};
}

/*
 * A debug file repeats the symbols and units of its module: the first unit counts. The better symbol
 * comes later.
 */
static size_t list_names(struct sprof_symtab *symtab, struct sprof_namesake *names)
{
	size_t count = 0;

	for (size_t i = 0; i < symtab->count; i++) {
		struct sprof_candidate *item = &symtab->items[i], *before = i ? item - 1 : item;
		const struct sprof_namesake own = describe(item, i);

		if (count && before->address == item->address && before->rank == item->rank &&
			names[count - 1].name == own.name) {
			if (before->unit && (!item->unit || before->unit < item->unit))
				item->unit = before->unit;
			before->unit = 0;
			count--;
		}
		names[count] = own;
		names[count++].unit = item->unit;
	}
	return count;
}

bool sprof_symtab_settle_units(struct sprof_symtab *symtab)
{
	SPROF_AUTO_FREE struct sprof_namesake *names =
		symtab->units.count ? calloc(symtab->count + 1, sizeof(*names)) : NULL;
	size_t count;

	if (!names)
		return !symtab->units.count;
	count = list_names(symtab, names);
	sprof_namesakes_judge(names, count, &symtab->units);
	for (size_t i = 0; i < count; i++) {
		struct sprof_candidate *item = &symtab->items[names[i].symbol];

		if (!names[i].needs_unit)
			continue;
		item->file = sprof_unit_files_text(&symtab->units, item->unit, names[i].number);
		if (!item->file)
			return false;
	}
	return true;
}
