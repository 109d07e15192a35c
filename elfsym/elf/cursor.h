/* Reads numbers and strings from untrusted bytes: never past the end; missing data reads as 0. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct sprof_cursor {
	const uint8_t *at, *end;
	bool failed; /* data was missing; all later reads fail, too */
};

static inline size_t sprof_cursor_room(const struct sprof_cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

static inline void sprof_cursor_fail(struct sprof_cursor *cursor)
{
	cursor->at = cursor->end;
	cursor->failed = true;
}

static inline void sprof_cursor_skip(struct sprof_cursor *cursor, uint64_t size)
{
	if (size > sprof_cursor_room(cursor))
		sprof_cursor_fail(cursor);
	else if (size)
		cursor->at += size;
}

/* An unsigned number of 1, 2, 4 or 8 bytes in native byte order. */
static inline uint64_t sprof_cursor_number(struct sprof_cursor *cursor, size_t size)
{
	uint64_t value = 0;

	if (size > sprof_cursor_room(cursor) || size > sizeof(value)) {
		sprof_cursor_fail(cursor);
		return 0;
	}
	memcpy(&value, cursor->at, size);
	cursor->at += size;
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
	value = size ? value >> (64 - 8 * size) : 0;
#endif
	return value;
}

/*
 * LEB128 (DWARF 5, section 7.6); bits above the 64th are dropped. ret_bits: the number of encoded
 * bits; 0 if truncated.
 */
static inline uint64_t sprof_cursor_leb(struct sprof_cursor *cursor, unsigned *ret_bits)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		if (cursor->at == cursor->end) {
			sprof_cursor_fail(cursor);
			*ret_bits = 0;
			return 0;
		}
		byte = *cursor->at++;
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	*ret_bits = shift;
	return value;
}

static inline uint64_t sprof_cursor_uleb(struct sprof_cursor *cursor)
{
	unsigned bits;

	return sprof_cursor_leb(cursor, &bits);
}

static inline int64_t sprof_cursor_sleb(struct sprof_cursor *cursor)
{
	unsigned bits;
	uint64_t value = sprof_cursor_leb(cursor, &bits);

	/* The highest bit of the bytes is the sign. */
	if (bits && bits < 64 && value >> (bits - 1))
		value |= UINT64_MAX << bits;
	return (int64_t)value;
}

/* A NUL-terminated string; "" if the NUL is missing. */
static inline const char *sprof_cursor_string(struct sprof_cursor *cursor)
{
	const uint8_t *start = cursor->at;
	const uint8_t *stop =
		start < cursor->end ? memchr(start, '\0', sprof_cursor_room(cursor)) : NULL;

	if (!stop) {
		sprof_cursor_fail(cursor);
		return "";
	}
	cursor->at = stop + 1;
	return (const char *)start;
}
