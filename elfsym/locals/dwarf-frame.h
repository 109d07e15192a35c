/* A frame as described by the DWARF of its function, and where a value is. */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "elfsym/dwarf/dwarf.h"
#include "elfsym/locals/frame-machine.h"
#include "elfsym/names/names.h"
#include "elfsym/names/symbols.h"

enum sprof_where {
	SPROF_WHERE_NOWHERE, /* not available */
	SPROF_WHERE_UNKNOWN, /* depends on an unknown value, or an unsupported operation */
	SPROF_WHERE_MEMORY,  /* at the address `number` */
	SPROF_WHERE_VALUE,   /* it is `number` */
	SPROF_WHERE_BYTES,   /* it is `bytes` */
};

/* The bits of a byte that can't be shown. */
struct sprof_gap {
	uint8_t nowhere, unknown;
};

struct sprof_place_of_value {
	enum sprof_where where;
	uint64_t number;
	const uint8_t *bytes;
	const struct sprof_gap *gaps; /* one for each of `bytes`; NULL: no gaps */
	size_t size;                  /* of `bytes`, or of the significant part of a `number` */
};

/* A frame of machine code, and the registers in it. */
struct sprof_frame_position {
	uint32_t module;
	uint64_t offset; /* of the instruction; see sprof_symbols_resolve() */
	bool is_return;  /* the machine's pc is a return address, one byte after the offset */
	struct sprof_frame_machine machine;
};

struct sprof_dwarf_frame {
	const struct sprof_frame_machine *machine;
	struct sprof_dwarf_function function;
	Dwarf_Attribute base; /* DW_AT_frame_base of the function */
	bool has_base;
	uint64_t address; /* of the instruction, at link time */
	uint64_t bias;    /* from addresses at link time to those at run time */
	bool has_bias;
	struct sprof_symbols *symbols;
	const struct sprof_frame_position *callers; /* nearest first */
	size_t caller_count;
	unsigned *entry_values; /* how many entry values may still be looked for */
	/* Finds the value that a register had when the function was called. NULL: unknown. */
	bool (*find_entry_value)(
		const struct sprof_dwarf_frame *frame, uint64_t number, uint64_t *ret);
};

/*
 * Finds the function at a position, which must outlive the frame. function.scopes is NULL if there
 * is none. Does not set the callers. Returns false if out of memory.
 */
bool sprof_dwarf_frame_find(struct sprof_symbols *symbols,
	const struct sprof_frame_position *position, struct sprof_dwarf_frame *ret,
	struct sprof_error *err) SPROF_MUST_USE;

/*
 * The names of a module with DWARF of C or similar languages. *ret is NULL if it has none. Returns
 * false if out of memory.
 */
bool sprof_dwarf_frame_names(struct sprof_symbols *symbols, uint32_t module,
	struct sprof_names **ret, struct sprof_error *err) SPROF_MUST_USE;
