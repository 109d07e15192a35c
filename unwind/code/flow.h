/*
 * Computes the CFI rows of one function from its instructions, by following every path from its
 * entry.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "elfsym/cfi/cfi.h"
#include "elfsym/elf/image.h"
#include "unwind/code/returns.h"

enum { SPROF_CODE_LONGEST = 256 * 1024 }; /* maximum bytes of a function */

struct sprof_code_state;

/* A function's bytes, up to the start of the next function. */
struct sprof_code {
	const uint8_t *bytes;
	uint32_t size;                          /* at most SPROF_CODE_LONGEST */
	uint64_t address;                       /* link-time address of the first byte */
	const struct sprof_image *image;        /* for reading jump tables; NULL: don't */
	struct sprof_code_returns *returns;     /* NULL: every call may return */
	const struct sprof_code_starts *starts; /* NULL: ends of tables are unknown */
	/* state at entry of a part separate from its function; NULL: a function */
	const struct sprof_code_state *entry;
	bool is_loose; /* nothing is known at the first instruction */
	bool is_whole; /* the code reached from the entry is all of one function */
};

/* A row applies from this offset to the next row's. Its `end` is not set. */
struct sprof_code_row {
	uint32_t offset;
	struct sprof_cfi_row row; /* SPROF_CFA_NONE: not reached, or can't be computed */
};

/* Sorted by offset. Zeroed is empty and valid. */
struct sprof_code_rows {
	struct sprof_code_row *items;
	size_t count, capacity;
};

void sprof_code_rows_finish(struct sprof_code_rows *rows);

struct sprof_code_flow; /* buffers reused for each function */

/* Returns NULL if out of memory. */
struct sprof_code_flow *sprof_code_flow_create(void) SPROF_MUST_USE;
/* NULL is accepted. */
void sprof_code_flow_destroy(struct sprof_code_flow *flow);

/*
 * Replaces *ret by the function's rows; empty without a decoder. Returns false, with incomplete
 * rows, if out of memory.
 */
bool sprof_code_flow_run(struct sprof_code_flow *flow, const struct sprof_code *code,
	struct sprof_code_rows *ret) SPROF_MUST_USE;

/*
 * The row for one instruction of code with an unknown start. Uses all paths from there to returns,
 * which must agree. Its cfa is SPROF_CFA_NONE if they don't, or if there is no path.
 */
struct sprof_cfi_row sprof_code_flow_look_ahead(
	struct sprof_code_flow *flow, const struct sprof_code *code, uint32_t offset);

/* The state at an instruction of the last function. Returns false if no path leads there, or sp is
 * unknown. */
bool sprof_code_flow_state(
	struct sprof_code_flow *flow, uint32_t offset, struct sprof_code_state *ret);
