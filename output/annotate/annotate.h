/*
 * What sprof annotate writes: a function's lines and instructions with their time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "output/out.h"
#include "output/table.h"
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
	bool with_code;
	struct sprof_annotation annotation;
	struct sprof_code code;
	size_t width; /* of the terminal; 0: no limit */
	/* Reads the source file of a line. A missing file is not an error. */
	bool (*read_source)(const struct sprof_annotate *annotate,
		const struct sprof_annotated_line *line, struct sprof_source *ret,
		struct sprof_error *err);
	void *context; /* of read_source() */
	struct sprof_out *out;
};

uint64_t sprof_annotate_value(
	const struct sprof_annotate *annotate, const struct sprof_metrics *metrics);

/* A function's name, truncated to 1/`parts` of the terminal's width. */
void sprof_annotate_put_function(
	const struct sprof_annotate *annotate, const char *name, size_t parts);
/* A text without control characters. */
void sprof_annotate_put_clean(const struct sprof_annotate *annotate, const char *text);
/* The cells of all tables: the share of the function's total, and both values. Zeros are blank. */
void sprof_annotate_put_values(const struct sprof_annotate *annotate,
	const struct sprof_metrics *total, const struct sprof_metrics *self, struct sprof_row *row);
/* A cell with a value of one weight. */
void sprof_annotate_put_figure(const struct sprof_annotate *annotate, enum sprof_weight weight,
	const char *title, uint64_t value, struct sprof_row *row);
/* The lines with most total time, and what they call. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_annotate_write_hottest(const struct sprof_annotate *annotate);

/* Write to `out`. Return false if out of memory. */
SPROF_MUST_USE bool sprof_annotate_write(
	const struct sprof_annotate *annotate, struct sprof_error *err);
SPROF_MUST_USE bool sprof_annotate_write_json(
	const struct sprof_annotate *annotate, struct sprof_error *err);
