/*
 * The table of functions that every Go program carries for its own runtime (.gopclntab): for each
 * pc the function, its file and line, and how far sp has moved since the function's entry. Stripped
 * programs have it too.
 */
#ifndef SPROF_ELFSYM_GO_TABLE_H
#define SPROF_ELFSYM_GO_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "elfsym/image.h"

/* What differs between the four formats. */
struct sprof_go_format {
	uint32_t magic;
	uint8_t entry_size; /* a pc's size in the table of functions and in a function's record */
	bool has_parts;     /* the header has the offsets of the parts */
	bool has_text;      /* and the base address of entries */
	bool has_start_line;
	uint8_t inline_size; /* size of an inline tree's entry */
};

/* A table; the image outlives it. */
struct sprof_go_table {
	const struct sprof_image *image;
	const struct sprof_go_format *format;
	uint64_t address; /* link-time, of its first byte */
	const uint8_t *bytes;
	size_t size;        /* to the end of its section, or of its segment */
	uint8_t *own_bytes; /* NULL: the image owns the bytes */
	/* size of the smallest instruction, in bytes: the unit of code sizes */
	unsigned quantum;
	uint64_t text; /* link-time base address of entries; 0 in old formats */
	size_t function_count;
	/* Where the parts begin. */
	uint64_t names, units, files, values, functions;
	uint64_t inline_trees; /* link-time base address of trees; 0: unknown */
	bool has_flags;        /* functions have flags: from Go 1.17 on */
};

/* One function's entry in the table. Offsets are into parts of the table; 0 means absent. */
struct sprof_go_function {
	uint64_t entry, end; /* link-time; the end is the start of the next function */
	const char *name;
	uint32_t sp_values, file_values, line_values;
	uint32_t unit;
	uint32_t start_line; /* 0: the format doesn't say */
	uint32_t pcdata_count, funcdata_count;
	uint64_t pcdata; /* offset of its first word in the table */
	bool is_top;     /* the outermost function of a stack */
	bool writes_sp;  /* sets sp to something else; false if the table has no flags */
};

/* A value from a function's table, and the first address where it no longer holds. */
struct sprof_go_value {
	int32_t value;
	uint64_t end;
};

/*
 * Finds the table by its section's name; in an image with Go's note or without any sections, also
 * by its first bytes in all loaded data. NULL: none, or no memory; callers then go on as without a
 * table.
 */
struct sprof_go_table *sprof_go_table_open(const struct sprof_image *image) SPROF_MUST_USE;
/* NULL is accepted. */
void sprof_go_table_close(struct sprof_go_table *table);

/* The function that covers a link-time address. False: none, or the table is broken there. */
bool sprof_go_table_find(
	const struct sprof_go_table *table, uint64_t address, struct sprof_go_function *ret);
/* The function with this number, which must be below function_count. */
bool sprof_go_table_get(
	const struct sprof_go_table *table, size_t index, struct sprof_go_function *ret);
/* The function with this name that sets sp. False: none. Searches all functions. */
bool sprof_go_table_find_switch(
	const struct sprof_go_table *table, const char *name, struct sprof_go_function *ret);

/* The value at an address of the function, from the table at the offset. False: it has none. */
bool sprof_go_table_value(const struct sprof_go_table *table,
	const struct sprof_go_function *function, uint32_t offset, uint64_t address,
	struct sprof_go_value *ret);

/* The offset of the function's PCDATA table with this number; 0: none. */
uint32_t sprof_go_table_pcdata(const struct sprof_go_table *table,
	const struct sprof_go_function *function, uint32_t number);
/* The link-time address of the function's FUNCDATA with this number. False: none, or unknown. */
bool sprof_go_table_funcdata(const struct sprof_go_table *table,
	const struct sprof_go_function *function, uint32_t number, uint64_t *ret_address);

/* A number of 1, 2, 4 or 8 bytes at an offset; 0 if outside the table. */
uint64_t sprof_go_table_number(const struct sprof_go_table *table, uint64_t offset, size_t size);

/* A name by its offset; NULL: there is none. */
const char *sprof_go_table_name(const struct sprof_go_table *table, uint32_t offset);
/* The path of a file by its number in the function's unit; NULL: there is none. */
const char *sprof_go_table_file(const struct sprof_go_table *table,
	const struct sprof_go_function *function, uint32_t number);

/* Size of an inline tree's entry in bytes; see go-lines.c. 16 from Go 1.20 on, 20 before. */
size_t sprof_go_table_inline_size(const struct sprof_go_table *table);

#endif
