/*
 * Tables of functions as Go's linker makes them, in each of the four formats, with the same functions.
 */
#pragma once

#include "tests/unit/elfsym/go-image.h"

enum go_format { GO_1_2, GO_1_16, GO_1_18, GO_1_20, GO_FORMATS };

/* The functions of each table, in their order; each begins where the one before ends. */
enum go_function {
	GO_LEAF,     /* a frame of 16 bytes from the 4th byte on to the 60th */
	GO_INLINING, /* a frame of 40 bytes, and inlined main.outer, and in that main.inner */
	GO_EXIT,
	GO_SYSTEM_STACK,
	GO_MCALL,
	GO_C_CALL_WRAPPER, /* of the same name as the next */
	GO_C_CALL,
	GO_CALLBACK,
	GO_NANOTIME,
	GO_SIGTRAMP,
	GO_SIGRETURN,
	GO_PREEMPT,
	GO_FLAGGED_ROOT, /* only its flag tells that it is outermost */
	GO_NO_VALUES,    /* no tables at all */
	GO_FUNCTIONS,
};

/* Places in GO_INLINING, from its entry on. */
enum {
	GO_OUTER_CALL = 0x1c,
	GO_OUTER = 0x20,
	GO_INNER_CALL = 0x24,
	GO_INNER = 0x28,
	GO_OUTER_AGAIN = 0x2c,
	GO_OUTER_END = 0x30,
};

enum { GO_TABLE_ROOM = 4096, GO_ADDRESSES = 64 };

struct go_table_options {
	enum go_format format;
	bool has_no_flags; /* as before Go 1.17; Go 1.2's have none anyway */
	uint8_t quantum;   /* 0: 1 */
};

/* A table as it is in memory. */
struct go_tables {
	struct go_table_options options;
	uint8_t bytes[GO_TABLE_ROOM];
	size_t size;
	size_t addresses[GO_ADDRESSES]; /* offsets of the words that are addresses */
	size_t address_count;
	size_t names; /* offset of the part of names */
	uint32_t trees[10];
	size_t tree_size; /* bytes */
};

/* Link-time addresses. GO_FUNCTIONS is where the last one ends. */
uint64_t go_function_entry(enum go_function function);
const char *go_function_name(enum go_function function);

void go_tables_make(const struct go_table_options *options, struct go_tables *ret);

/* A file with the table, its code and its inline tree. */
struct go_image go_tables_image(
	const struct go_tables *tables, const struct go_image_options *options);
/* The same, opened; fails the test if that fails. */
struct sprof_image *go_tables_open(
	const struct go_tables *tables, const struct go_image_options *options);

/* A usual program of a format, and its table, which is there; fails the test otherwise. */
struct sprof_go_table *go_program_open(const struct go_table_options *options);
/* The table and its image. */
void go_program_close(struct sprof_go_table *table);
