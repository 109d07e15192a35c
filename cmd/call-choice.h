/*
 * Which system calls are traced: "read,write,%file".
 */
#ifndef SPROF_CMD_CALL_CHOICE_H
#define SPROF_CMD_CALL_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"

/* Zeroed means all calls. */
struct sprof_call_choice {
	int64_t *numbers; /* each once */
	size_t count, capacity;
};

/* Lists of names and of classes (%file), as they were given. */
struct sprof_call_lists {
	const char *items[16];
	size_t count;
};

/* A setter (sprof_option_setter). */
SPROF_MUST_USE bool sprof_call_lists_add(void *field, const char *text, struct sprof_error *err);

/* What all lists together choose; without a list all calls. Errors name the column of the text. */
SPROF_MUST_USE bool sprof_call_choice_read(const struct sprof_call_lists *lists,
	struct sprof_call_choice *ret, struct sprof_error *err);
void sprof_call_choice_finish(struct sprof_call_choice *choice);

bool sprof_call_choice_has(const struct sprof_call_choice *choice, int64_t number);

#endif
