/*
 * Gives the files of their units to local symbols that share a name. "strip --strip-debug" removes
 * the units; then symbols get their addresses instead.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "elfsym/elf/symtab-items.h"
#include "elfsym/elf/demangle.h"

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
		.symbol = (uint32_t)index,
		.is_part = own < length,
	};
}

/*
 * A debug file repeats the symbols and units of its module, so the first unit counts. The better
 * symbol comes later.
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
		names[count++] = own;
	}
	for (size_t i = 0; i < count; i++) {
		const struct sprof_candidate *item = &symtab->items[names[i].symbol];
		/* A hash of all that distinguishes functions: equal names are copies. */
		const bool has_copies = sprof_rust_length(item->name);
		const bool is_local = item->rank & SPROF_RANK_LOCAL && !has_copies;

		names[i].unit = has_copies ? 0 : item->unit;
		names[i].place = is_local && !item->unit && !names[i].is_part ? item->address : 0;
	}
	return count;
}

static bool set_file(struct sprof_symtab *symtab, const struct sprof_namesake *name)
{
	struct sprof_candidate *item = &symtab->items[name->symbol];

	if (!name->needs_unit)
		return true;
	item->file = name->unit ? sprof_unit_files_text(&symtab->units, name->unit, name->number)
				: sprof_unit_files_place(&symtab->units, name->place);
	return item->file;
}

bool sprof_symtab_settle_units(struct sprof_symtab *symtab)
{
	SPROF_AUTO_FREE struct sprof_namesake *names = calloc(symtab->count + 1, sizeof(*names));
	size_t count;

	if (!names)
		return false;
	count = list_names(symtab, names);
	sprof_namesakes_judge(names, count, &symtab->units);
	for (size_t i = 0; i < count; i++) {
		if (!set_file(symtab, &names[i]))
			return false;
	}
	return true;
}
