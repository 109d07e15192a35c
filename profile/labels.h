/*
 * What a sample of another tool's file is labelled with: names and values that mean nothing to sprof
 * and are kept. A set of them is one text, so that it is interned, compared and copied like a name.
 */
#ifndef SPROF_PROFILE_LABELS_H
#define SPROF_PROFILE_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

/* Texts that end where the length says. */
struct sprof_label {
	const char *key, *text; /* text: or the unit of the number, which may be empty */
	size_t key_length, text_length;
	bool is_number;
	int64_t number;
};

/* A set while it is put together. Zeroed is empty and valid. */
struct sprof_labels {
	char *text;
	size_t size, capacity;
};

void sprof_labels_finish(struct sprof_labels *labels);
/* Key and text end with NUL. False: no memory. */
bool sprof_labels_add_text(struct sprof_labels *labels, const char *key, const char *text);
bool sprof_labels_add_number(
	struct sprof_labels *labels, const char *key, int64_t number, const char *unit);

/* Takes the first label off a set, which may be NULL. False: there is none. */
bool sprof_labels_next(const char **set, struct sprof_label *ret);

/*
 * What a label of a row says, those of sprof's own included: the whole of it in `buffer`, or as much
 * as there is room for. False: the row has no such label. Of a label that is there several times, the
 * one at `place`.
 */
bool sprof_labels_find(const struct sprof_profile *profile, const struct sprof_profile_row *row,
	const char *key, size_t place, char *buffer, size_t size);

/* The names of all labels that rows have, with ", " between them, as many as there is room for. False:
 * there are none. */
bool sprof_labels_list(const struct sprof_profile *profile, char *buffer, size_t size);

#endif
