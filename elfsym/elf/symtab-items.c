/* The list of symbols that a table is made of, and the order of those at one address. */
#include "elfsym/elf/symtab-items.h"

#include <string.h>

#include "base/array.h"

/* Limits long comparisons: real names differ near their beginning. */
enum { COMPARED_UNDERSCORES = 8, COMPARED_LENGTH = 256 };

/* $a, $d, $t, $x and $x.anything mark code and data (ELF for the Arm 64-bit Architecture, 5.5.4).
 */
static bool is_mapping_symbol(const char *name)
{
	return name[0] == '$' && name[1] && strchr("adtx", name[1]) && (!name[2] || name[2] == '.');
}

bool sprof_symtab_append(struct sprof_symtab *symtab, const struct sprof_candidate *item)
{
	if (!item->name[0] || is_mapping_symbol(item->name) || symtab->count >= SPROF_RANGES_NONE)
		return true;
	return SPROF_ARRAY_APPEND(symtab->items, symtab->count, symtab->capacity, *item);
}

static int count_underscores(const char *name)
{
	int count = 0;

	while (count < COMPARED_UNDERSCORES && name[count] == '_')
		count++;
	return count;
}

/* Positive if `a` is the name that people use: "malloc", not "__libc_malloc". */
static int compare_names(const char *a, const char *b)
{
	int underscores = count_underscores(b) - count_underscores(a);
	size_t a_length = strnlen(a, COMPARED_LENGTH), b_length = strnlen(b, COMPARED_LENGTH);

	if (underscores)
		return underscores;
	if (a_length != b_length)
		return a_length < b_length ? 1 : -1;
	return strncmp(b, a, COMPARED_LENGTH);
}

int sprof_symtab_compare(const void *left, const void *right)
{
	const struct sprof_candidate *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return compare_names(a->name, b->name);
}
