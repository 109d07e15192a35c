/*
 * Maps an instruction to a line. Three encodings: pairs of differences (up to 3.9,
 * Objects/lnotab_notes.txt), pairs where some code has no line (3.10, PEP 626), and the location
 * table (since 3.11, Objects/locations.md), of which only lines are used.
 */
#include "interp/python/python.h"

enum {
	UNIT = 2, /* bytes of an instruction */
	NO_LINE = -128,
	MOST_SHIFT = 30, /* of a number: anything larger is not a line */
	/* kinds of entries in the location table */
	ONE_LINE_FIRST = 10,
	ONE_LINE_LAST = 12,
	NO_COLUMNS = 13,
	LONG = 14,
	NONE = 15,
};

static uint32_t line_of(int64_t line)
{
	return line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
}

static uint32_t find_by_pairs(
	const uint8_t *table, size_t size, uint32_t first, int64_t instruction)
{
	int64_t line = first, address = 0;

	for (size_t i = 0; i + 1 < size; i += 2) {
		address += table[i];
		if (address > instruction)
			break;
		line += (int8_t)table[i + 1];
	}
	return line_of(line);
}

static uint32_t find_by_ranges(
	const uint8_t *table, size_t size, uint32_t first, int64_t instruction)
{
	int64_t line = first, end = 0;

	for (size_t i = 0; i + 1 < size; i += 2) {
		const int8_t step = (int8_t)table[i + 1];

		end += table[i];
		if (step != NO_LINE)
			line += step;
		if (end > instruction)
			return step == NO_LINE ? 0 : line_of(line);
	}
	return 0;
}

/* Six bits in a byte, the lowest first; bit 6: there are more. */
static uint64_t read_varint(const uint8_t *table, size_t size, size_t *at)
{
	uint64_t value = 0;

	for (unsigned shift = 0; *at < size && shift <= MOST_SHIFT; shift += 6) {
		const uint8_t byte = table[(*at)++];

		value |= (uint64_t)(byte & 0x3f) << shift;
		if (!(byte & 0x40))
			break;
	}
	return value;
}

static int64_t read_signed(const uint8_t *table, size_t size, size_t *at)
{
	const uint64_t value = read_varint(table, size, at);

	return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

/* The difference of an entry's line to the one before. */
static int64_t step_of(unsigned kind, const uint8_t *table, size_t size, size_t *at)
{
	if (kind >= ONE_LINE_FIRST && kind <= ONE_LINE_LAST)
		return kind - ONE_LINE_FIRST;
	return kind == NO_COLUMNS || kind == LONG ? read_signed(table, size, at) : 0;
}

static uint32_t find_by_locations(
	const uint8_t *table, size_t size, uint32_t first, int64_t instruction)
{
	int64_t line = first, end = 0;

	for (size_t at = 0; at < size;) {
		const unsigned kind = table[at] >> 3 & 15;

		end += ((int64_t)(table[at++] & 7) + 1) * UNIT;
		line += step_of(kind, table, size, &at);
		if (end > instruction)
			return kind == NONE ? 0 : line_of(line);
		/* columns, and lines of the end: only the first byte of an entry has bit 7 */
		while (at < size && !(table[at] & 0x80))
			at++;
	}
	return 0;
}

uint32_t sprof_python_line(
	uint32_t version, const uint8_t *table, size_t size, uint32_t first, int64_t instruction)
{
	/* One instruction before the first. Anything further away is in other bytecode. */
	if (instruction < 0)
		return instruction >= -UNIT ? first : 0;
	if (version < 0x030a)
		return find_by_pairs(table, size, first, instruction);
	if (version < 0x030b)
		return find_by_ranges(table, size, first, instruction);
	return find_by_locations(table, size, first, instruction);
}
