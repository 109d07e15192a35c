/*
 * Writes values: numbers, enumerators, pointers (with the text at a pointer to characters),
 * references, and the first parts of arrays and structures. Everything read is hostile: types may
 * be nested endlessly, and memory may contain anything.
 */
#include "elfsym/locals/value-text.h"

#include <ctype.h>
#include <dwarf.h>
#include <inttypes.h>
#include <string.h>

#include "elfsym/dwarf/die-children.h"
#include "elfsym/locals/value-array.h"
#include "elfsym/locals/value-member.h"
#include "elfsym/locals/value-number.h"
#include "elfsym/locals/value-place.h"
#include "elfsym/locals/value-type.h"

enum {
	MAX_NESTING = 3,
	MAX_ITEMS = 8,
	MAX_TEXT = 64,
};

struct writing {
	FILE *out;
	const struct sprof_dwarf_frame *frame;
	unsigned nesting;
};

static void write_value(
	struct writing *writing, Dwarf_Die *type, const struct sprof_place_of_value *place);

static void write_gap(
	struct writing *writing, const struct sprof_place_of_value *place, size_t size)
{
	fputs(sprof_value_is_nowhere(place, size) ? "<optimized out>" : "?", writing->out);
}

static void write_character(struct writing *writing, unsigned char c)
{
	if (c == '"' || c == '\\')
		fprintf(writing->out, "\\%c", c);
	else if (c == '\n')
		fputs("\\n", writing->out);
	else if (isprint(c))
		fputc(c, writing->out);
	else
		fprintf(writing->out, "\\x%02x", c);
}

/* The length of the UTF-8 character at the start of the text; 0: it is not UTF-8. */
static size_t character_length(const unsigned char *text, size_t size)
{
	static const unsigned char least[] = {0, 0, 0xc2, 0xe0, 0xf0};
	size_t length = text[0] < 0x80 ? 1 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;

	if (length > size || text[0] < least[length] || text[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if (text[i] >> 6 != 2)
			return 0;
	}
	/* Terminals execute the control characters from U+0080 to U+009F. */
	return text[0] == 0xc2 && text[1] < 0xa0 ? 0 : length;
}

static void write_characters(struct writing *writing, const unsigned char *text, size_t size)
{
	size_t length;

	for (size_t i = 0; i < size; i += length ? length : 1) {
		length = character_length(text + i, size - i);
		if (length > 1)
			fwrite(text + i, 1, length, writing->out);
		else
			write_character(writing, text[i]);
	}
}

static void write_quoted(
	struct writing *writing, const unsigned char *text, size_t count, bool is_whole)
{
	fputc('"', writing->out);
	write_characters(writing, text, count);
	fputs(is_whole ? "\"" : "\"...", writing->out);
}

/* Ends at a NUL, or after that many characters without one. */
static void write_text(
	struct writing *writing, const struct sprof_place_of_value *place, uint64_t length)
{
	unsigned char text[MAX_TEXT];
	size_t count = 0;
	bool is_whole = length == 0;

	while (!is_whole && count < MAX_TEXT) {
		const struct sprof_place_of_value at = sprof_value_part(place, count);

		if (!sprof_value_read(writing->frame->machine, &at, &text[count], 1))
			break;
		is_whole = !text[count] || count + 1 == length;
		count += text[count] != '\0';
	}
	write_quoted(writing, text, count, is_whole);
}

/* An array of unsigned characters is often no text: only NULs at its end are left out. */
static void write_bytes(
	struct writing *writing, const struct sprof_place_of_value *place, uint64_t length)
{
	unsigned char bytes[MAX_TEXT];
	size_t count = 0, shown = 0;

	while (count < length && count < MAX_TEXT) {
		const struct sprof_place_of_value at = sprof_value_part(place, count);

		if (!sprof_value_read(writing->frame->machine, &at, &bytes[count], 1))
			break;
		if (bytes[count++])
			shown = count;
	}
	write_quoted(writing, bytes, shown, count == length);
}

static bool is_character(Dwarf_Die *type)
{
	const Dwarf_Word encoding = sprof_value_encoding(type);

	return dwarf_tag(type) == DW_TAG_base_type && dwarf_bytesize(type) == 1 &&
		(encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char ||
			encoding == DW_ATE_UTF);
}

/* Where `char` has no sign, only its name says so. */
static bool is_text(Dwarf_Die *type)
{
	const char *name = sprof_value_name(type);

	return sprof_value_encoding(type) != DW_ATE_unsigned_char ||
		(name && strcmp(name, "char") == 0);
}

static void write_pointer(
	struct writing *writing, Dwarf_Die *type, const struct sprof_place_of_value *place)
{
	struct sprof_place_of_value target = {.where = SPROF_WHERE_MEMORY};
	Dwarf_Die to;
	char first;

	if (!sprof_value_integer(
		    writing->frame->machine, place, sizeof(void *), false, &target.number)) {
		write_gap(writing, place, sizeof(void *));
		return;
	}
	fprintf(writing->out, "0x%" PRIx64, target.number);
	if (!sprof_value_type(type, &to) || !is_character(&to) ||
		!sprof_value_read(writing->frame->machine, &target, &first, 1))
		return;
	fputc(' ', writing->out);
	write_text(writing, &target, UINT64_MAX);
}

static bool constant_of(Dwarf_Die *die, uint64_t *ret)
{
	Dwarf_Attribute attribute;
	Dwarf_Sword is_signed;
	Dwarf_Word value;

	if (!dwarf_attr_integrate(die, DW_AT_const_value, &attribute))
		return false;
	if (!dwarf_formsdata(&attribute, &is_signed)) {
		*ret = (uint64_t)is_signed;
		return true;
	}
	if (dwarf_formudata(&attribute, &value))
		return false;
	*ret = value;
	return true;
}

/* Forms of constants don't always say how they are extended: only the enumeration's bytes count. */
static bool is_enumerator(Dwarf_Die *die, uint64_t value, size_t size)
{
	const uint64_t mask = size < sizeof(value) ? ((uint64_t)1 << 8 * size) - 1 : UINT64_MAX;
	uint64_t constant;

	return dwarf_tag(die) == DW_TAG_enumerator && constant_of(die, &constant) &&
		((constant ^ value) & mask) == 0;
}

/* As gdb has it: @0x7ffe8c: 5 */
static void write_reference(
	struct writing *writing, Dwarf_Die *type, const struct sprof_place_of_value *place)
{
	struct sprof_place_of_value target = {.where = SPROF_WHERE_MEMORY};
	Dwarf_Die to;

	if (!sprof_value_integer(
		    writing->frame->machine, place, sizeof(void *), false, &target.number)) {
		write_gap(writing, place, sizeof(void *));
		return;
	}
	fprintf(writing->out, "@0x%" PRIx64, target.number);
	/* C++ has no reference to a reference; a corrupt file may have one to itself. */
	if (!sprof_value_type(type, &to) || dwarf_tag(&to) == DW_TAG_reference_type ||
		dwarf_tag(&to) == DW_TAG_rvalue_reference_type)
		return;
	fputs(": ", writing->out);
	write_value(writing, &to, &target);
}

/*
 * A pointer to a member holds its offset in the structure; one to a function holds its address, and
 * an adjustment of `this`.
 */
static void write_member_pointer(
	struct writing *writing, Dwarf_Die *type, const struct sprof_place_of_value *place)
{
	uint64_t value;
	Dwarf_Die to;

	if (!sprof_value_integer(writing->frame->machine, place, sizeof(value), true, &value))
		write_gap(writing, place, sizeof(value));
	else if (sprof_value_type(type, &to) && dwarf_tag(&to) == DW_TAG_subroutine_type)
		fprintf(writing->out, "0x%" PRIx64, value);
	else
		fprintf(writing->out, "%" PRId64, (int64_t)value);
}

static const char *find_enumerator(Dwarf_Die *type, uint64_t value, size_t size)
{
	struct sprof_die_children children = {.parent = *type};

	while (sprof_die_children_next(&children)) {
		if (is_enumerator(&children.die, value, size))
			return sprof_value_name(&children.die);
	}
	return NULL;
}

static void write_enumeration(
	struct writing *writing, Dwarf_Die *type, const struct sprof_place_of_value *place)
{
	const int size = dwarf_bytesize(type);
	const char *name;
	uint64_t value;

	if (size <= 0 ||
		!sprof_value_integer(writing->frame->machine, place, (size_t)size, true, &value)) {
		write_gap(writing, place, size > 0 ? (size_t)size : 0);
		return;
	}
	name = find_enumerator(type, value, (size_t)size);
	if (name)
		fputs(name, writing->out);
	else
		fprintf(writing->out, "%" PRId64, (int64_t)value);
}

static void write_dimension(struct writing *writing, struct sprof_array *array, size_t dimension,
	const struct sprof_place_of_value *place)
{
	const uint64_t count = array->counts[dimension];

	if (writing->nesting == MAX_NESTING) {
		fputs("{...}", writing->out);
		return;
	}
	if (dimension + 1 == array->dimensions && is_character(&array->item)) {
		(is_text(&array->item) ? write_text : write_bytes)(writing, place, count);
		return;
	}
	writing->nesting++;
	fputc('{', writing->out);
	for (uint64_t i = 0; i < count && i < MAX_ITEMS; i++) {
		const struct sprof_place_of_value part =
			sprof_value_part(place, i * array->sizes[dimension]);

		fputs(i ? ", " : "", writing->out);
		if (dimension + 1 < array->dimensions)
			write_dimension(writing, array, dimension + 1, &part);
		else
			write_value(writing, &array->item, &part);
	}
	fputs(count > MAX_ITEMS ? ", ...}" : "}", writing->out);
	writing->nesting--;
}

static void write_array(
	struct writing *writing, Dwarf_Die *type, const struct sprof_place_of_value *place)
{
	struct sprof_array array;

	if (sprof_array_find(type, writing->frame, &array))
		write_dimension(writing, &array, 0, place);
	else
		fputs("{...}", writing->out);
}

static void write_member(
	struct writing *writing, Dwarf_Die *member, const struct sprof_place_of_value *place)
{
	const char *name = sprof_value_name(member);
	struct sprof_place_of_value part;
	Dwarf_Die type;

	if (name)
		fprintf(writing->out, "%s = ", name);
	if (!sprof_value_type(member, &type)) {
		fputc('?', writing->out);
		return;
	}
	part = sprof_member_place(member, &type, place, writing->frame);
	write_value(writing, &type, &part);
}

static void write_structure(
	struct writing *writing, Dwarf_Die *type, const struct sprof_place_of_value *place)
{
	struct sprof_die_children children = {.parent = *type};
	unsigned count = 0;

	if (sprof_value_is_declared(type)) {
		fputc('?', writing->out);
		return;
	}
	if (writing->nesting == MAX_NESTING) {
		fputs("{...}", writing->out);
		return;
	}
	writing->nesting++;
	fputc('{', writing->out);
	while (count <= MAX_ITEMS && sprof_die_children_next(&children)) {
		if (!sprof_member_is(&children.die))
			continue;
		fputs(count ? ", " : "", writing->out);
		if (count++ == MAX_ITEMS)
			fputs("...", writing->out);
		else
			write_member(writing, &children.die, place);
	}
	fputc('}', writing->out);
	writing->nesting--;
}

static void write_value(
	struct writing *writing, Dwarf_Die *type, const struct sprof_place_of_value *place)
{
	Dwarf_Die plain = *type;

	if (!sprof_value_peel(&plain)) {
		fputc('?', writing->out);
		return;
	}
	switch (dwarf_tag(&plain)) {
	case DW_TAG_base_type:
		sprof_value_write_number(writing->out, &plain, place, writing->frame->machine);
		return;
	case DW_TAG_pointer_type:
		write_pointer(writing, &plain, place);
		return;
	case DW_TAG_unspecified_type: /* decltype(nullptr) */
		fputs("0x0", writing->out);
		return;
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		write_reference(writing, &plain, place);
		return;
	case DW_TAG_ptr_to_member_type:
		write_member_pointer(writing, &plain, place);
		return;
	case DW_TAG_enumeration_type:
		write_enumeration(writing, &plain, place);
		return;
	case DW_TAG_array_type:
		write_array(writing, &plain, place);
		return;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		write_structure(writing, &plain, place);
		return;
	default:
		fputc('?', writing->out);
	}
}

void sprof_value_write(FILE *out, Dwarf_Die *type, const struct sprof_place_of_value *place,
	const struct sprof_dwarf_frame *frame)
{
	struct writing writing = {.out = out, .frame = frame};

	write_value(&writing, type, place);
}
