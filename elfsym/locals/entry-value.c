/*
 * Finds what a register held when the function was called: the caller's DWARF describes it
 * (DW_TAG_call_site_parameter; DWARF 5, section 3.4.2). Only if the caller certainly called this
 * function: there was no tail call in between, and the function did not call itself, with other
 * values.
 */
#include "elfsym/locals/entry-value.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "elfsym/dwarf/call-sites.h"
#include "elfsym/dwarf/die-children.h"
#include "elfsym/locals/location-expression.h"

/* Deeper nesting, and more DIEs in a function, than any compiler makes. */
enum { MAX_DEPTH = 100, MAX_DIES = 200000 };

struct search {
	uint64_t address; /* the address after the call; 0: any tail call */
	Dwarf_Die site;
	unsigned left; /* DIEs to look at */
};

static bool is_wanted(const struct search *search, Dwarf_Die *site)
{
	const bool is_gnu = dwarf_tag(site) == DW_TAG_GNU_call_site;
	Dwarf_Attribute attribute;
	Dwarf_Addr address;

	if (!search->address)
		return sprof_die_flag(site, is_gnu ? DW_AT_GNU_tail_call : DW_AT_call_tail_call);
	return dwarf_formaddr(
		       dwarf_attr(site, is_gnu ? DW_AT_low_pc : DW_AT_call_return_pc, &attribute),
		       &address) == 0 &&
		address == search->address;
}

static bool find_site(struct search *search, const Dwarf_Die *scope, unsigned depth)
{
	struct sprof_die_children children = {.parent = *scope};

	while (depth < MAX_DEPTH && search->left && sprof_die_children_next(&children)) {
		const int tag = dwarf_tag(&children.die);

		search->left--;
		if (sprof_die_is_call(tag) && is_wanted(search, &children.die)) {
			search->site = children.die;
			return true;
		}
		if (sprof_die_is_block(tag) && find_site(search, &children.die, depth + 1))
			return true;
	}
	return false;
}

static bool evaluate(const struct sprof_dwarf_frame *frame, Dwarf_Die *die, const unsigned names[2],
	uint64_t *ret)
{
	Dwarf_Attribute attribute;
	struct sprof_place_of_value place;

	if (!dwarf_attr(die, names[0], &attribute) && !dwarf_attr(die, names[1], &attribute))
		return false;
	place = sprof_location_expression_of_attribute(
		&(struct sprof_location_expression){.attribute = &attribute}, frame);
	*ret = place.number;
	return place.where == SPROF_WHERE_MEMORY || place.where == SPROF_WHERE_VALUE;
}

static bool is_call_of(Dwarf_Die *site, const struct sprof_dwarf_frame *caller,
	const struct sprof_dwarf_frame *callee)
{
	static const unsigned targets[] = {DW_AT_call_target, DW_AT_GNU_call_site_target};
	Dwarf_Attribute attribute;
	Dwarf_Die origin;
	uint64_t target;

	if (dwarf_formref_die(dwarf_attr(site, DW_AT_call_origin, &attribute), &origin) ||
		dwarf_formref_die(dwarf_attr(site, DW_AT_abstract_origin, &attribute), &origin))
		return sprof_call_origin_is(&origin, &callee->function.die);
	return callee->has_bias && callee->function.entry &&
		evaluate(caller, site, targets, &target) &&
		target == callee->function.entry + callee->bias;
}

/* A function that makes tail calls may have called itself with one. */
static bool makes_tail_calls(const struct sprof_dwarf_frame *frame)
{
	struct search search = {.left = MAX_DIES};

	return find_site(&search, &frame->function.die, 0) || !search.left;
}

static bool is_register(Dwarf_Die *parameter, uint64_t number)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t count;

	if (dwarf_getlocation(dwarf_attr(parameter, DW_AT_location, &attribute), &ops, &count) !=
			0 ||
		count != 1)
		return false;
	return (ops[0].atom == DW_OP_regx && ops[0].number == number) ||
		(number < 32 && ops[0].atom == DW_OP_reg0 + number);
}

static bool find_parameter(Dwarf_Die *site, uint64_t number, Dwarf_Die *ret)
{
	struct sprof_die_children children = {.parent = *site};

	while (sprof_die_children_next(&children)) {
		*ret = children.die;
		if (is_register(ret, number))
			return true;
	}
	return false;
}

bool sprof_entry_value_find(const struct sprof_dwarf_frame *frame, uint64_t number, uint64_t *ret)
{
	static const unsigned values[] = {DW_AT_call_value, DW_AT_GNU_call_site_value};
	struct search search = {.left = MAX_DIES};
	struct sprof_dwarf_frame caller;
	struct sprof_error ignored;
	Dwarf_Die parameter;

	if (!*frame->entry_values || !frame->caller_count || !frame->callers[0].is_return ||
		!sprof_dwarf_frame_find(frame->symbols, frame->callers, &caller, &ignored) ||
		!caller.function.scopes)
		return false;
	--*frame->entry_values;
	caller.entry_values = frame->entry_values;
	caller.callers = frame->callers + 1;
	caller.caller_count = frame->caller_count - 1;
	caller.find_entry_value = frame->find_entry_value;
	search.address = caller.address + 1;
	return find_site(&search, &caller.function.die, 0) &&
		is_call_of(&search.site, &caller, frame) && !makes_tail_calls(frame) &&
		find_parameter(&search.site, number, &parameter) &&
		evaluate(&caller, &parameter, values, ret);
}
