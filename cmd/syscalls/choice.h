/* The system calls to trace: "read,write,%file", or all but some: "!futex". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"

/* Zeroed means all calls. */
struct sprof_call_choice {
	int64_t *numbers; /* without duplicates */
	size_t count, capacity;
};

/* The user's lists of names and classes (%file). */
struct sprof_call_lists {
	const char *items[16];
	size_t count;
};

/* An option setter (sprof_option_setter). */
SPROF_MUST_USE bool sprof_call_lists_add(void *field, const char *text, struct sprof_error *err);

/* Combines all lists; no list means all calls. Errors have the column in the text. */
SPROF_MUST_USE bool sprof_call_choice_read(const struct sprof_call_lists *lists,
	struct sprof_call_choice *ret, struct sprof_error *err);
void sprof_call_choice_finish(struct sprof_call_choice *choice);

bool sprof_call_choice_has(const struct sprof_call_choice *choice, int64_t number);
