/*
 * Jump tables: entries of four bytes relative to the table, or addresses of eight. Does not handle
 * entries of one or two bytes, nor entries relative to another address.
 */
#include "unwind/code/table.h"

#include <string.h>

enum { SHORT = 4, WORD = 8, MOST_ENTRIES = 4096 };

bool sprof_code_table_find(const struct sprof_code_state *state,
	const struct sprof_instruction *jump, struct sprof_code_table *ret)
{
	const struct sprof_code_value *value;

	*ret = (struct sprof_code_table){.size = WORD, .count = state->bound};
	if (jump->effect == SPROF_EFFECT_JUMP_MEMORY) {
		ret->address = (uint64_t)jump->value;
		return jump->from == SPROF_CODE_NO_REGISTER &&
			jump->index != SPROF_CODE_NO_REGISTER && jump->scale == WORD;
	}
	if (jump->effect != SPROF_EFFECT_JUMP_REGISTER || jump->from >= SPROF_CODE_REGISTERS)
		return false;
	value = &state->registers[jump->from];
	ret->address = (uint64_t)value->number;
	ret->size = (uint8_t)value->size;
	return (value->kind == SPROF_CODE_TARGET && value->size == SHORT) ||
		(value->kind == SPROF_CODE_ENTRY && value->size == WORD);
}

bool sprof_code_table_has(
	const struct sprof_code_table *table, const struct sprof_code *code, uint32_t index)
{
	if (!code->image || index >= MOST_ENTRIES || (table->count && index >= table->count))
		return false;
	return !index || !code->starts ||
		((uint64_t)index + 1) * table->size <=
		sprof_code_starts_room(code->starts, table->address);
}

bool sprof_code_table_at(const struct sprof_code_table *table, const struct sprof_code *code,
	uint32_t index, uint32_t *ret_offset)
{
	uint64_t at = table->address + (uint64_t)index * table->size, target = 0;
	const uint8_t *bytes;
	int32_t relative;

	if (!sprof_code_table_has(table, code, index))
		return false;
	bytes = sprof_image_at(code->image, at, table->size);
	if (!bytes)
		return false;
	if (table->size == SHORT) {
		memcpy(&relative, bytes, sizeof(relative));
		target = table->address + (uint64_t)(int64_t)relative;
	} else {
		memcpy(&target, bytes, sizeof(target));
	}
	if (target < code->address || target - code->address >= code->size)
		return false;
	*ret_offset = (uint32_t)(target - code->address);
	return true;
}
