/* The targets of an indirect jump: compilers' jump tables for switch statements. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "unwind/code/flow.h"
#include "unwind/code/state.h"

struct sprof_code_table {
	uint64_t address; /* link-time address of the first entry */
	/* 0: up to the next table, or the first entry outside the function */
	uint32_t count;
	uint8_t size; /* bytes per entry: 4, relative to the table, or 8, absolute */
};

/* The table used by a jump in this state. Returns false if it is not a known kind. */
bool sprof_code_table_find(const struct sprof_code_state *state,
	const struct sprof_instruction *jump, struct sprof_code_table *ret);

/* Whether the table may have this entry, which may lead outside the function. */
bool sprof_code_table_has(
	const struct sprof_code_table *table, const struct sprof_code *code, uint32_t index);

/*
 * The offset in the function that an entry leads to. Returns false if there is no such entry, or it
 * leads outside.
 */
bool sprof_code_table_at(const struct sprof_code_table *table, const struct sprof_code *code,
	uint32_t index, uint32_t *ret_offset);
