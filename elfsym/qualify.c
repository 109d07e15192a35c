/*
 * Qualified names. DWARF has a linkage name for most functions of C++, but not for those that were
 * only ever inlined and that no other unit can see; their bare name ("push_back") says too little.
 * A DIE doesn't know its parent, so the containers that the walk of the unit noted are searched.
 */
#include "elfsym/qualify.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"

enum {
	MAX_HOPS = 16,
	MAX_LEVELS = 64,
	MAX_LENGTH = 16 * 1024,
};

/* A unit that others refer to: of dwz, of link-time optimization. */
struct sprof_foreign_unit {
	Dwarf_CU *unit;
	struct sprof_scopes scopes;
};

/* The DIE that stands where the function was declared. */
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

/* The scopes of another unit, read at its first use. NULL: no memory. */
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

static const char *container_name(Dwarf_CU *unit, const struct sprof_container *container)
{
	Dwarf *dwarf = dwarf_cu_getdwarf(unit);
	const char *name;
	Dwarf_Die die;

	if (!dwarf_offdie(dwarf, container->begin, &die))
		return "?";
	if (container->is_function)
		die = declaration_of(&die);
	name = dwarf_diename(&die);
	if (name && name[0])
		return name;
	return dwarf_tag(&die) == DW_TAG_namespace ? "(anonymous namespace)" : "{unnamed}";
}

/* Outermost first, "::" between them. */
static bool write_names(const struct sprof_scopes *scopes, uint32_t index, Dwarf_CU *unit,
	char text[MAX_LENGTH])
{
	const char *names[MAX_LEVELS];
	size_t count = 0, length = 0;

	for (; index != SPROF_SCOPE_NONE && count < MAX_LEVELS;
		index = scopes->containers[index].parent)
		names[count++] = container_name(unit, &scopes->containers[index]);
	while (count-- > 0) {
		size_t size = strlen(names[count]);

		if (size > MAX_LENGTH - 3 - length)
			return false;
		if (length) {
			memcpy(text + length, "::", 2);
			length += 2;
		}
		memcpy(text + length, names[count], size);
		length += size;
	}
	text[length] = '\0';
	return length;
}

/* A function that stands right inside of another one has no longer name in any language. */
bool sprof_qualifiers_find(struct sprof_qualifiers *qualifiers, const struct sprof_image *image,
	const struct sprof_scopes *scopes, Dwarf_Die *function, const char **ret)
{
	Dwarf_Die declaration = declaration_of(function);
	SPROF_AUTO_FREE char *text = NULL;
	uint32_t index;

	*ret = NULL;
	if (declaration.cu != function->cu)
		scopes = foreign_scopes(qualifiers, image, &declaration);
	if (!scopes)
		return false;
	index = sprof_scopes_container(scopes, dwarf_dieoffset(&declaration));
	if (index == SPROF_SCOPE_NONE || scopes->containers[index].is_function)
		return true;
	text = malloc(MAX_LENGTH);
	if (!qualifiers->texts)
		qualifiers->texts = sprof_strtab_create();
	if (!text || !qualifiers->texts)
		return false;
	if (write_names(scopes, index, declaration.cu, text))
		*ret = sprof_strtab_intern(qualifiers->texts, text);
	return true;
}

void sprof_qualifiers_finish(struct sprof_qualifiers *qualifiers)
{
	for (size_t i = 0; i < qualifiers->count; i++)
		sprof_scopes_finish(&qualifiers->units[i].scopes);
	free(qualifiers->units);
	sprof_strtab_destroy(qualifiers->texts);
	*qualifiers = (struct sprof_qualifiers){0};
}
