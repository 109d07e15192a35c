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

/*
 * Reads a list of names and of classes (%file). Errors name the column of the text. NULL: all calls.
 */
SPROF_MUST_USE bool sprof_call_choice_read(
	const char *text, struct sprof_call_choice *ret, struct sprof_error *err);
void sprof_call_choice_finish(struct sprof_call_choice *choice);

bool sprof_call_choice_has(const struct sprof_call_choice *choice, int64_t number);

#endif
