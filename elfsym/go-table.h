/*
 * The table of functions that every Go program carries for its own runtime (.gopclntab): for each pc the
 * function, its file and line, and how far sp has moved since the function's entry. It is there in stripped
 * programs too.
 */
#ifndef SPROF_ELFSYM_GO_TABLE_H
#define SPROF_ELFSYM_GO_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elfsym/image.h"

struct sprof_go_format;

/* A table; the image outlives it. */
struct sprof_go_table {
	const struct sprof_image *image;
	const struct sprof_go_format *format;
	uint64_t address;         /* link-time, of its first byte */
	const uint8_t *bytes;
	size_t size;              /* to the end of its section, or of its segment */
	uint8_t *own_bytes;       /* NULL: the bytes are the image's */
	unsigned quantum;         /* size of the smallest instruction, in bytes: the unit of sizes of code */
	uint64_t text;            /* link-time address that entries count from; 0 in old formats */
	size_t function_count;
	/* Where the parts begin. */
	uint64_t names, units, files, values, functions;
	uint64_t inline_trees;    /* link-time address that trees count from; 0: not known */
	bool has_flags;           /* of functions: from Go 1.17 on */
};

/* What the table says of one function; offsets are into parts of the table, 0 where there is nothing. */
struct sprof_go_function {
	uint64_t entry, end; /* link-time; the end is where the next one begins */
	const char *name;
	uint32_t sp_values, file_values, line_values;
	uint32_t unit;
	uint32_t start_line; /* 0: the format doesn't say */
	uint32_t pcdata_count, funcdata_count;
	uint64_t pcdata;     /* offset of its first word in the table */
	bool is_top;         /* the outermost function of a stack */
	bool writes_sp;      /* sets sp to something else; false where the table has no flags */
};

/* A value of a function's table, and the first address behind that it doesn't hold for. */
struct sprof_go_value {
	int32_t value;
	uint64_t end;
};

/*
 * Finds the table by the name of its section; else, in an image that has Go's note or no sections at all, by its first
 * bytes in all loaded data. NULL: there is none, or no memory.
 */
struct sprof_go_table *sprof_go_table_open(const struct sprof_image *image);
/* NULL is accepted. */
void sprof_go_table_close(struct sprof_go_table *table);

/* The function that covers a link-time address. False: none does, or the table is broken there. */
bool sprof_go_table_find(
	const struct sprof_go_table *table, uint64_t address, struct sprof_go_function *ret);
/* The function of that number, which is below function_count. */
bool sprof_go_table_get(
	const struct sprof_go_table *table, size_t index, struct sprof_go_function *ret);
/* The function of that name that sets sp. False: there is none. Looks at all of them. */
bool sprof_go_table_find_switch(
	const struct sprof_go_table *table, const char *name, struct sprof_go_function *ret);

/* The value at an address of the function, from the table at the offset. False: it has none there. */
bool sprof_go_table_value(const struct sprof_go_table *table,
	const struct sprof_go_function *function, uint32_t offset, uint64_t address,
	struct sprof_go_value *ret);

/* The offset of a function's PCDATA table of that number; 0: none. */
uint32_t sprof_go_table_pcdata(const struct sprof_go_table *table,
	const struct sprof_go_function *function, uint32_t number);
/* The link-time address of a function's FUNCDATA of that number. False: none, or it is not known. */
bool sprof_go_table_funcdata(const struct sprof_go_table *table,
	const struct sprof_go_function *function, uint32_t number, uint64_t *ret_address);

/* A name by its offset; NULL: there is none. */
const char *sprof_go_table_name(const struct sprof_go_table *table, uint32_t offset);
/* The path of a file by its number in the function's unit; NULL: there is none. */
const char *sprof_go_table_file(const struct sprof_go_table *table,
	const struct sprof_go_function *function, uint32_t number);

/* Bytes of an entry of an inline tree; see go-lines.c. 16 from Go 1.20 on, 20 before. */
size_t sprof_go_table_inline_size(const struct sprof_go_table *table);

#endif
