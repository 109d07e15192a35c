/*
 * Skims DIEs. libdw looks up an abbreviation under a lock and walks its attributes for every DIE.
 * Most DIEs of a C++ unit are types and declarations, which are not needed for naming an address.
 * This reader skips one in a few ns: by a DW_AT_sibling at a fixed offset, by a fixed size, or by
 * reading its forms (DWARF 5, section 7.5.6). Does not handle units with unknown forms.
 */
#include "elfsym/dwarf/skim.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/array.h"
#include "elfsym/dwarf/lines.h"

enum {
	VARIES = -1,
	UNKNOWN = -2,
	MAX_KINDS = 1 << 20,
};

/* The size of a form's value; VARIES: the size depends on the value. */
static int size_of_form(const struct sprof_skim *skim, uint64_t form)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return (int)skim->address_size;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_sec_offset:
	case DW_FORM_ref_addr: /* since version 3 */
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return (int)skim->offset_size;
	case DW_FORM_sdata:
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
	case DW_FORM_string:
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
	case DW_FORM_exprloc:
		return VARIES;
	default:
		return UNKNOWN;
	}
}

static void skip_varying(struct sprof_cursor *cursor, uint64_t form)
{
	switch (form) {
	case DW_FORM_string:
		sprof_cursor_string(cursor);
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		sprof_cursor_skip(cursor, sprof_cursor_uleb(cursor));
		break;
	case DW_FORM_block1:
		sprof_cursor_skip(cursor, sprof_cursor_number(cursor, 1));
		break;
	case DW_FORM_block2:
		sprof_cursor_skip(cursor, sprof_cursor_number(cursor, 2));
		break;
	case DW_FORM_block4:
		sprof_cursor_skip(cursor, sprof_cursor_number(cursor, 4));
		break;
	default: /* a LEB128 */
		sprof_cursor_uleb(cursor);
	}
}

static enum sprof_skim_outcome add_attribute(
	struct sprof_skim *skim, struct sprof_skim_kind *kind, uint64_t name, uint64_t form)
{
	int size = size_of_form(skim, form);

	if (size == UNKNOWN)
		return SPROF_SKIM_UNKNOWN;
	if (name == DW_AT_low_pc || name == DW_AT_ranges)
		kind->has_code = true;
	if (name == DW_AT_sibling && kind->size != VARIES && size != VARIES) {
		kind->sibling_at = kind->size;
		kind->sibling_form = (uint16_t)form;
	}
	kind->size = size == VARIES || kind->size == VARIES ? VARIES : kind->size + size;
	if (!sprof_array_reserve(
		    &skim->forms, &skim->form_capacity, skim->form_count + 1, sizeof(*skim->forms)))
		return SPROF_SKIM_NO_MEMORY;
	skim->forms[skim->form_count++] = (uint16_t)form;
	kind->form_count++;
	return SPROF_SKIM_OPENED;
}

static enum sprof_skim_outcome read_kind(struct sprof_skim *skim, struct sprof_cursor *table)
{
	struct sprof_skim_kind kind = {.sibling_at = VARIES, .first_form = skim->form_count};
	enum sprof_skim_outcome outcome = SPROF_SKIM_OPENED;
	uint64_t name, form;

	kind.tag = (uint16_t)sprof_cursor_uleb(table);
	kind.has_children = sprof_cursor_number(table, 1);
	for (;;) {
		name = sprof_cursor_uleb(table);
		form = sprof_cursor_uleb(table);
		if (!name && !form)
			break;
		if (form == DW_FORM_implicit_const)
			sprof_cursor_sleb(table);
		if (!table->failed)
			outcome = add_attribute(skim, &kind, name, form);
		if (table->failed || outcome != SPROF_SKIM_OPENED)
			return table->failed ? SPROF_SKIM_UNKNOWN : outcome;
	}
	if (!sprof_array_reserve(
		    &skim->kinds, &skim->kind_capacity, skim->kind_count + 1, sizeof(*skim->kinds)))
		return SPROF_SKIM_NO_MEMORY;
	skim->kinds[skim->kind_count++] = kind;
	return table->failed ? SPROF_SKIM_UNKNOWN : SPROF_SKIM_OPENED;
}

/* Compilers number abbreviations from 1 without gaps. */
static enum sprof_skim_outcome read_kinds(struct sprof_skim *skim, struct sprof_cursor table)
{
	enum sprof_skim_outcome outcome = SPROF_SKIM_OPENED;
	uint64_t code;

	while (outcome == SPROF_SKIM_OPENED && (code = sprof_cursor_uleb(&table))) {
		if (code != skim->kind_count + 1 || code > MAX_KINDS)
			return SPROF_SKIM_UNKNOWN;
		outcome = read_kind(skim, &table);
	}
	return table.failed ? SPROF_SKIM_UNKNOWN : outcome;
}

/* Other units are in separate sections or files: .debug_types, .dwo. */
static bool is_in_info(Dwarf_Die *unit)
{
	uint8_t type;

	return dwarf_cu_info(unit->cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) == 0 &&
		(type == DW_UT_compile || type == DW_UT_partial || type == DW_UT_skeleton);
}

enum sprof_skim_outcome sprof_skim_open(
	struct sprof_skim *skim, const struct sprof_image *debug, Dwarf_Die *unit)
{
	struct sprof_cursor table = sprof_section_data(debug, ".debug_abbrev"), end;
	uint8_t address_size = 0, offset_size = 0;
	Dwarf_Off abbreviations = 0, start;
	Dwarf_Half version = 0;
	Dwarf_Die root;
	uint64_t length;

	*skim = (struct sprof_skim){.info = sprof_section_data(debug, ".debug_info")};
	if (!skim->info.at || !table.at || !is_in_info(unit) ||
		!dwarf_cu_die(unit->cu, &root, &version, &abbreviations, &address_size,
			&offset_size, NULL, NULL))
		return SPROF_SKIM_UNKNOWN;
	start = dwarf_dieoffset(unit) - dwarf_cuoffset(unit);
	skim->section = skim->info.at;
	end = skim->info;
	sprof_cursor_skip(&end, start);
	skim->unit = end.at;
	length = sprof_cursor_number(&end, 4);
	if (length == UINT32_MAX)
		length = sprof_cursor_number(&end, 8);
	if (end.failed || length > sprof_cursor_room(&end))
		return SPROF_SKIM_UNKNOWN;
	skim->info.end = end.at + length;
	skim->address_size = address_size;
	skim->offset_size = offset_size;
	sprof_cursor_skip(&table, abbreviations);
	return version > 2 ? read_kinds(skim, table) : SPROF_SKIM_UNKNOWN;
}

void sprof_skim_close(struct sprof_skim *skim)
{
	free(skim->kinds);
	free(skim->forms);
	*skim = (struct sprof_skim){0};
}

static void skip_attributes(const struct sprof_skim *skim, const struct sprof_skim_kind *kind,
	struct sprof_cursor *cursor)
{
	if (kind->size != VARIES) {
		sprof_cursor_skip(cursor, (uint64_t)kind->size);
		return;
	}
	for (size_t i = 0; i < kind->form_count && !cursor->failed; i++) {
		uint16_t form = skim->forms[kind->first_form + i];
		int size = size_of_form(skim, form);

		if (size == VARIES)
			skip_varying(cursor, form);
		else
			sprof_cursor_skip(cursor, (uint64_t)size);
	}
}

/* Uses DW_AT_sibling if it leads forward. NULL: the sibling is unknown. */
static const uint8_t *sibling_of(const struct sprof_skim *skim, const struct sprof_skim_kind *kind,
	const uint8_t *attributes)
{
	struct sprof_cursor cursor = {.at = attributes, .end = skim->info.end};
	int size = kind->sibling_at == VARIES ? 0 : size_of_form(skim, kind->sibling_form);
	uint64_t offset;

	if (size <= 0 || size > 8 || kind->sibling_form == DW_FORM_ref_addr)
		return NULL;
	sprof_cursor_skip(&cursor, (uint64_t)kind->sibling_at);
	offset = sprof_cursor_number(&cursor, (size_t)size);
	if (cursor.failed || offset >= (uint64_t)(skim->info.end - skim->unit) ||
		skim->unit + offset <= attributes)
		return NULL;
	return skim->unit + offset;
}

enum sprof_skim_step sprof_skim_next(
	const struct sprof_skim *skim, const uint8_t **at, struct sprof_skim_die *ret)
{
	struct sprof_cursor cursor = {.at = *at, .end = skim->info.end};
	uint64_t code = sprof_cursor_uleb(&cursor);
	const uint8_t *attributes = cursor.at;

	if (!code && !cursor.failed) {
		*at = cursor.at;
		return SPROF_SKIM_END;
	}
	if (!code || code > skim->kind_count)
		return SPROF_SKIM_BROKEN;
	*ret = (struct sprof_skim_die){
		.offset = (uint64_t)(*at - skim->section),
		.kind = &skim->kinds[code - 1],
	};
	skip_attributes(skim, ret->kind, &cursor);
	if (cursor.failed)
		return SPROF_SKIM_BROKEN;
	if (ret->kind->has_children)
		ret->sibling = sibling_of(skim, ret->kind, attributes);
	*at = cursor.at;
	return SPROF_SKIM_DIE;
}

bool sprof_skim_pass(
	const struct sprof_skim *skim, const struct sprof_skim_die *die, const uint8_t **at)
{
	struct sprof_skim_die child;
	unsigned depth = die->kind->has_children;

	if (die->sibling && die->sibling >= *at) {
		*at = die->sibling;
		return true;
	}
	while (depth) {
		switch (sprof_skim_next(skim, at, &child)) {
		case SPROF_SKIM_DIE:
			if (child.sibling && child.sibling >= *at)
				*at = child.sibling;
			else
				depth += child.kind->has_children;
			break;
		case SPROF_SKIM_END:
			depth--;
			break;
		case SPROF_SKIM_BROKEN:
			return false;
		}
	}
	return true;
}

const uint8_t *sprof_skim_children(const struct sprof_skim *skim, Dwarf_Off offset)
{
	struct sprof_skim_die die;
	const uint8_t *at = skim->section;

	if (offset >= (Dwarf_Off)(skim->info.end - at))
		return NULL;
	at += offset;
	return sprof_skim_next(skim, &at, &die) == SPROF_SKIM_DIE && die.kind->has_children ? at
											    : NULL;
}
