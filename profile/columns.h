/*
 * The columns of the flat profile, one table row each: what --columns and --sort name, and how two
 * functions compare by them.
 */
#ifndef SPROF_PROFILE_COLUMNS_H
#define SPROF_PROFILE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/weight.h"

struct sprof_flat_row;
struct sprof_profile;

enum sprof_column_form {
	SPROF_COLUMN_SHARE, /* of the whole, by the shown weight */
	SPROF_COLUMN_VALUE, /* in the shown weight */
	SPROF_COLUMN_SPLIT, /* percent of the function's total wall time */
	SPROF_COLUMN_TIME,  /* of one class */
	SPROF_COLUMN_SAMPLES,
	SPROF_COLUMN_THREADS,
	SPROF_COLUMN_VERDICT,
	SPROF_COLUMN_OBJECT,
	SPROF_COLUMN_FUNCTION,
};

struct sprof_column {
	const char *name;  /* on the command line */
	const char *title; /* in the head; NULL: the name */
	enum sprof_column_form form;
	size_t width;
	bool of_total;            /* else of self */
	enum sprof_weight weight; /* of a split or a time */
};

enum { SPROF_COLUMNS_MAX = 24 };

/* Some columns in an order. Zeroed is empty and valid. */
struct sprof_column_list {
	const struct sprof_column *items[SPROF_COLUMNS_MAX];
	size_t count;
};

/* Texts are at the left of their column. */
static inline bool sprof_column_is_text(const struct sprof_column *column)
{
	return column->form >= SPROF_COLUMN_VERDICT;
}

/* By name; "%" may be left out where that is clear, "sym" is the function. NULL: none. */
const struct sprof_column *sprof_column_find(const char *name);
/* The column of a form; for a split or a time, of a weight. It must exist. */
const struct sprof_column *sprof_column_of(enum sprof_column_form form, enum sprof_weight weight);

/* Adds one; does nothing if the list is full. */
void sprof_column_list_add(struct sprof_column_list *list, const struct sprof_column *column);
bool sprof_column_list_has(const struct sprof_column_list *list, enum sprof_column_form form);

/* Reads names separated by commas. False (kind USAGE): one is unknown, or there are too many. */
SPROF_MUST_USE bool sprof_column_list_parse(
	struct sprof_column_list *ret, const char *text, struct sprof_error *err);

/* What functions are compared by. */
struct sprof_column_order {
	const struct sprof_profile *profile;
	const char *const *objects; /* by function, see profile/objects.h */
	enum sprof_weight weight;
	const struct sprof_column_list *keys;
};

/* Figures fall, texts rise, missing texts come last. 0: all keys are equal. */
int sprof_column_compare(const struct sprof_column_order *order, const struct sprof_flat_row *a,
	const struct sprof_flat_row *b);

#endif
