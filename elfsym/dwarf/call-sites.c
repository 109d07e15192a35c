/*
 * Reads DW_TAG_call_site (DWARF 5, section 3.4) and DW_TAG_GNU_call_site, which came before it. gcc
 * gives the address after each call; clang gives a tail call's own address. Includes calls in
 * blocks and inlined functions: their code belongs to the function. Does not read call parameters.
 */
#include "elfsym/dwarf/call-sites.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "elfsym/dwarf/die-children.h"
#include "elfsym/dwarf/die-string.h"

/* Deeper nesting than any compiler makes, and shallow enough for the stack. */
enum { MAX_DEPTH = 500, MAX_ORIGINS = 16 };

/* Names are compared up to this length; longer ones count as different. */
enum { MAX_NAME = 4096 };

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
	struct sprof_call_site site = {.offset = dwarf_dieoffset(die), .is_behind = true};

	if (!address_of(die, is_gnu ? DW_AT_low_pc : DW_AT_call_return_pc, &site.address)) {
		site.is_behind = false;
		if (!address_of(die, DW_AT_call_pc, &site.address))
			site.address = 0;
	}
	site.is_tail = sprof_die_flag(die, is_gnu ? DW_AT_GNU_tail_call : DW_AT_call_tail_call);
	return SPROF_ARRAY_APPEND(sites->items, sites->count, sites->capacity, site);
}

static bool has_calls(int tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
		tag == DW_TAG_try_block || tag == DW_TAG_catch_block || tag == DW_TAG_with_stmt;
}

/* Returns false if the limits are reached. */
static bool take_die(struct sprof_call_sites *sites, int tag)
{
	if (!sites->left.dies || (sprof_die_is_call(tag) && !sites->left.sites))
		return false;
	sites->left.dies--;
	sites->left.sites -= sprof_die_is_call(tag);
	return true;
}

/* Stops at nesting that is too deep, or at the limits; the list is then incomplete. */
static bool walk(struct sprof_call_sites *sites, Dwarf_Die *parent, unsigned depth, Dwarf_Off *last,
	bool *is_all)
{
	Dwarf_Die die;

	for (bool found = sprof_die_child(parent, last, &die); found && *is_all;
		found = sprof_die_sibling(&die, last)) {
		const int tag = dwarf_tag(&die);

		*is_all = take_die(sites, tag);
		if (*is_all && sprof_die_is_call(tag) && !add_site(sites, &die))
			return false;
		if (!has_calls(tag) || dwarf_haschildren(&die) <= 0)
			continue;
		*is_all &= depth < MAX_DEPTH;
		if (*is_all && !walk(sites, &die, depth + 1, last, is_all))
			return false;
	}
	return true;
}

bool sprof_call_sites_add(struct sprof_call_sites *sites, Dwarf_Die *function, bool *ret_all)
{
	bool is_all = true;
	Dwarf_Off last;

	if (!walk(sites, function, 0, &last, &is_all))
		return false;
	*ret_all = is_all &&
		(sprof_die_flag(function, DW_AT_call_all_calls) ||
			sprof_die_flag(function, DW_AT_call_all_tail_calls) ||
			sprof_die_flag(function, DW_AT_GNU_all_call_sites) ||
			sprof_die_flag(function, DW_AT_GNU_all_tail_call_sites));
	return true;
}

void sprof_call_sites_finish(struct sprof_call_sites *sites)
{
	free(sites->items);
	*sites = (struct sprof_call_sites){0};
}

Dwarf_Die sprof_call_origin_root(const Dwarf_Die *function)
{
	Dwarf_Die root = *function, next;

	for (int i = 0; i < MAX_ORIGINS; i++) {
		if (!reference_of(&root, DW_AT_abstract_origin, &next) &&
			!reference_of(&root, DW_AT_specification, &next))
			break;
		root = next;
	}
	return root;
}

const char *sprof_call_origin_name(const Dwarf_Die *function)
{
	static const unsigned names[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name};
	Dwarf_Die die = *function;
	const char *name = NULL;
	Dwarf_Attribute attribute;

	for (size_t i = 0; !name && i < sizeof(names) / sizeof(names[0]); i++)
		name = sprof_die_string(dwarf_attr_integrate(&die, names[i], &attribute));
	return name;
}

bool sprof_call_origin_is_external(const Dwarf_Die *function)
{
	Dwarf_Die die = *function;
	Dwarf_Attribute attribute;
	bool value = false;

	return dwarf_formflag(dwarf_attr_integrate(&die, DW_AT_external, &attribute), &value) ==
		0 &&
		value;
}

bool sprof_call_site_origin(
	const struct sprof_call_site *site, const Dwarf_Die *caller, Dwarf_Die *ret)
{
	Dwarf_Die die;

	return dwarf_offdie(dwarf_cu_getdwarf(caller->cu), site->offset, &die) &&
		reference_of(&die,
			dwarf_tag(&die) == DW_TAG_GNU_call_site ? DW_AT_abstract_origin
								: DW_AT_call_origin,
			ret) &&
		dwarf_tag(ret) == DW_TAG_subprogram;
}

/* In another unit, a function's declaration is not related to it but by the name. */
bool sprof_call_origin_is(const Dwarf_Die *origin, const Dwarf_Die *function)
{
	Dwarf_Die root = sprof_call_origin_root(origin), own = sprof_call_origin_root(function);
	const char *root_name, *own_name;

	if (root.addr == own.addr)
		return true;
	root_name = sprof_call_origin_name(&root);
	own_name = root_name ? sprof_call_origin_name(&own) : NULL;
	return own_name && strncmp(root_name, own_name, MAX_NAME) == 0 &&
		strnlen(own_name, MAX_NAME) < MAX_NAME;
}
