/*
 * The parts of sprof annotate.
 */
#ifndef SPROF_CMD_ANNOTATE_ANNOTATE_H
#define SPROF_CMD_ANNOTATE_ANNOTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/saved/naming.h"
#include "profile/model/profile.h"
#include "profile/views/annotate.h"

/* A source file's text. Zeroed: file not found. */
struct sprof_source {
	char *path; /* where it was found; NULL: not found */
	char *text;
	char **lines; /* pointers into the text; lines have no line ends */
	size_t count;
	bool is_newer; /* than the recording */
};

/* The text of a line, counted from 1; NULL if there is none. */
const char *sprof_source_line(const struct sprof_source *source, uint32_t line);
void sprof_source_finish(struct sprof_source *source);

struct sprof_code_instruction {
	uint64_t address; /* link-time address, as objdump shows it */
	char *text;
	char *file; /* of the innermost function there; NULL: unknown */
	uint32_t line;
	struct sprof_metrics self, total;
};

/* A copy of the function's code: its own, or where it is inlined into another function. */
struct sprof_code_copy {
	char *symbol; /* the symbol that contains the code */
	bool inlined; /* inlined into that symbol */
	uint64_t begin, end;
	size_t first, count; /* range of its instructions */
};

struct sprof_code {
	struct sprof_code_copy *copies;
	size_t copy_count, copy_capacity;
	struct sprof_code_instruction *instructions;
	size_t count, capacity;
	struct sprof_metrics unplaced; /* self time that belongs to no instruction */
};

/* The annotated function and its data. */
struct sprof_annotate {
	const struct sprof_profile *profile;
	enum sprof_weight weight;
	uint32_t function; /* one of the chosen functions; all share name and module */
	const struct sprof_naming *naming;
	const char *source_folder; /* NULL: none */
	bool with_code;
	struct sprof_annotation annotation;
	struct sprof_code code;
};

/*
 * Reads a source file: at its path in the debug information (NULL: none), or below source_folder
 * under any suffix of that path. A missing file is no error. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_annotate_source(const struct sprof_annotate *annotate, const char *path,
	struct sprof_source *ret, struct sprof_error *err);

/*
 * Disassembles the function's copies that have time, with objdump. Fails if objdump or the file is
 * missing, or the file's build id differs.
 */
SPROF_MUST_USE bool sprof_code_build(struct sprof_annotate *annotate, struct sprof_error *err);
void sprof_code_finish(struct sprof_code *code);

uint64_t sprof_annotate_value(
	const struct sprof_annotate *annotate, const struct sprof_metrics *metrics);

/* Prints a function's name, which may take one of that many parts of the terminal's width. */
void sprof_annotate_print_function(const char *name, size_t parts);
/* Prints a text without control characters. */
void sprof_annotate_print_clean(const char *text);
/* Prints a figure in a column; zero is printed as blanks. */
void sprof_annotate_print_figure(
	const struct sprof_annotate *annotate, enum sprof_weight weight, uint64_t value);
/* Prints the share of the function's total, and the value. */
void sprof_annotate_print_share(
	const struct sprof_annotate *annotate, const struct sprof_metrics *total);
/* Prints the lines with most total time, and what they call. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_annotate_print_hottest(const struct sprof_annotate *annotate);

/* Print to stdout. Return false if out of memory. */
SPROF_MUST_USE bool sprof_annotate_print(
	const struct sprof_annotate *annotate, struct sprof_error *err);
SPROF_MUST_USE bool sprof_annotate_print_json(
	const struct sprof_annotate *annotate, struct sprof_error *err);

#endif
