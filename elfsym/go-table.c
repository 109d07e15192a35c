/*
 * Reads .gopclntab (Go's debug/gosym/pclntab.go and runtime/symtab.go tell the layouts; the runtime itself
 * depends on them). Knows the four headers: of Go 1.2, 1.16, 1.18 and 1.20. Every offset is checked against
 * the table's size, and what is not there is as if the table said nothing.
 *
 * Does not handle tables of machines with another word or byte order than this one, nor a program whose code
 * is in several sections because it is too large for one (Go's linker does that on arm and ppc64 only).
 */
#include "elfsym/go-table.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "elfsym/cursor.h"
#include "elfsym/go-bases.h"
#include "elfsym/relocated.h"

enum {
	WORD = 8,
	HEADER = 8,           /* magic, two zeros, quantum, size of a word */
	LARGEST_HEADER = HEADER + 8 * WORD,
	FLAG_TOP = 1,         /* runtime/symtab.go, funcFlag_TOPFRAME and funcFlag_SPWRITE */
	FLAG_WRITES_SP = 2,
	NO_TREE = UINT32_MAX, /* FUNCDATA from Go 1.18 on */
	NO_FILE = UINT32_MAX,
	MOST_TRIES = 16,      /* of an image that is full of what looks like a table's first bytes */
};

struct sprof_go_format {
	uint32_t magic;
	uint8_t entry_size;  /* of a pc in the table of functions, and in a function's record */
	bool has_parts;      /* the header has the offsets of the parts */
	bool has_text;       /* and the address that entries count from */
	bool has_start_line;
	uint8_t inline_size; /* of an entry of an inline tree */
};

static const struct sprof_go_format formats[] = {
	{.magic = 0xfffffffb, .entry_size = 8, .inline_size = 20},
	{.magic = 0xfffffffa, .entry_size = 8, .has_parts = true, .inline_size = 20},
	{.magic = 0xfffffff0, .entry_size = 4, .has_parts = true, .has_text = true, .inline_size = 20},
	{.magic = 0xfffffff1,
		.entry_size = 4,
		.has_parts = true,
		.has_text = true,
		.has_start_line = true,
		.inline_size = 16},
};

enum { FORMAT_COUNT = sizeof(formats) / sizeof(formats[0]) };

/* From the offset to the end of the table; empty when that lies behind it. */
static struct sprof_cursor part_at(const struct sprof_go_table *table, uint64_t offset)
{
	struct sprof_cursor cursor = {.at = table->bytes, .end = table->bytes + table->size};

	sprof_cursor_skip(&cursor, offset);
	return cursor;
}

static uint64_t number_at(const struct sprof_go_table *table, uint64_t offset, size_t size)
{
	struct sprof_cursor cursor = part_at(table, offset);

	return sprof_cursor_number(&cursor, size);
}

static const struct sprof_go_format *format_of(const uint8_t *bytes, size_t size)
{
	uint32_t magic;

	if (size < LARGEST_HEADER || bytes[4] || bytes[5] || bytes[7] != WORD ||
		(bytes[6] != 1 && bytes[6] != 2 && bytes[6] != 4))
		return NULL;
	memcpy(&magic, bytes, sizeof(magic));
	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		if (formats[i].magic == magic)
			return &formats[i];
	}
	return NULL;
}

/* The header of Go 1.2: the number of functions, the functions, and behind them where the files are. */
static bool read_old_header(struct sprof_go_table *table)
{
	uint64_t count = number_at(table, HEADER, WORD);

	if (count > table->size / (2 * WORD))
		return false;
	table->function_count = count;
	table->functions = HEADER + WORD;
	table->units = number_at(table, table->functions + count * 2 * WORD + WORD, 4);
	return true;
}

static bool read_header(struct sprof_go_table *table)
{
	uint64_t at = HEADER;
	uint64_t *const parts[] = {
		&table->names, &table->units, NULL, &table->values, &table->functions};
	uint64_t files = 0;

	if (!table->format->has_parts)
		return read_old_header(table);
	table->function_count = number_at(table, at, WORD);
	at += 2 * WORD;
	if (table->format->has_text) {
		table->text = number_at(table, at, WORD);
		at += WORD;
	}
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++, at += WORD)
		*(parts[i] ? parts[i] : &files) = number_at(table, at, WORD);
	table->files = files;
	return table->names <= table->size && table->functions <= table->size &&
		table->function_count <= (table->size - table->functions) / 8;
}

/* Old tables are full of addresses, which a position-independent file may have as relocations only. */
static bool relocate(struct sprof_go_table *table)
{
	if (table->format->entry_size == 4 || table->image->executable_file)
		return true;
	table->own_bytes = malloc(table->size);
	if (!table->own_bytes || !sprof_relocated_read(table->image, table->address,
					 table->own_bytes, table->size))
		return false;
	table->bytes = table->own_bytes;
	return true;
}

/* Whether there are functions, in order, which random bytes have not; costs little. */
static bool has_functions(const struct sprof_go_table *table)
{
	struct sprof_go_function first, last;

	return table->function_count && sprof_go_table_get(table, 0, &first) &&
		sprof_go_table_get(table, table->function_count - 1, &last) &&
		first.entry <= last.entry;
}

/* Whether the first and the last one are code. */
static bool is_plausible(const struct sprof_go_table *table)
{
	struct sprof_go_function first, last;

	return sprof_go_table_get(table, 0, &first) &&
		sprof_go_table_get(table, table->function_count - 1, &last) &&
		sprof_image_executable(table->image, first.entry) &&
		sprof_image_executable(table->image, last.entry);
}

/* Go 1.16 and 1.17 have the same header; a function that sets sp is in each program. */
static void find_flags(struct sprof_go_table *table)
{
	struct sprof_go_function function;

	table->has_flags = table->format->has_parts;
	if (!table->format->has_text && table->has_flags)
		table->has_flags =
			sprof_go_table_find_switch(table, "runtime.mcall", &function);
}

static struct sprof_go_table *create(
	const struct sprof_image *image, uint64_t address, const uint8_t *bytes, size_t size)
{
	const struct sprof_go_format *format = format_of(bytes, size);
	struct sprof_go_table *table = format ? calloc(1, sizeof(*table)) : NULL;

	if (!table)
		return NULL;
	*table = (struct sprof_go_table){
		.image = image,
		.format = format,
		.address = address,
		.bytes = bytes,
		.size = size,
		.quantum = bytes[6],
	};
	if (relocate(table) && read_header(table) && has_functions(table)) {
		if (format->has_text)
			sprof_go_bases_find(table);
		find_flags(table);
		if (is_plausible(table))
			return table;
	}
	sprof_go_table_close(table);
	return NULL;
}

static struct sprof_go_table *open_by_name(const struct sprof_image *image)
{
	static const char *const names[] = {".gopclntab", ".data.rel.ro.gopclntab"};
	struct sprof_go_table *table = NULL;
	struct sprof_section section;

	for (size_t i = 0; !table && i < sizeof(names) / sizeof(names[0]); i++) {
		if (sprof_image_section(image, names[i], &section) && section.address)
			table = create(image, section.address, section.bytes, section.size);
	}
	return table;
}

/* The table's first bytes but for the first one, for one quantum; it begins at a multiple of a word. */
static struct sprof_go_table *search_segment(const struct sprof_image *image,
	const struct sprof_segment *segment, uint8_t quantum, int *tries)
{
	const uint8_t pattern[] = {0xff, 0xff, 0xff, 0, 0, quantum, WORD};
	size_t room = sprof_image_room(image, segment->address);
	const uint8_t *bytes = room ? sprof_image_at(image, segment->address, room) : NULL;
	const uint8_t *at = bytes, *end = bytes ? bytes + room : NULL;
	struct sprof_go_table *table = NULL;

	for (; !table && *tries && at &&
		(at = memmem(at, (size_t)(end - at), pattern, sizeof(pattern))); at++) {
		uint64_t address = segment->address + (uint64_t)(at - bytes) - 1;

		if (at == bytes || address % WORD)
			continue;
		--*tries;
		table = create(image, address, at - 1, (size_t)(end - at) + 1);
	}
	return table;
}

/* Go's linker leaves a note with the program's id; type 4, owner "Go" (cmd/link/internal/ld/elf.go). */
static bool has_note(const struct sprof_image *image)
{
	static const uint8_t note[] = {4, 0, 0, 0, 'G', 'o', 0, 0};
	GElf_Phdr header;
	const uint8_t *bytes;

	for (int i = 0; gelf_getphdr(image->elf, i, &header); i++) {
		bytes = header.p_type == PT_NOTE
				? sprof_image_at(image, header.p_vaddr, header.p_filesz)
				: NULL;
		if (bytes && memmem(bytes, header.p_filesz, note, sizeof(note)))
			return true;
	}
	return false;
}

static bool has_sections(const struct sprof_image *image)
{
	size_t count;

	return elf_getshdrnum(image->elf, &count) == 0 && count;
}

struct sprof_go_table *sprof_go_table_open(const struct sprof_image *image)
{
	static const uint8_t quanta[] = {1, 4};
	struct sprof_go_table *table = open_by_name(image);
	bool may_have = table || has_note(image) || !has_sections(image);
	int tries = MOST_TRIES;

	for (size_t i = 0; !table && may_have && i < image->segment_count; i++) {
		for (size_t j = 0; !table && j < sizeof(quanta); j++)
			table = search_segment(image, &image->segments[i], quanta[j], &tries);
	}
	return table;
}

void sprof_go_table_close(struct sprof_go_table *table)
{
	if (!table)
		return;
	free(table->own_bytes);
	free(table);
}

/* The entry of the function of that number, or the end of the last one. */
static uint64_t entry_at(const struct sprof_go_table *table, size_t index)
{
	size_t size = table->format->entry_size;

	return table->text + number_at(table, table->functions + index * 2 * size, size);
}

const char *sprof_go_table_name(const struct sprof_go_table *table, uint32_t offset)
{
	struct sprof_cursor cursor = part_at(table, table->names + offset);
	const char *name = sprof_cursor_string(&cursor);

	return *name ? name : NULL;
}

/*
 * A record is its entry, then words of 4 bytes: name, arguments, deferreturn, three tables, the number of PCDATA;
 * from Go 1.16 on the unit, from 1.20 on the line; then a word of bytes that ends with the number of FUNCDATA.
 */
static bool read_record(
	const struct sprof_go_table *table, uint64_t offset, struct sprof_go_function *ret)
{
	const struct sprof_go_format *format = table->format;
	struct sprof_cursor cursor = part_at(table, offset);
	uint32_t name, bytes;

	sprof_cursor_skip(&cursor, format->entry_size);
	name = (uint32_t)sprof_cursor_number(&cursor, 4);
	sprof_cursor_skip(&cursor, 2 * 4);
	ret->sp_values = (uint32_t)sprof_cursor_number(&cursor, 4);
	ret->file_values = (uint32_t)sprof_cursor_number(&cursor, 4);
	ret->line_values = (uint32_t)sprof_cursor_number(&cursor, 4);
	ret->pcdata_count = (uint32_t)sprof_cursor_number(&cursor, 4);
	ret->unit = format->has_parts ? (uint32_t)sprof_cursor_number(&cursor, 4) : 0;
	ret->start_line = format->has_start_line ? (uint32_t)sprof_cursor_number(&cursor, 4) : 0;
	bytes = (uint32_t)sprof_cursor_number(&cursor, 4);
	ret->is_top = table->has_flags && bytes >> 8 & FLAG_TOP;
	ret->writes_sp = table->has_flags && bytes >> 8 & FLAG_WRITES_SP;
	ret->funcdata_count = bytes >> 24;
	ret->pcdata = (uint64_t)(cursor.at - table->bytes);
	ret->name = sprof_go_table_name(table, name);
	return !cursor.failed && ret->name && ret->pcdata_count <= sprof_cursor_room(&cursor) / 4;
}

bool sprof_go_table_get(const struct sprof_go_table *table, size_t index, struct sprof_go_function *ret)
{
	size_t size = table->format->entry_size;
	uint64_t record;

	ret->entry = entry_at(table, index);
	ret->end = entry_at(table, index + 1);
	record = number_at(table, table->functions + index * 2 * size + size, size);
	if (table->format->has_parts)
		record += table->functions;
	return ret->entry < ret->end && read_record(table, record, ret);
}

bool sprof_go_table_find(
	const struct sprof_go_table *table, uint64_t address, struct sprof_go_function *ret)
{
	size_t low = 0, high = table->function_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (entry_at(table, middle) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && sprof_go_table_get(table, low - 1, ret) && address < ret->end;
}

bool sprof_go_table_find_switch(
	const struct sprof_go_table *table, const char *name, struct sprof_go_function *ret)
{
	for (size_t i = 0; i < table->function_count; i++) {
		if (sprof_go_table_get(table, i, ret) && strcmp(ret->name, name) == 0 &&
			(ret->writes_sp || !table->has_flags))
			return true;
	}
	return false;
}

/*
 * A table is pairs of numbers. The first number is added to the value; its lowest bit is the sign. The second is the
 * size of the code that has the new value, in quanta. The value is -1 before the first pair. A pair that adds 0 ends
 * the table, except if it is the first pair.
 */
bool sprof_go_table_value(const struct sprof_go_table *table,
	const struct sprof_go_function *function, uint32_t offset, uint64_t address,
	struct sprof_go_value *ret)
{
	struct sprof_cursor cursor = part_at(table, table->values + offset);
	uint64_t pc = function->entry;
	uint32_t value = UINT32_MAX;
	bool is_first = true;

	if (!offset)
		return false;
	while (!cursor.failed && pc <= address) {
		uint32_t move = (uint32_t)sprof_cursor_uleb(&cursor);

		if (!move && !is_first)
			return false;
		is_first = false;
		value += move & 1 ? ~(move >> 1) : move >> 1;
		pc += sprof_cursor_uleb(&cursor) * table->quantum;
		if (pc > function->end)
			return false;
	}
	*ret = (struct sprof_go_value){.value = (int32_t)value, .end = pc};
	return !cursor.failed;
}

uint32_t sprof_go_table_pcdata(const struct sprof_go_table *table,
	const struct sprof_go_function *function, uint32_t number)
{
	if (number >= function->pcdata_count)
		return 0;
	return (uint32_t)number_at(table, function->pcdata + number * 4, 4);
}

bool sprof_go_table_funcdata(const struct sprof_go_table *table,
	const struct sprof_go_function *function, uint32_t number, uint64_t *ret_address)
{
	uint64_t at = function->pcdata + function->pcdata_count * 4;

	if (number >= function->funcdata_count)
		return false;
	if (!table->format->has_text) {
		at = (at + WORD - 1) / WORD * WORD;
		*ret_address = number_at(table, at + number * WORD, WORD);
		return *ret_address;
	}
	*ret_address = number_at(table, at + number * 4, 4);
	if (*ret_address == NO_TREE || !table->inline_trees)
		return false;
	*ret_address += table->inline_trees;
	return true;
}

const char *sprof_go_table_file(const struct sprof_go_table *table,
	const struct sprof_go_function *function, uint32_t number)
{
	struct sprof_cursor cursor =
		part_at(table, table->units + ((uint64_t)function->unit + number) * 4);
	uint64_t offset = sprof_cursor_number(&cursor, 4);
	const char *name;

	if (cursor.failed || offset == NO_FILE)
		return NULL;
	cursor = part_at(table, table->files + offset);
	name = sprof_cursor_string(&cursor);
	return *name ? name : NULL;
}

size_t sprof_go_table_inline_size(const struct sprof_go_table *table)
{
	return table->format->inline_size;
}
