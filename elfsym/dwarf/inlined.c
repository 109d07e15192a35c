/*
 * Walks all DIEs through libdw, without an index: this happens only once, when a function was not
 * found. Does not read .dwo files, nor DIEs that dwz moved to another file.
 */
#include "elfsym/dwarf/inlined.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "elfsym/dwarf/die-children.h"
#include "elfsym/dwarf/die-string.h"
#include "elfsym/dwarf/dwarf.h"
#include "elfsym/dwarf/expand.h"
#include "elfsym/elf/image.h"
#include "elfsym/elf/demangle.h"

enum {
	MAX_DIES = 1000000, /* takes some tenths of a second */
	MAX_DEPTH = 100,    /* of a broken file */
};

struct walk {
	const struct sprof_inlined_wish *wish;
	struct sprof_inlined found;
	uint64_t address; /* of the first one */
	size_t left;      /* DIEs */
};

static const char *string_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return sprof_die_string(dwarf_attr_integrate(die, name, &attribute));
}

/*
 * Compilers also write empty ranges, where a call begins. Returns false if everything was optimised
 * away.
 */
static bool find_code(Dwarf_Die *call, uint64_t *ret)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(call, at, &base, &begin, &end)) > 0) {
		*ret = begin;
		if (begin < end)
			return true;
	}
	return false;
}

static void look_at(struct walk *walk, Dwarf_Die *call)
{
	const char *name = string_of(call, DW_AT_name);
	uint64_t address;

	if (!name ||
		!walk->wish->is_meant(
			walk->wish->data, name, string_of(call, DW_AT_linkage_name)) ||
		!find_code(call, &address))
		return;
	if (!walk->found.count++)
		walk->address = address;
}

static void walk_children(struct walk *walk, Dwarf_Die *parent, int depth)
{
	Dwarf_Off last;
	Dwarf_Die die;

	if (depth == MAX_DEPTH)
		return;
	for (bool found = sprof_die_child(parent, &last, &die); found && walk->left;
		found = sprof_die_sibling(&die, &last)) {
		walk->left--;
		if (dwarf_tag(&die) == DW_TAG_inlined_subroutine)
			look_at(walk, &die);
		walk_children(walk, &die, depth + 1);
	}
}

static void walk_file(struct walk *walk, const struct sprof_image *debug)
{
	struct sprof_image *expanded = sprof_expand(debug, false);
	Dwarf *dwarf = dwarf_begin_elf(expanded ? expanded->elf : debug->elf, DWARF_C_READ, NULL);
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	while (dwarf && walk->left &&
		dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
		walk_children(walk, &die, 0);
	dwarf_end(dwarf);
	sprof_image_close(expanded);
}

/* NULL: it has no name. The caller frees it. */
static char *plain_name(const struct sprof_dwarf_place *place)
{
	if (place->linkage && sprof_is_mangled(place->linkage))
		return sprof_demangle(place->linkage);
	return place->name ? strdup(place->name) : NULL;
}

/* Says where the innermost of these functions that is meant was called. */
static void name_place(struct walk *walk, const struct sprof_dwarf_chain *chain)
{
	SPROF_AUTO_FREE char *into =
		chain->count ? plain_name(&chain->items[chain->count - 1]) : NULL;
	struct sprof_inlined *found = &walk->found;

	snprintf(found->into, sizeof(found->into), "%s", into ? into : "");
	for (size_t i = 0; i + 1 < chain->count; i++) {
		const struct sprof_dwarf_place *place = &chain->items[i];
		const char *file = chain->items[i + 1].file;

		if (!place->name ||
			!walk->wish->is_meant(walk->wish->data, place->name, place->linkage))
			continue;
		snprintf(found->file, sizeof(found->file), "%s",
			file ? sprof_string_file_name(file) : "");
		found->line = chain->items[i + 1].line;
		return;
	}
}

static void find_place(struct walk *walk, const struct sprof_dwarf_source *source)
{
	struct sprof_dwarf_chain chain;
	struct sprof_dwarf *dwarf;
	struct sprof_error ignored;

	if (!sprof_dwarf_open(source, &dwarf, &ignored) || !dwarf)
		return;
	if (sprof_dwarf_find(dwarf, walk->address, &chain, &ignored))
		name_place(walk, &chain);
	sprof_dwarf_close(dwarf);
}

struct sprof_inlined sprof_inlined_find(const struct sprof_module *module,
	const struct sprof_debug_places *places, const struct sprof_inlined_wish *wish)
{
	struct walk walk = {.wish = wish, .left = MAX_DIES};
	struct sprof_dwarf_source source = {.path = module->path, .places = places};
	struct sprof_image *image, *debug;
	struct sprof_error ignored;

	if (!sprof_image_open(module, &image, &ignored))
		return walk.found;
	debug = sprof_dwarf_exists(image) ? NULL
					  : sprof_debugfile_open(image, module->path, places);
	source.image = image;
	source.debug = debug ? debug : image;
	walk_file(&walk, source.debug);
	if (walk.found.count)
		find_place(&walk, &source);
	sprof_image_close(debug);
	sprof_image_close(image);
	return walk.found;
}
