/*
 * All symbols of a file's tables, also of data, as their tables have them.
 */
#ifndef SPROF_ELFSYM_ENTRIES_H
#define SPROF_ELFSYM_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

struct sprof_entry {
	uint64_t
		address; /* link-time; in object files, from the section's begin; tls: in its block */
	uint64_t size;
	const char *name;
	size_t name_length;  /* without version */
	const char *type;    /* "function", "object", "tls", ... */
	const char *binding; /* "local", "global", "weak", "unique" */
	const char *section; /* "*ABS*" and "COMMON" are none */
	bool is_code;        /* a function, or a label in code */
	bool is_dynamic;     /* in .dynsym */
};

typedef bool (*sprof_entry_taker)(void *data, const struct sprof_entry *entry);

/*
 * Gives each defined symbol to `take`, except those of sections and files. elf is libelf's Elf *;
 * texts live as long as it does. Leaves out what is broken. False: `take` has returned false.
 */
bool sprof_entries_visit(void *elf, sprof_entry_taker take, void *data) SPROF_MUST_USE;

#endif
