/*
 * A call instruction shows which code it enters. Without the code, only names are left; a name is
 * used only if exactly one function can be meant.
 *
 * The linker chose the function for an external name, so the symbol table decides, not a unit with
 * some definition. A library's call of its own external function may enter another library's,
 * unless the linker made the symbol local. A function with internal linkage is searched in the
 * caller's unit. Specialised copies (foo.constprop.0) have their original's name in DWARF: with
 * several copies, the callee is uncertain.
 */
#include "elfsym/code/call-entries.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/idmap.h"
#include "elfsym/dwarf/call-sites.h"
#include "elfsym/dwarf/scopes.h"

/* More symbols of one name are not looked at, and longer names are not looked for. */
enum { MAX_COPIES = 64, MAX_NAME = 4096 };

struct sprof_call_entries {
	struct sprof_dwarf *dwarf;
	const struct sprof_symtab *symtab;
	bool is_program;            /* no other module can interpose its definitions */
	struct sprof_idmap by_stem; /* (0, hash of a name up to its first dot) -> symbol */
	uint32_t *next;             /* by symbol: the next one with this hash; SPROF_IDMAP_NONE */
	/* (unit, what copies of a function refer to) -> entry; (unit, 0): the unit was read */
	struct sprof_idmap by_root;
	uint64_t *entries; /* 0: several */
	size_t entry_count, entry_capacity;
};

static uint64_t hash_of_stem(const char *name)
{
	size_t length = strnlen(name, MAX_NAME);
	const char *dot = length > 1 ? memchr(name + 1, '.', length - 1) : NULL;

	return sprof_hash_bytes(name, dot ? (size_t)(dot - name) : length, SPROF_HASH_BASIS);
}

static bool index_symbols(struct sprof_call_entries *entries)
{
	size_t count = sprof_symtab_count(entries->symtab);

	entries->next = calloc(count + 1, sizeof(*entries->next));
	if (!entries->next)
		return false;
	for (size_t i = 0; i < count; i++) {
		const char *name = sprof_symtab_at(entries->symtab, i).name;
		uint64_t hash = hash_of_stem(name);

		entries->is_program |= strcmp(name, "_start") == 0;
		entries->next[i] = sprof_idmap_find(&entries->by_stem, 0, hash);
		if (!sprof_idmap_put(&entries->by_stem, 0, hash, (uint32_t)i))
			return false;
	}
	return true;
}

struct sprof_call_entries *sprof_call_entries_create(
	struct sprof_dwarf *dwarf, const struct sprof_symtab *symtab)
{
	struct sprof_call_entries *entries = calloc(1, sizeof(*entries));

	if (!entries)
		return NULL;
	*entries = (struct sprof_call_entries){.dwarf = dwarf, .symtab = symtab};
	if (index_symbols(entries))
		return entries;
	sprof_call_entries_destroy(entries);
	return NULL;
}

void sprof_call_entries_destroy(struct sprof_call_entries *entries)
{
	if (!entries)
		return;
	sprof_idmap_finish(&entries->by_stem);
	sprof_idmap_finish(&entries->by_root);
	free(entries->next);
	free(entries->entries);
	free(entries);
}

/* A function's cold part, "foo.cold", is entered by jumps of the function only. */
static bool is_copy_name(const char *symbol, const char *name, size_t length)
{
	const char *suffix = symbol + length;

	return strncmp(symbol, name, length) == 0 &&
		(!*suffix || *suffix == '@' || (*suffix == '.' && strncmp(suffix, ".cold", 5)));
}

enum verdict { NOT_IT, POSSIBLE, UNCLEAR };

/* A symbol with another function at its address is an alias, or was interposed. */
static enum verdict judge(const Dwarf_Die *origin, uint64_t address, bool is_exact,
	const struct sprof_dwarf_function *function)
{
	Dwarf_Die die = function->die, root, own;

	if (!function->scopes || function->entry != address)
		return UNCLEAR;
	if (!sprof_call_origin_is(origin, &die))
		return is_exact ? UNCLEAR : NOT_IT;
	root = sprof_call_origin_root(origin);
	own = sprof_call_origin_root(&die);
	return root.addr == own.addr || sprof_call_origin_is_external(&die) ? POSSIBLE : NOT_IT;
}

static bool find_external(struct sprof_call_entries *entries, const Dwarf_Die *origin,
	const char *name, uint64_t *ret)
{
	uint32_t index = sprof_idmap_find(&entries->by_stem, 0, hash_of_stem(name));
	size_t length = strnlen(name, MAX_NAME);
	uint64_t found = 0;

	for (size_t seen = 0; index != SPROF_IDMAP_NONE; index = entries->next[index]) {
		struct sprof_symbol symbol = sprof_symtab_at(entries->symtab, index);
		struct sprof_dwarf_function function;
		enum verdict verdict;

		if (seen++ == MAX_COPIES)
			return true;
		if (!is_copy_name(symbol.name, name, length) || symbol.address == found)
			continue;
		if (!sprof_dwarf_find_function(entries->dwarf, symbol.address, &function))
			return false;
		verdict = judge(origin, symbol.address, symbol.name_length == length, &function);
		if (verdict == UNCLEAR ||
			(verdict == POSSIBLE &&
				(found || (!symbol.is_local && !entries->is_program))))
			return true;
		if (verdict == POSSIBLE)
			found = symbol.address;
	}
	*ret = found;
	return true;
}

static bool add_entry(struct sprof_call_entries *entries, uint64_t unit, Dwarf_Die *die)
{
	uint64_t root = (uintptr_t)sprof_call_origin_root(die).addr;
	uint32_t index = sprof_idmap_find(&entries->by_root, unit, root);
	Dwarf_Addr entry;

	if (index != SPROF_IDMAP_NONE) {
		entries->entries[index] = 0;
		return true;
	}
	index = (uint32_t)entries->entry_count;
	if (!SPROF_ARRAY_APPEND(entries->entries, entries->entry_count, entries->entry_capacity,
		    dwarf_entrypc(die, &entry) == 0 ? entry : 0))
		return false;
	return sprof_idmap_put(&entries->by_root, unit, root, index);
}

static bool read_unit(struct sprof_call_entries *entries, const struct sprof_scopes *scopes)
{
	uint64_t unit = (uintptr_t)scopes;

	if (sprof_idmap_find(&entries->by_root, unit, 0) != SPROF_IDMAP_NONE)
		return true;
	for (size_t i = 0; i < scopes->function_count; i++) {
		if (!add_entry(entries, unit, &scopes->items[scopes->functions[i].scope].die))
			return false;
	}
	return sprof_idmap_put(&entries->by_root, unit, 0, 0);
}

/* The linker's optimizer spreads the copies of a function over units. */
static bool find_own(struct sprof_call_entries *entries, const Dwarf_Die *origin,
	const struct sprof_dwarf_function *caller, uint64_t *ret)
{
	Dwarf_Die root = sprof_call_origin_root(origin);
	uint32_t index;

	if (root.cu != caller->die.cu)
		return true;
	if (!read_unit(entries, caller->scopes))
		return false;
	index = sprof_idmap_find(
		&entries->by_root, (uintptr_t)caller->scopes, (uintptr_t)root.addr);
	*ret = index == SPROF_IDMAP_NONE ? 0 : entries->entries[index];
	return true;
}

bool sprof_call_entries_find(struct sprof_call_entries *entries, const Dwarf_Die *origin,
	const struct sprof_dwarf_function *caller, uint64_t *ret)
{
	const char *name;

	*ret = 0;
	if (!sprof_call_origin_is_external(origin))
		return find_own(entries, origin, caller, ret);
	name = sprof_call_origin_name(origin);
	return !name || strnlen(name, MAX_NAME) == MAX_NAME ||
		find_external(entries, origin, name, ret);
}
