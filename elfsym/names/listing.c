/*
 * Lists functions from every source of names except DWARF, which has no more functions than
 * .symtab. Keeps all names at an address, unlike name resolution.
 *
 * A failure without an error means out of memory.
 */
#include "elfsym/names/listing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/search.h"
#include "base/strings.h"
#include "base/strtab.h"
#include "elfsym/elf/entries.h"
#include "elfsym/names/names.h"

static bool append(
	struct sprof_listing *listing, struct sprof_listed item, const char *name, size_t length)
{
	item.name = sprof_strtab_intern_bytes(listing->strings, name, length);
	if (!item.name ||
		!SPROF_ARRAY_APPEND(listing->items, listing->count, listing->capacity, item))
		return false;
	return true;
}

static bool append_symbol(struct sprof_listing *listing, const struct sprof_symbol *symbol)
{
	const struct sprof_listed item = {
		.address = symbol->address,
		.size = symbol->size,
		.source = sprof_symbol_source_name(symbol->source),
		.is_code = true,
		.is_indirect = symbol->is_indirect,
	};
	SPROF_AUTO_FREE char *name = NULL;

	if (symbol->source != SPROF_SYMBOL_PLT)
		return append(listing, item, symbol->name, symbol->name_length);
	name = sprof_string_print("%.*s@plt", (int)symbol->name_length, symbol->name);
	return name && append(listing, item, name, strlen(name));
}

/* nm uses one letter for weak functions and for weak data without a type. */
static bool is_weak_data(const struct sprof_names *names, const struct sprof_symlist_line *line)
{
	return line->rank == SPROF_SYMLIST_WEAK && names->image &&
		!sprof_image_executable(names->image, line->address);
}

static bool append_lines(struct sprof_listing *listing, const struct sprof_names *names)
{
	const struct sprof_symlist *list = names->list;

	for (size_t i = 0; i < list->count; i++) {
		const struct sprof_symlist_line *line = &list->items[i];
		const struct sprof_listed item = {
			.address = line->address,
			.size = line->size,
			.source = "symbol list",
			.is_code = true,
		};

		if (line->rank != SPROF_SYMLIST_NO_FUNCTION && !is_weak_data(names, line) &&
			!append(listing, item, line->name, line->name_length))
			return false;
	}
	return true;
}

/* Adds functions that no other source names. */
static bool append_fdes(struct sprof_listing *listing, const struct sprof_names *names)
{
	struct sprof_symbol covering;

	for (size_t i = 0; i < names->fdes->count; i++) {
		const struct sprof_fde *fde = &names->fdes->items[i];
		const struct sprof_listed item = {
			.address = fde->address,
			.size = fde->size,
			.source = SPROF_SYMLIST_MADE_UP,
			.is_code = true,
		};
		SPROF_AUTO_FREE char *name = NULL;

		if (sprof_symtab_find(names->symtab, fde->address, &covering))
			continue;
		name = sprof_string_print(
			"%s+0x%" PRIx64, sprof_module_name(names->module), fde->address);
		if (!name || !append(listing, item, name, strlen(name)))
			return false;
	}
	return true;
}

/* The tables of one file. */
struct appending {
	struct sprof_listing *listing;
	enum sprof_symbol_source source; /* of the table that isn't dynamic */
	bool only_code;
};

static bool append_entry(void *data, const struct sprof_entry *entry)
{
	const struct appending *appending = data;
	struct sprof_listing *listing = appending->listing;
	struct sprof_listed item = {
		.address = entry->address,
		.size = entry->size,
		.source = sprof_symbol_source_name(
			entry->is_dynamic ? SPROF_SYMBOL_DYNSYM : appending->source),
		.type = entry->type,
		.binding = entry->binding,
		.is_code = entry->is_code,
	};

	if (appending->only_code && !entry->is_code)
		return true;
	item.section = sprof_strtab_intern(listing->strings, entry->section);
	return item.section && append(listing, item, entry->name, entry->name_length);
}

static bool append_entries(struct sprof_listing *listing, const struct sprof_names *names)
{
	const struct {
		const struct sprof_image *image;
		enum sprof_symbol_source source;
	} files[] = {
		{names->image, SPROF_SYMBOL_SYMTAB},
		{names->debug, SPROF_SYMBOL_DEBUG_FILE},
		{names->inner, SPROF_SYMBOL_GNU_DEBUGDATA},
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct appending appending = {listing, files[i].source, false};

		if (files[i].image &&
			!sprof_entries_visit(files[i].image->elf, append_entry, &appending))
			return false;
	}
	return true;
}

/* If two sources have the same name, the more detailed one is kept, then the first: ".symtab"
 * before ".dynsym". */
static int compare(const void *left, const void *right)
{
	const struct sprof_listed *a = left, *b = right;
	int by_name;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	by_name = strcmp(a->name, b->name);
	if (by_name)
		return by_name;
	return !a->type != !b->type ? (!a->type) - (!b->type) : strcmp(b->source, a->source);
}

bool sprof_name_returns_twice(const char *linkage)
{
	static const char *const names[] = {"setjmp", "_setjmp", "__setjmp", "sigsetjmp",
		"__sigsetjmp", "getcontext", "swapcontext", "vfork", "__vfork", "__libc_vfork",
		NULL};

	return sprof_string_is_one_of(linkage, names);
}

/* A function may have further names, such as libc's "__GI___libc_vfork". */
static void mark_all_names(struct sprof_listing *listing, size_t marked)
{
	const uint64_t address = listing->items[marked].address;
	size_t i = marked;

	while (i && listing->items[i - 1].address == address)
		i--;
	for (; i < listing->count && listing->items[i].address == address; i++)
		listing->items[i].returns_twice = true;
}

static void mark_those_that_return_twice(struct sprof_listing *listing)
{
	for (size_t i = 0; i < listing->count; i++) {
		if (!listing->items[i].returns_twice &&
			sprof_name_returns_twice(listing->items[i].name))
			mark_all_names(listing, i);
	}
}

static void sort(struct sprof_listing *listing)
{
	size_t kept = 0;

	if (listing->count)
		qsort(listing->items, listing->count, sizeof(*listing->items), compare);
	for (size_t i = 0; i < listing->count; i++) {
		if (!kept || listing->items[kept - 1].address != listing->items[i].address ||
			listing->items[kept - 1].name != listing->items[i].name)
			listing->items[kept++] = listing->items[i];
	}
	listing->count = kept;
}

static bool fill(struct sprof_listing *listing, struct sprof_names *names, unsigned parts,
	struct sprof_error *err)
{
	if (names->list && (parts & SPROF_LISTING_SYSMAP) && !append_lines(listing, names))
		return sprof_error_no_memory(err);
	if (!names->image || !(parts & SPROF_LISTING_FILE))
		return true;
	if (!sprof_names_load_symtab(names, err) || !sprof_names_load_fdes(names, err))
		return false;
	for (size_t i = 0; i < sprof_symtab_count(names->symtab); i++) {
		struct sprof_symbol symbol = sprof_symtab_at(names->symtab, i);

		if (!append_symbol(listing, &symbol))
			return sprof_error_no_memory(err);
	}
	if ((parts & SPROF_LISTING_ALL) && !append_entries(listing, names))
		return sprof_error_no_memory(err);
	return append_fdes(listing, names) || sprof_error_no_memory(err);
}

/* Says why if the module has nothing to read. */
static bool check_readable(const struct sprof_names *names, struct sprof_error *err)
{
	struct sprof_image *image;

	if (names->image || names->list)
		return true;
	if (!sprof_image_open(names->module, &image, err))
		return false;
	sprof_image_close(image);
	return true;
}

bool sprof_listing_create(const struct sprof_module *module,
	const struct sprof_debug_places *places, const char *sysmap, unsigned parts,
	struct sprof_listing *ret, struct sprof_error *err)
{
	struct sprof_names names;
	bool ok;

	*ret = (struct sprof_listing){.strings = sprof_strtab_create()};
	if (!ret->strings)
		return sprof_error_no_memory(err);
	ok = sprof_names_init(&names, module, places, sysmap, err) && check_readable(&names, err) &&
		fill(ret, &names, parts, err);
	sprof_names_finish(&names);
	if (ok) {
		sort(ret);
		mark_those_that_return_twice(ret);
	} else {
		sprof_listing_finish(ret);
	}
	return ok;
}

static int compare_in_object(const void *left, const void *right)
{
	const struct sprof_listed *a = left, *b = right;
	int by_section = strcmp(a->section, b->section);

	return by_section ? by_section : compare(left, right);
}

bool sprof_listing_create_object(
	void *elf, bool all, struct sprof_listing *ret, struct sprof_error *err)
{
	struct sprof_listing listing = {.strings = sprof_strtab_create()};
	struct appending appending = {&listing, SPROF_SYMBOL_SYMTAB, !all};

	if (!listing.strings || !sprof_entries_visit(elf, append_entry, &appending)) {
		sprof_listing_finish(&listing);
		return sprof_error_no_memory(err);
	}
	if (listing.count)
		qsort(listing.items, listing.count, sizeof(*listing.items), compare_in_object);
	*ret = listing;
	return true;
}

void sprof_listing_finish(struct sprof_listing *listing)
{
	free(listing->items);
	sprof_strtab_destroy(listing->strings);
	*listing = (struct sprof_listing){0};
}

/* The index of the first item at or after the address. */
static size_t first_from(const struct sprof_listing *listing, uint64_t address)
{
	return sprof_lower_bound(
		listing->items, listing->count, SPROF_KEY(listing->items, address, address));
}

/* The index of the first item after the address. */
static size_t first_behind(const struct sprof_listing *listing, uint64_t address)
{
	return sprof_upper_bound(
		listing->items, listing->count, SPROF_KEY(listing->items, address, address));
}

const struct sprof_listed *sprof_listing_find(const struct sprof_listing *listing, uint64_t address)
{
	size_t last = first_behind(listing, address);
	const struct sprof_listed *found;

	while (last && !listing->items[last - 1].is_code)
		last--;
	if (!last)
		return NULL;
	found = &listing->items[first_from(listing, listing->items[last - 1].address)];
	while (!found->is_code)
		found++;
	return !found->size || address - found->address < found->size ? found : NULL;
}

static bool is_variable(const struct sprof_listed *item)
{
	return item->type && strcmp(item->type, "object") == 0 &&
		strcmp(item->section, "*ABS*") != 0;
}

const struct sprof_listed *sprof_listing_find_data(
	const struct sprof_listing *listing, uint64_t address)
{
	const struct sprof_listed *found = NULL;

	for (size_t i = first_behind(listing, address); i-- > 0;) {
		const struct sprof_listed *item = &listing->items[i];

		if (is_variable(item) && address - item->address < item->size &&
			(!found || item->size < found->size))
			found = item;
	}
	return found;
}
