/*
 * The function table that every Go program contains for its own runtime (.gopclntab): for each pc
 * the function, file and line, and how far sp has moved since the function's entry. Stripped
 * programs have it, too.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "elfsym/elf/image.h"

/* Differences between the four formats. */
struct sprof_go_format {
	uint32_t magic;
	uint8_t entry_size; /* size of a pc in the function table and in a function's record */
	bool has_parts;     /* the header contains the offsets of the parts */
	bool has_text;      /* and the base address of entries */
	bool has_start_line;
	uint8_t inline_size; /* size of an inline tree's entry */
};

/* A table; the image must outlive it. */
struct sprof_go_table {
	const struct sprof_image *image;
	const struct sprof_go_format *format;
	uint64_t address; /* link-time, of its first byte */
	const uint8_t *bytes;
	size_t size;        /* up to the end of its section or segment */
	uint8_t *own_bytes; /* NULL: the image owns the bytes */
	/* smallest instruction size in bytes: the unit of code sizes */
	unsigned quantum;
	uint64_t text; /* link-time base address of entries; 0 in old formats */
	size_t function_count;
	/* Offsets of the parts. */
	uint64_t names, units, files, values, functions;
	uint64_t inline_trees; /* link-time base address of trees; 0: unknown */
	bool has_flags;        /* functions have flags: since Go 1.17 */
};

/* One function's entry. Offsets are into parts of the table; 0 means absent. */
struct sprof_go_function {
	uint64_t entry, end; /* link-time; `end` is the start of the next function */
	const char *name;
	uint32_t sp_values, file_values, line_values;
	uint32_t unit;
	uint32_t start_line; /* 0: not in this format */
	uint32_t pcdata_count, funcdata_count;
	uint64_t pcdata; /* offset of its first PCDATA word */
	bool is_top;     /* the outermost function of a stack */
	bool writes_sp;  /* sets sp to another value; false if the table has no flags */
};

/* A value, and the first address at which it no longer holds. */
struct sprof_go_value {
	int32_t value;
	uint64_t end;
};

/*
 * Finds the table by section name; in an image with Go's note or without sections, also by its
 * magic in all loaded data. NULL: none, or out of memory; callers then continue without a table.
 */
struct sprof_go_table *sprof_go_table_open(const struct sprof_image *image) SPROF_MUST_USE;
/* NULL is accepted. */
void sprof_go_table_close(struct sprof_go_table *table);

/*
 * The function at a link-time address. Returns false if there is none, or the table is corrupt
 * there.
 */
bool sprof_go_table_find(
	const struct sprof_go_table *table, uint64_t address, struct sprof_go_function *ret);
/* The function with this number, which must be below function_count. */
bool sprof_go_table_get(
	const struct sprof_go_table *table, size_t index, struct sprof_go_function *ret);
/*
 * Finds the function with this name that sets sp. Returns false if there is none. Searches all
 * functions.
 */
bool sprof_go_table_find_switch(
	const struct sprof_go_table *table, const char *name, struct sprof_go_function *ret);

/*
 * The value at an address of the function, from the value table at this offset. Returns false if
 * there is none.
 */
bool sprof_go_table_value(const struct sprof_go_table *table,
	const struct sprof_go_function *function, uint32_t offset, uint64_t address,
	struct sprof_go_value *ret);

/* The offset of the function's PCDATA table `number`; 0: none. */
uint32_t sprof_go_table_pcdata(const struct sprof_go_table *table,
	const struct sprof_go_function *function, uint32_t number);
/* The link-time address of the function's FUNCDATA `number`. Returns false if none or unknown. */
bool sprof_go_table_funcdata(const struct sprof_go_table *table,
	const struct sprof_go_function *function, uint32_t number, uint64_t *ret_address);

/* A number of 1, 2, 4 or 8 bytes at an offset; 0 if outside the table. */
uint64_t sprof_go_table_number(const struct sprof_go_table *table, uint64_t offset, size_t size);

/* The name at an offset; NULL: invalid. */
const char *sprof_go_table_name(const struct sprof_go_table *table, uint32_t offset);
/* The path of a file by its number in the function's unit; NULL: invalid. */
const char *sprof_go_table_file(const struct sprof_go_table *table,
	const struct sprof_go_function *function, uint32_t number);

/* Size in bytes of an inline tree's entry (lines.c): 16 since Go 1.20, 20 before. */
size_t sprof_go_table_inline_size(const struct sprof_go_table *table);
