/*
 * The columns of the flat profile, one table row each: for --columns and --sort, and for comparing
 * functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/model/weight.h"

struct sprof_flat_row;
struct sprof_profile;

enum sprof_column_form {
	SPROF_COLUMN_SHARE, /* percent of the whole, in the shown weight */
	SPROF_COLUMN_VALUE, /* in the shown weight */
	SPROF_COLUMN_SPLIT, /* percent of the function's total wall time */
	SPROF_COLUMN_TIME,  /* time of one class */
	SPROF_COLUMN_SAMPLES,
	SPROF_COLUMN_THREADS,
	SPROF_COLUMN_VERDICT, /* from here on texts, which are left-aligned */
	SPROF_COLUMN_OBJECT,
	SPROF_COLUMN_FUNCTION,
};

struct sprof_column {
	const char *name;  /* in options */
	const char *title; /* in the table's head; NULL: same as `name` */
	enum sprof_column_form form;
	size_t width;
	bool of_total;            /* true: total, false: self */
	enum sprof_weight weight; /* for SPLIT and TIME */
};

enum { SPROF_COLUMNS_MAX = 24 };

/* An ordered list of columns. Zeroed is empty and valid. */
struct sprof_column_list {
	const struct sprof_column *items[SPROF_COLUMNS_MAX];
	size_t count;
};

/*
 * Finds a column by name. "%" may be omitted if unambiguous; "symbol" is the function. NULL: unknown.
 */
const struct sprof_column *sprof_column_find(const char *name);
/* The column with this form; for SPLIT and TIME, of this weight. It must exist. */
const struct sprof_column *sprof_column_of(enum sprof_column_form form, enum sprof_weight weight);

/* Appends a column; does nothing if the list is full. */
void sprof_column_list_add(struct sprof_column_list *list, const struct sprof_column *column);
bool sprof_column_list_has(const struct sprof_column_list *list, enum sprof_column_form form);

/*
 * Parses names separated by commas. Returns false (kind USAGE) if a name is unknown, or there are
 * too many.
 */
SPROF_MUST_USE bool sprof_column_list_parse(
	struct sprof_column_list *ret, const char *text, struct sprof_error *err);

/* The sort keys. */
struct sprof_column_order {
	const struct sprof_profile *profile;
	const char *const *objects; /* by function, see profile/model/objects.h */
	enum sprof_weight weight;
	const struct sprof_column_list *keys;
};

/* Numbers sort descending, texts ascending, missing texts last. Returns 0 if all keys are equal. */
int sprof_column_compare(const struct sprof_column_order *order, const struct sprof_flat_row *a,
	const struct sprof_flat_row *b);
