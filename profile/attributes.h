/*
 * The attributes of a row's owner: whose it is, and what the thread was doing; one table row each.
 * Labels, copies, saved profiles and JSON walk this table: a new attribute needs a field and a row
 * here.
 *
 * Values are fields of the two structs that describe an owner: struct sprof_build_thread and struct
 * sprof_profile_context. Other tools' labels are not attributes; see profile/labels.h.
 */
#ifndef SPROF_PROFILE_ATTRIBUTES_H
#define SPROF_PROFILE_ATTRIBUTES_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/build.h"
#include "profile/profile.h"

enum sprof_attribute_of {
	SPROF_ATTRIBUTE_OF_PROCESS, /* a field of struct sprof_build_thread, like the next one */
	SPROF_ATTRIBUTE_OF_THREAD,
	SPROF_ATTRIBUTE_OF_CONTEXT, /* a field of struct sprof_profile_context */
};

enum sprof_attribute_form {
	SPROF_ATTRIBUTE_TEXT, /* const char *; NULL or "": nothing to say */
	SPROF_ATTRIBUTE_WORD, /* an enum; see struct sprof_attribute_words */
	SPROF_ATTRIBUTE_ID,   /* pid_t; 0: not known */
};

/* The values of an enum by name. */
struct sprof_attribute_words {
	const char *(*name)(unsigned value);
	unsigned first, end; /* the values that have one */
	unsigned nothing;    /* the value that says nothing */
	/* the value of any other word; `nothing`: no value */
	unsigned unknown;
};

struct sprof_attribute {
	/* as a label in a saved profile, for filters and groups, in JSON */
	const char *name;
	const char *json; /* its name in JSON if that differs; else NULL */
	enum sprof_attribute_of of;
	enum sprof_attribute_form form;
	size_t offset;  /* of the field */
	bool is_common; /* a label of this name in another tool's file means the same */
	/*
	 * In a saved profile: comes after the attributes that are not late; its name is among the
	 * strings even without a value. Files of earlier versions do that, and stay the same.
	 */
	bool is_late, is_named;
	bool is_always_said;                       /* in JSON, also without a value */
	const struct sprof_attribute_words *words; /* for a word */
};

/* All attributes, in the order of lists. The last one is followed by one without a name. */
extern const struct sprof_attribute sprof_attributes[];

/* NULL: there is none of that name. */
const struct sprof_attribute *sprof_attribute_find(const char *name);

/* The fields of a process, and of a thread, as a profile has them; the profile owns the strings. */
struct sprof_build_thread sprof_attributes_of_process(
	const struct sprof_profile *profile, uint32_t process);
struct sprof_build_thread sprof_attributes_of_thread(
	const struct sprof_profile *profile, uint32_t thread);

enum { SPROF_ATTRIBUTE_SIZE = 16 /* room for an id */ };

/*
 * The value of an owner's attribute; `owner` is the struct that has its field. An id is printed
 * into the buffer. NULL: no value.
 */
const char *sprof_attribute_get(const struct sprof_attribute *attribute, const void *owner,
	char buffer[SPROF_ATTRIBUTE_SIZE]);
/* The value for the row's owner. */
const char *sprof_attribute_of_row(const struct sprof_attribute *attribute,
	const struct sprof_profile *profile, const struct sprof_profile_row *row,
	char buffer[SPROF_ATTRIBUTE_SIZE]);

/*
 * Sets a text, which must outlive the owner, or a word. False: an unknown word, or the text is set
 * already.
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

#endif
