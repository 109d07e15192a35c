/*
 * Labels of samples from another tool's file: names and values without a meaning for sprof, which
 * are kept. A set of labels is one text, so it is interned, compared and copied like a name.
 */
#ifndef SPROF_PROFILE_LABELS_H
#define SPROF_PROFILE_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

/* The texts end after their length. */
struct sprof_label {
	const char *key, *text; /* text: or the unit of the number, which may be empty */
	size_t key_length, text_length;
	bool is_number;
	int64_t number;
};

/* A set being put together. Zeroed is empty and valid. */
struct sprof_labels {
	char *text;
	size_t size, capacity;
};

void sprof_labels_finish(struct sprof_labels *labels);
/* Key and text end with NUL. False: no memory. */
bool sprof_labels_add_text(struct sprof_labels *labels, const char *key, const char *text);
bool sprof_labels_add_number(
	struct sprof_labels *labels, const char *key, int64_t number, const char *unit);

/* Takes the first label off a set, which may be NULL. False: the set is empty. */
bool sprof_labels_next(const char **set, struct sprof_label *ret);

/*
 * The value of a row's label, including sprof's own labels, in `buffer`; cut if there is no room.
 * False: the row has no such label. If the label is there several times, takes the one at `place`.
 */
bool sprof_labels_find(const struct sprof_profile *profile, const struct sprof_profile_row *row,
	const char *key, size_t place, char *buffer, size_t size);

/* The names of all labels of rows, separated by ", ", as many as fit. False: there are none. */
bool sprof_labels_list(const struct sprof_profile *profile, char *buffer, size_t size);

#endif
