/*
 * The attributes of a row's owner (its process and thread, and what the thread was doing), one
 * table row each. Labels, copies, saved profiles and JSON walk this table: a new attribute needs a
 * field and a row here.
 *
 * Values are fields of two structs: struct sprof_build_thread and struct sprof_profile_context.
 * Labels of other tools are not attributes; see profile/model/labels.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "profile/model/build.h"
#include "profile/model/profile.h"

enum sprof_attribute_of {
	SPROF_ATTRIBUTE_OF_PROCESS, /* a field of struct sprof_build_thread */
	SPROF_ATTRIBUTE_OF_THREAD,
	SPROF_ATTRIBUTE_OF_CONTEXT, /* a field of struct sprof_profile_context */
};

enum sprof_attribute_form {
	SPROF_ATTRIBUTE_TEXT, /* const char *; NULL or "": no value */
	SPROF_ATTRIBUTE_WORD, /* an enum; see struct sprof_attribute_words */
	SPROF_ATTRIBUTE_ID,   /* pid_t; 0: unknown */
};

/* Names of enum values. */
struct sprof_attribute_words {
	const char *(*name)(unsigned value);
	unsigned first, end; /* the range of values with a name */
	unsigned nothing;    /* the value that means "no value" */
	/* the value for unknown words; `nothing`: reject them */
	unsigned unknown;
};

struct sprof_attribute {
	/* in labels of a saved profile, in filters and groups, in JSON */
	const char *name;
	const char *json; /* the JSON name if different; else NULL */
	enum sprof_attribute_of of;
	enum sprof_attribute_form form;
	size_t offset;  /* of the field in its struct */
	bool is_common; /* other tools' labels of this name have the same meaning */
	/*
	 * In a saved profile, is_late: written after the other attributes; is_named: the name is in
	 * the string table even without a value. This keeps files identical to those of earlier
	 * versions.
	 */
	bool is_late, is_named;
	bool is_always_said;                       /* in JSON even without a value */
	const struct sprof_attribute_words *words; /* for SPROF_ATTRIBUTE_WORD */
};

/* All attributes in display order, terminated by a NULL name. */
extern const struct sprof_attribute sprof_attributes[];

/* NULL if there is no such attribute. */
const struct sprof_attribute *sprof_attribute_find(const char *name);

/* The fields of a process, and of a thread. The profile owns the strings. */
struct sprof_build_thread sprof_attributes_of_process(
	const struct sprof_profile *profile, uint32_t process);
struct sprof_build_thread sprof_attributes_of_thread(
	const struct sprof_profile *profile, uint32_t thread);

enum { SPROF_ATTRIBUTE_SIZE = 16 /* large enough for an id */ };

/*
 * The attribute's value; `owner` is the struct with its field. An id is printed into the buffer.
 * NULL: no value.
 */
const char *sprof_attribute_get(const struct sprof_attribute *attribute, const void *owner,
	char buffer[SPROF_ATTRIBUTE_SIZE]);
/* The attribute's value for the row's owner. */
const char *sprof_attribute_of_row(const struct sprof_attribute *attribute,
	const struct sprof_profile *profile, const struct sprof_profile_row *row,
	char buffer[SPROF_ATTRIBUTE_SIZE]);

/*
 * Sets a text, which must outlive the owner, or a word. Returns false for an unknown word, or if
 * the text is already set.
 */
bool sprof_attribute_set(const struct sprof_attribute *attribute, void *owner, const char *text);

/* The field of an id. */
static inline pid_t *sprof_attribute_id(const struct sprof_attribute *attribute, void *owner)
{
	return (pid_t *)((char *)owner + attribute->offset);
}
/* The field of a text or a word. */
static inline const char **sprof_attribute_text(
	const struct sprof_attribute *attribute, void *owner)
{
	return (const char **)((char *)owner + attribute->offset);
}
static inline unsigned *sprof_attribute_word(const struct sprof_attribute *attribute, void *owner)
{
	return (unsigned *)((char *)owner + attribute->offset);
}
