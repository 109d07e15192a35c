/*
 * The line table of one compilation unit: address -> file and line.
 */
#ifndef SPROF_ELFSYM_LINES_H
#define SPROF_ELFSYM_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strtab.h"
#include "elfsym/cursor.h"
#include "elfsym/image.h"
#include "elfsym/ranges.h"

/* The sections, decompressed, to their ends; at NULL where there is none. */
struct sprof_line_sections {
	struct sprof_cursor line, line_str, str;
};

/*
 * The bytes of a section of DWARF in a file that libdw has opened: it decompresses in place. at is
 * NULL where there is none.
 */
struct sprof_cursor sprof_section_data(const struct sprof_image *debug, const char *name);

/* Finds those for lines. */
struct sprof_line_sections sprof_line_sections_find(const struct sprof_image *debug);

/* Rows of a sequence have rising addresses; each holds up to the next one. */
struct sprof_line_row {
	uint64_t address;
	uint32_t file;
	uint32_t line; /* 0: none; the last row of a sequence has nothing behind it */
};

struct sprof_line_file {
	const char *name, *folder; /* in a section; folder "" : that of the unit */
	const char *path;          /* interned when it is first asked for */
};

/* Zeroed is empty and valid. */
struct sprof_lines {
	struct sprof_line_row *rows;
	size_t row_count, row_capacity;
	struct sprof_line_file *files;
	size_t file_count, file_capacity;
	const char **folders;
	size_t folder_count, folder_capacity;
	struct sprof_line_sequence {
		size_t first, count;
	} * sequences;
	size_t sequence_count, sequence_capacity;
	struct sprof_ranges ranges; /* -> index of the sequence */
	unsigned version;
};

/*
 * Reads the table at the offset (DW_AT_stmt_list). Sequences of code that the image doesn't have
 * are left out; what is broken ends the table there. False: no memory.
 */
bool sprof_lines_load(struct sprof_lines *lines, const struct sprof_line_sections *sections,
	uint64_t offset, const struct sprof_image *image);
void sprof_lines_finish(struct sprof_lines *lines);

/* NULL: no row covers the address. */
const struct sprof_line_row *sprof_lines_find(const struct sprof_lines *lines, uint64_t address);

/*
 * The path of a file by its number, as a row or DW_AT_call_file has it; relative only if the unit's
 * folder (NULL: unknown) is. *ret is NULL for a number that is no file's. False: no memory.
 */
bool sprof_lines_path(struct sprof_lines *lines, uint64_t file, const char *unit_folder,
	struct sprof_strtab *texts, const char **ret);

#endif
