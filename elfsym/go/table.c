/*
 * Reads .gopclntab (layouts: Go's debug/gosym/pclntab.go and runtime/symtab.go; the runtime itself
 * depends on them). Checks every offset against the table's size, and treats anything outside as
 * absent. Does not handle tables with another word size or byte order. Does not handle a program
 * with code in several sections because it is too large for one (Go's linker does that on arm and
 * ppc64 only).
 */
#include "elfsym/go/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "elfsym/elf/cursor.h"

enum {
	WORD = 8,
	FLAG_TOP = 1, /* runtime/symtab.go, funcFlag_TOPFRAME and funcFlag_SPWRITE */
	FLAG_WRITES_SP = 2,
	NO_TREE = UINT32_MAX, /* FUNCDATA from Go 1.18 on */
	NO_FILE = UINT32_MAX,
};

/* From the offset to the end of the table; empty if the offset is past the end. */
static struct sprof_cursor part_at(const struct sprof_go_table *table, uint64_t offset)
{
	struct sprof_cursor cursor = {.at = table->bytes, .end = table->bytes + table->size};

	sprof_cursor_skip(&cursor, offset);
	return cursor;
}

uint64_t sprof_go_table_number(const struct sprof_go_table *table, uint64_t offset, size_t size)
{
	struct sprof_cursor cursor = part_at(table, offset);

	return sprof_cursor_number(&cursor, size);
}

void sprof_go_table_close(struct sprof_go_table *table)
{
	if (!table)
		return;
	free(table->own_bytes);
	free(table);
}

/* The entry of this function; for index == count, the end of the last function. */
static uint64_t entry_at(const struct sprof_go_table *table, size_t index)
{
	size_t size = table->format->entry_size;

	return table->text +
		sprof_go_table_number(table, table->functions + index * 2 * size, size);
}

const char *sprof_go_table_name(const struct sprof_go_table *table, uint32_t offset)
{
	struct sprof_cursor cursor = part_at(table, table->names + offset);
	const char *name = sprof_cursor_string(&cursor);

	return *name ? name : NULL;
}

/*
 * A record is its entry, then 4-byte words: name, arguments, deferreturn, three tables, the number
 * of PCDATA; from Go 1.16 on the unit, from 1.20 on the line. Then comes a word of single bytes;
 * the last byte is the number of FUNCDATA.
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

bool sprof_go_table_get(
	const struct sprof_go_table *table, size_t index, struct sprof_go_function *ret)
{
	size_t size = table->format->entry_size;
	uint64_t record;

	ret->entry = entry_at(table, index);
	ret->end = entry_at(table, index + 1);
	record = sprof_go_table_number(table, table->functions + index * 2 * size + size, size);
	if (table->format->has_parts)
		record += table->functions;
	return ret->entry < ret->end && read_record(table, record, ret);
}

struct entry_search {
	const struct sprof_go_table *table;
	uint64_t address;
};

static bool starts_by(const void *search, size_t index)
{
	const struct entry_search *wanted = search;

	return entry_at(wanted->table, index) <= wanted->address;
}

bool sprof_go_table_find(
	const struct sprof_go_table *table, uint64_t address, struct sprof_go_function *ret)
{
	const struct entry_search search = {table, address};
	const size_t behind = sprof_first_index(table->function_count, starts_by, &search);

	return behind && sprof_go_table_get(table, behind - 1, ret) && address < ret->end;
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
 * A table is pairs of numbers. The first number is added to the value; its lowest bit is the sign.
 * The second is the size of the code with the new value, in quanta. The value is -1 before the
 * first pair. A pair that adds 0 ends the table, except if it is the first pair.
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
	return (uint32_t)sprof_go_table_number(table, function->pcdata + number * 4, 4);
}

bool sprof_go_table_funcdata(const struct sprof_go_table *table,
	const struct sprof_go_function *function, uint32_t number, uint64_t *ret_address)
{
	uint64_t at = function->pcdata + function->pcdata_count * 4;

	if (number >= function->funcdata_count)
		return false;
	if (!table->format->has_text) {
		at = (at + WORD - 1) / WORD * WORD;
		*ret_address = sprof_go_table_number(table, at + number * WORD, WORD);
		return *ret_address;
	}
	*ret_address = sprof_go_table_number(table, at + number * 4, 4);
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
