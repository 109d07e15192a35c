/*
 * Reads code in address order and finds the few instructions that show where functions begin and
 * end. Does not detect data in code: bytes that can't be decoded are skipped one by one.
 */
#include "elfsym/code/scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/numbers.h"
#include "base/search.h"
#include "elfsym/code/frame-distance.h"

enum { CALL = 0xe8, LONGEST = 15 };

bool sprof_code_text_find(
	const struct sprof_image *image, size_t segment, struct sprof_code_text *ret)
{
	const struct sprof_segment *found = &image->segments[segment];

	*ret = (struct sprof_code_text){.address = found->address, .size = found->file_size};
	if (!found->executable || !ret->size)
		return false;
	ret->bytes = sprof_image_at(image, ret->address, ret->size);
	return ret->bytes;
}

size_t sprof_code_text_length(const struct sprof_code_text *text, size_t at)
{
	size_t room = text->size - at;
	size_t length =
		sprof_instruction_size_x86_64(text->bytes + at, room < LONGEST ? room : LONGEST);

	return length ? length : 1;
}

uint64_t sprof_code_text_call(const struct sprof_code_text *text, size_t at, size_t length)
{
	const uint8_t *code = text->bytes + at;
	int32_t distance;

	if ((length != 5 || code[0] != CALL) && (length != 6 || code[0] != 0xff || code[1] != 0x15))
		return 0;
	memcpy(&distance, code + length - sizeof(distance), sizeof(distance));
	return text->address + at + length + (uint64_t)(int64_t)distance;
}

bool sprof_code_text_is_padding(const uint8_t *code, size_t length)
{
	size_t at = 0;

	while (at + 1 < length && (code[at] == 0x66 || code[at] == 0x2e || code[at] == 0xf3))
		at++;
	return code[at] == 0x90 || code[at] == 0xcc ||
		(at + 2 < length && code[at] == 0x0f && code[at + 1] == 0x1f);
}

bool sprof_code_text_is_trap(const uint8_t *code, size_t length)
{
	return code[0] == 0xf4 || code[0] == 0xcc ||
		(length == 2 && code[0] == 0x0f && code[1] == 0x0b);
}

bool sprof_code_text_ends_way(const uint8_t *code, size_t length)
{
	size_t at = 0;

	while (at + 1 < length && (code[at] == 0x3e || code[at] == 0xf2 || code[at] == 0xf3))
		at++;
	return code[at] == 0xc3 || code[at] == 0xc2 || code[at] == 0xe9 || code[at] == 0xeb ||
		code[at] == CALL || code[at] == 0xf4 || code[at] == 0xcc ||
		(at + 1 < length && code[at] == 0xff && (code[at + 1] & 0x30) == 0x20) ||
		(at + 1 < length && code[at] == 0xff && (code[at + 1] & 0x38) == 0x10) ||
		(at + 1 < length && code[at] == 0x0f &&
			(code[at + 1] == 0x0b || code[at + 1] == 0x05));
}

bool sprof_code_set_add(struct sprof_code_set *set, uint64_t address, struct sprof_error *err)
{
	return SPROF_ARRAY_APPEND(set->items, set->count, set->capacity, address) ||
		sprof_error_no_memory(err);
}

void sprof_code_set_sort(struct sprof_code_set *set)
{
	size_t kept = 0;

	if (set->count)
		qsort(set->items, set->count, sizeof(*set->items), sprof_compare_uint64);
	for (size_t i = 0; i < set->count; i++) {
		if (!kept || set->items[kept - 1] != set->items[i])
			set->items[kept++] = set->items[i];
	}
	set->count = kept;
}

bool sprof_code_set_has(const struct sprof_code_set *set, uint64_t address)
{
	return set->count &&
		bsearch(&address, set->items, set->count, sizeof(*set->items),
			sprof_compare_uint64);
}

size_t sprof_code_set_behind(const struct sprof_code_set *set, uint64_t address)
{
	return sprof_upper_bound(set->items, set->count, sizeof(*set->items), 0, address);
}

void sprof_code_set_finish(struct sprof_code_set *set)
{
	free(set->items);
	*set = (struct sprof_code_set){0};
}
