/*
 * Qualified names. DWARF has linkage names for most C++ functions, but not for those that were only
 * inlined and have internal linkage. Their bare name ("push_back") is not informative. A DIE does
 * not refer to its parent, so this file searches the containers recorded by the walk of the unit.
 *
 * A failure without an error means out of memory.
 */
#include "elfsym/dwarf/qualify.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "elfsym/dwarf/die-children.h"
#include "elfsym/dwarf/die-string.h"

enum {
	MAX_HOPS = 16,
	MAX_LEVELS = 64,
	MAX_LENGTH = 16 * 1024,
};

/* A unit that other units refer to; dwz and link-time optimization make them. */
struct sprof_foreign_unit {
	Dwarf_CU *unit;
	struct sprof_scopes scopes;
};

static Dwarf_Die declaration_of(const Dwarf_Die *function)
{
	Dwarf_Die die = *function, next;
	Dwarf_Attribute attribute;

	for (int i = 0; i < MAX_HOPS; i++) {
		if (!dwarf_attr(&die, DW_AT_abstract_origin, &attribute) &&
			!dwarf_attr(&die, DW_AT_specification, &attribute))
			break;
		if (!dwarf_formref_die(&attribute, &next))
			break;
		die = next;
	}
	return die;
}

/* The scopes of another unit, read at its first use. Returns NULL if out of memory. */
static const struct sprof_scopes *foreign_scopes(
	struct sprof_qualifiers *qualifiers, const struct sprof_image *image, Dwarf_Die *die)
{
	struct sprof_foreign_unit *unit;
	size_t no_ranges = 0;
	Dwarf_Die root;

	for (size_t i = 0; i < qualifiers->count; i++) {
		if (qualifiers->units[i].unit == die->cu)
			return &qualifiers->units[i].scopes;
	}
	if (!sprof_array_reserve(&qualifiers->units, &qualifiers->capacity, qualifiers->count + 1,
		    sizeof(*qualifiers->units)))
		return NULL;
	unit = &qualifiers->units[qualifiers->count++];
	*unit = (struct sprof_foreign_unit){.unit = die->cu};
	if (dwarf_cu_die(die->cu, &root, NULL, NULL, NULL, NULL, NULL, NULL) &&
		!sprof_scopes_load(&unit->scopes, image, &root, &no_ranges))
		return NULL;
	return &unit->scopes;
}

/* The DIEs around a declaration, outermost first. */
struct path {
	Dwarf_Die dies[MAX_LEVELS];
	size_t count;
};

static void follow_table(
	struct path *path, const struct sprof_scopes *scopes, const Dwarf_Die *declaration)
{
	uint32_t inner = sprof_scopes_container(scopes, dwarf_dieoffset((Dwarf_Die *)declaration));
	Dwarf *dwarf = dwarf_cu_getdwarf(declaration->cu);
	size_t depth = 0;

	for (uint32_t i = inner; i != SPROF_SCOPE_NONE; i = scopes->containers[i].parent)
		depth++;
	if (depth > MAX_LEVELS)
		return;
	path->count = depth;
	for (uint32_t i = inner; i != SPROF_SCOPE_NONE; i = scopes->containers[i].parent) {
		if (!dwarf_offdie(dwarf, scopes->containers[i].begin, &path->dies[--depth])) {
			path->count = 0;
			return;
		}
	}
}

/* The child that contains the offset or begins there. */
static bool find_child(Dwarf_Die *parent, Dwarf_Off offset, Dwarf_Die *ret)
{
	bool is_found = false;
	Dwarf_Die child;
	Dwarf_Off last;

	for (bool more = sprof_die_child(parent, &last, &child); more && last <= offset;
		more = sprof_die_sibling(&child, &last)) {
		*ret = child;
		is_found = true;
	}
	return is_found;
}

static bool is_container(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_subprogram:
		return true;
	default:
		return false;
	}
}

/* Follows the rest of the path, through classes and functions. */
static void follow_children(struct path *path, Dwarf_Off offset)
{
	Dwarf_Die die;

	if (!path->count)
		return;
	die = path->dies[path->count - 1];
	for (int hops = 0; hops < MAX_LEVELS && find_child(&die, offset, &die); hops++) {
		if (dwarf_dieoffset(&die) == offset)
			return;
		if (is_container(&die) && path->count < MAX_LEVELS)
			path->dies[path->count++] = die;
	}
}

/* "Box<int>", or "{unnamed at 12:7}" by line and column: GCC gives the classes of lambdas no name. */
static int write_name(const Dwarf_Die *container, char *text, size_t size)
{
	Dwarf_Die die = *container;
	Dwarf_Attribute attribute;
	const char *name;
	int line, column;

	if (dwarf_tag(&die) == DW_TAG_subprogram)
		die = declaration_of(&die);
	name = sprof_die_string(dwarf_attr_integrate(&die, DW_AT_name, &attribute));
	if (name && name[0])
		return snprintf(text, size, "%s", name);
	if (dwarf_tag(&die) == DW_TAG_namespace)
		return snprintf(text, size, "(anonymous namespace)");
	if (dwarf_decl_line(&die, &line) != 0)
		return snprintf(text, size, "{unnamed}");
	if (dwarf_decl_column(&die, &column) != 0)
		return snprintf(text, size, "{unnamed at %d}", line);
	return snprintf(text, size, "{unnamed at %d:%d}", line, column);
}

/* Joins the names with "::". Returns false if too long. */
static bool write_names(const struct path *path, char text[MAX_LENGTH])
{
	size_t length = 0;

	for (size_t i = 0; i < path->count; i++) {
		int written;

		length += (size_t)snprintf(text + length, MAX_LENGTH - length, "%s", i ? "::" : "");
		if (length >= MAX_LENGTH)
			return false;
		written = write_name(&path->dies[i], text + length, MAX_LENGTH - length);
		if (written < 0 || (size_t)written >= MAX_LENGTH - length)
			return false;
		length += (size_t)written;
	}
	return true;
}

/* A function directly inside another function has no longer name in any language. */
bool sprof_qualifiers_find(struct sprof_qualifiers *qualifiers, const struct sprof_image *image,
	const struct sprof_scopes *scopes, Dwarf_Die *function, const char **ret)
{
	Dwarf_Die declaration = declaration_of(function);
	struct path path = {.count = 0};
	SPROF_AUTO_FREE char *text = NULL;

	*ret = NULL;
	if (declaration.cu != function->cu)
		scopes = foreign_scopes(qualifiers, image, &declaration);
	if (!scopes)
		return false;
	follow_table(&path, scopes, &declaration);
	follow_children(&path, dwarf_dieoffset(&declaration));
	if (!path.count || dwarf_tag(&path.dies[path.count - 1]) == DW_TAG_subprogram)
		return true;
	text = malloc(MAX_LENGTH);
	if (!qualifiers->texts)
		qualifiers->texts = sprof_strtab_create();
	if (!text || !qualifiers->texts)
		return false;
	if (!write_names(&path, text))
		return true;
	*ret = sprof_strtab_intern(qualifiers->texts, text);
	return *ret;
}

void sprof_qualifiers_finish(struct sprof_qualifiers *qualifiers)
{
	for (size_t i = 0; i < qualifiers->count; i++)
		sprof_scopes_finish(&qualifiers->units[i].scopes);
	free(qualifiers->units);
	sprof_strtab_destroy(qualifiers->texts);
	*qualifiers = (struct sprof_qualifiers){0};
}
