/* Disassembly as text, by binutils' objdump. */
#ifndef SPROF_CMD_ANNOTATE_OBJDUMP_H
#define SPROF_CMD_ANNOTATE_OBJDUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"

/*
 * Takes an instruction; `text` is valid during the call. Return false to stop, only when out of
 * memory; run() then returns that error.
 */
typedef bool (*sprof_objdump_taker)(void *data, uint64_t address, const char *text);

/* What to disassemble: an open file, and link-time addresses. */
struct sprof_objdump_range {
	int fd;
	uint64_t begin, end;
};

/* Passes the instructions in order. NOT_FOUND: objdump is missing; UNSUPPORTED: it failed. */
SPROF_MUST_USE bool sprof_objdump_run(const struct sprof_objdump_range *range,
	sprof_objdump_taker take, void *data, struct sprof_error *err);

#endif
