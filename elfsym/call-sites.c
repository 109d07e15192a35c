/*
 * Reads DW_TAG_call_site (DWARF 5, section 3.4) and DW_TAG_GNU_call_site, which came before it.
 * gcc gives the address behind each call; clang gives a tail call's own address. Reads calls in
 * blocks and inlined functions too: their code is the function's. Does not read what calls pass.
 */
#include "elfsym/call-sites.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "elfsym/die-string.h"
#include "elfsym/dies.h"

/* Deeper nesting than any compiler makes, and shallow enough for the stack. */
enum { MAX_DEPTH = 500, MAX_ORIGINS = 16 };

static bool flag_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	bool value = false;

	return dwarf_formflag(dwarf_attr(die, name, &attribute), &value) == 0 && value;
}

static bool address_of(Dwarf_Die *die, unsigned name, uint64_t *ret)
{
	Dwarf_Attribute attribute;
	Dwarf_Addr address;

	if (dwarf_formaddr(dwarf_attr(die, name, &attribute), &address) != 0)
		return false;
	*ret = address;
	return true;
}

static bool reference_of(Dwarf_Die *die, unsigned name, Dwarf_Die *ret)
{
	Dwarf_Attribute attribute;

	return dwarf_formref_die(dwarf_attr(die, name, &attribute), ret);
}

static bool add_site(struct sprof_call_sites *sites, Dwarf_Die *die)
{
	bool is_gnu = dwarf_tag(die) == DW_TAG_GNU_call_site;
	struct sprof_call_site site = {.is_behind = true};

	if (!address_of(die, is_gnu ? DW_AT_low_pc : DW_AT_call_return_pc, &site.address)) {
		site.is_behind = false;
		if (!address_of(die, DW_AT_call_pc, &site.address))
			site.address = 0;
	}
	site.is_tail = flag_of(die, is_gnu ? DW_AT_GNU_tail_call : DW_AT_call_tail_call);
	site.has_origin =
		reference_of(die, is_gnu ? DW_AT_abstract_origin : DW_AT_call_origin, &site.origin);
	site.has_origin = site.has_origin && dwarf_tag(&site.origin) == DW_TAG_subprogram;
	if (!sprof_array_reserve(
		    &sites->items, &sites->capacity, sites->count + 1, sizeof(*sites->items)))
		return false;
	sites->items[sites->count++] = site;
	return true;
}

static bool has_calls(int tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
		tag == DW_TAG_try_block || tag == DW_TAG_catch_block || tag == DW_TAG_with_stmt;
}

/* What is nested too deep makes the list incomplete. */
static bool walk(
	struct sprof_call_sites *sites, struct sprof_dies *dies, Dwarf *dwarf, unsigned depth)
{
	struct sprof_die found;
	Dwarf_Die die;

	while (sprof_dies_next(dies, &found)) {
		if ((found.tag == DW_TAG_call_site || found.tag == DW_TAG_GNU_call_site) &&
			dwarf_offdie(dwarf, found.offset, &die) && !add_site(sites, &die))
			return false;
		if (!found.has_children)
			continue;
		if (has_calls(found.tag) && depth < MAX_DEPTH) {
			if (!walk(sites, dies, dwarf, depth + 1))
				return false;
			continue;
		}
		sites->has_all_tail_calls &= !has_calls(found.tag);
		sprof_dies_skip(dies);
	}
	return !dies->no_memory;
}

bool sprof_call_sites_read(
	struct sprof_call_sites *sites, struct sprof_dies *dies, Dwarf_Die *function)
{
	sites->count = 0;
	sites->has_all_tail_calls = flag_of(function, DW_AT_call_all_calls) ||
		flag_of(function, DW_AT_call_all_tail_calls) ||
		flag_of(function, DW_AT_GNU_all_call_sites) ||
		flag_of(function, DW_AT_GNU_all_tail_call_sites);
	return !sprof_dies_enter(dies, dwarf_dieoffset(function)) ||
		walk(sites, dies, dwarf_cu_getdwarf(function->cu), 0);
}

void sprof_call_sites_finish(struct sprof_call_sites *sites)
{
	free(sites->items);
	*sites = (struct sprof_call_sites){0};
}

/* The declaration or abstract function that all copies of a function refer to. */
static Dwarf_Die root_of(const Dwarf_Die *die)
{
	Dwarf_Die root = *die, next;

	for (int i = 0; i < MAX_ORIGINS; i++) {
		if (!reference_of(&root, DW_AT_abstract_origin, &next) &&
			!reference_of(&root, DW_AT_specification, &next))
			break;
		root = next;
	}
	return root;
}

/* As the linker knows it, if the language needs that. */
static const char *name_of(Dwarf_Die *die)
{
	static const unsigned names[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name};
	const char *name = NULL;
	Dwarf_Attribute attribute;

	for (size_t i = 0; !name && i < sizeof(names) / sizeof(names[0]); i++)
		name = sprof_die_string(dwarf_attr_integrate(die, names[i], &attribute));
	return name;
}

/* In another unit, a function's declaration is not related to it but by the name. */
bool sprof_call_site_enters(const struct sprof_call_site *site, const Dwarf_Die *function)
{
	Dwarf_Die origin, own;
	const char *origin_name, *own_name;

	if (!site->has_origin)
		return false;
	origin = root_of(&site->origin);
	own = root_of(function);
	if (origin.addr == own.addr)
		return true;
	origin_name = name_of(&origin);
	own_name = name_of(&own);
	return origin_name && own_name && strcmp(origin_name, own_name) == 0;
}
