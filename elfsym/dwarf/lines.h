/*
 * The line table of one compilation unit: address -> file and line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/strtab.h"
#include "elfsym/elf/cursor.h"
#include "elfsym/elf/image.h"
#include "elfsym/elf/ranges.h"

/* The decompressed sections; `at` is NULL for a missing one. */
struct sprof_line_sections {
	struct sprof_cursor line, line_str, str;
};

struct sprof_line_sections sprof_line_sections_find(const struct sprof_image *debug);

/* Addresses ascend within a sequence; each row is valid up to the next. */
struct sprof_line_row {
	uint64_t address;
	uint32_t file;
	uint32_t line; /* 0: none; a sequence's last row only marks its end */
};

struct sprof_line_file {
	const char *name, *folder; /* pointers into sections; folder "": the unit's folder */
	const char *path;          /* interned at first use */
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
 * Reads the table at the offset (DW_AT_stmt_list). Skips sequences of code outside the image; stops
 * at corrupt data. Returns false if out of memory.
 */
bool sprof_lines_load(struct sprof_lines *lines, const struct sprof_line_sections *sections,
	uint64_t offset, const struct sprof_image *image) SPROF_MUST_USE;
void sprof_lines_finish(struct sprof_lines *lines);

/* NULL if no row covers the address. */
const struct sprof_line_row *sprof_lines_find(const struct sprof_lines *lines, uint64_t address);

/*
 * The path of the file with this number, from a row or DW_AT_call_file. Relative only if the unit's
 * folder (NULL: unknown) is. *ret is NULL for an invalid number. Returns false if out of memory.
 */
bool sprof_lines_path(struct sprof_lines *lines, uint64_t file, const char *unit_folder,
	struct sprof_strtab *texts, const char **ret) SPROF_MUST_USE;
