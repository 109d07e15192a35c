/*
 * Sample labels of other tools' files: names and values that sprof stores without interpreting
 * them. A set of labels is stored as one text, so it can be interned, compared and copied like a
 * name.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/model/profile.h"

/* The texts are not NUL-terminated. */
struct sprof_label {
	const char *key, *text; /* `text`: the value, or a number's unit, which may be empty */
	size_t key_length, text_length;
	bool is_number;
	int64_t number;
};

/* A set under construction. Zeroed is empty and valid. */
struct sprof_labels {
	char *text;
	size_t size, capacity;
};

void sprof_labels_finish(struct sprof_labels *labels);
/* Key and text are NUL-terminated. Returns false if out of memory. */
bool sprof_labels_add_text(struct sprof_labels *labels, const char *key, const char *text);
bool sprof_labels_add_number(
	struct sprof_labels *labels, const char *key, int64_t number, const char *unit);

/* Removes the first label from a set, which may be NULL. Returns false if the set is empty. */
bool sprof_labels_next(const char **set, struct sprof_label *ret);

/*
 * Writes a row's label value to `buffer`, truncated if necessary; also for sprof's own labels. If
 * the label occurs several times, takes the one at index `place`. Returns false if there is none.
 */
bool sprof_labels_find(const struct sprof_profile *profile, const struct sprof_profile_row *row,
	const char *key, size_t place, char *buffer, size_t size);

/*
 * Writes the names of all labels, separated by ", ", as many as fit. Returns false if there are
 * none.
 */
bool sprof_labels_list(const struct sprof_profile *profile, char *buffer, size_t size);
