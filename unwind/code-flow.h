/*
 * The rows of one function, computed from its instructions by following every way from its entry.
 */
#ifndef SPROF_UNWIND_CODE_FLOW_H
#define SPROF_UNWIND_CODE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "elfsym/cfi.h"
#include "unwind/code-returns.h"
#include "elfsym/image.h"

enum { SPROF_CODE_LONGEST = 256 * 1024 }; /* bytes of one function */

struct sprof_code_state;

/* A function's bytes, up to the start of the next one. */
struct sprof_code {
	const uint8_t *bytes;
	uint32_t size;                          /* at most SPROF_CODE_LONGEST */
	uint64_t address;                       /* link-time, of the first byte */
	const struct sprof_image *image;        /* for reading jump tables; NULL: none can be
						   read */
	struct sprof_code_returns *returns;     /* NULL: every call may return */
	const struct sprof_code_starts *starts; /* NULL: the ends of tables are unknown */
	/* of a part that lies apart from its function; NULL: it is a function */
	const struct sprof_code_state *entry;
	bool is_loose; /* nothing is known of the first instruction */
	bool is_whole; /* no other function may lie after the code that the entry leads to */
};

/* A row applies from this offset to the next row's. Its `end` is not set. */
struct sprof_code_row {
	uint32_t offset;
	struct sprof_cfi_row row; /* SPROF_CFA_NONE: not reached, or can't be followed */
};

/* Sorted by offset. Zeroed is empty and valid. */
struct sprof_code_rows {
	struct sprof_code_row *items;
	size_t count, capacity;
};

void sprof_code_rows_finish(struct sprof_code_rows *rows);

struct sprof_code_flow; /* memory that is reused for each function */

/* NULL: no memory. */
struct sprof_code_flow *sprof_code_flow_create(void) SPROF_MUST_USE;
/* NULL is accepted. */
void sprof_code_flow_destroy(struct sprof_code_flow *flow);

/*
 * Replaces *ret by the function's rows; empty without a decoder. False: no memory; the rows are
 * then incomplete.
 */
bool sprof_code_flow_run(struct sprof_code_flow *flow, const struct sprof_code *code,
	struct sprof_code_rows *ret) SPROF_MUST_USE;

/*
 * The row for one instruction of code whose start is unknown. Uses all ways from there to returns,
 * which must agree. Its cfa is SPROF_CFA_NONE if they don't, or if there is no way.
 */
struct sprof_cfi_row sprof_code_flow_look_ahead(
	struct sprof_code_flow *flow, const struct sprof_code *code, uint32_t offset);

/* The state at an instruction of the function that was run last. False: no way led there, or sp is
 * unknown. */
bool sprof_code_flow_state(
	struct sprof_code_flow *flow, uint32_t offset, struct sprof_code_state *ret);

#endif
