/*
 * The targets of an indirect jump: tables of code addresses that compilers make from a switch.
 */
#ifndef SPROF_UNWIND_CODE_TABLE_H
#define SPROF_UNWIND_CODE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/code-flow.h"
#include "unwind/code-state.h"

struct sprof_code_table {
	uint64_t address; /* link-time, of the first entry */
	/* 0: until the next table, or the first entry that leads out of the function */
	uint32_t count;
	uint8_t size; /* of an entry in bytes: 4, relative to the table, or 8, absolute */
};

/* The table that a jump in this state uses. False: no known table. */
bool sprof_code_table_find(const struct sprof_code_state *state,
	const struct sprof_instruction *jump, struct sprof_code_table *ret);

/* Whether the table may have this entry. The entry may lead out of the function. */
bool sprof_code_table_has(
	const struct sprof_code_table *table, const struct sprof_code *code, uint32_t index);

/* The offset in the function that an entry leads to. False: no such entry, or it leads out. */
bool sprof_code_table_at(const struct sprof_code_table *table, const struct sprof_code *code,
	uint32_t index, uint32_t *ret_offset);

#endif
