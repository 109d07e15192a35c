/* All symbols of a file's tables, including data, as they are in the file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

struct sprof_entry {
	/* link-time; in object files, relative to the section; for tls, to the TLS block */
	uint64_t address;
	uint64_t size;
	const char *name;
	size_t name_length;  /* without version */
	const char *type;    /* "function", "object", "tls", ... */
	const char *binding; /* "local", "global", "weak", "unique" */
	const char *section; /* NULL for "*ABS*" and "COMMON" */
	bool is_code;        /* a function or a label in code */
	bool is_dynamic;     /* from .dynsym */
};

typedef bool (*sprof_entry_taker)(void *data, const struct sprof_entry *entry);

/*
 * Passes each defined symbol to `take`, except symbols of sections and files. elf is libelf's Elf
 * *; texts are valid as long as it is. Skips invalid entries. Returns false if `take` did.
 */
bool sprof_entries_visit(void *elf, sprof_entry_taker take, void *data) SPROF_MUST_USE;
