/*
 * Interned strings: equal text gives an equal pointer, valid until the table is destroyed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"

struct sprof_strtab;

/* Returns NULL if out of memory. */
SPROF_MUST_USE struct sprof_strtab *sprof_strtab_create(void);
/* NULL is accepted. Frees all strings of the table. */
void sprof_strtab_destroy(struct sprof_strtab *table);

/* The table's copy of the text. Returns NULL if out of memory, and for NULL. */
SPROF_MUST_USE const char *sprof_strtab_intern(struct sprof_strtab *table, const char *text);
/* The same with *ret as result; NULL stays NULL. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_strtab_copy(
	struct sprof_strtab *table, const char *text, const char **ret);
/* Interns the first `length` bytes of text, which contain no NUL. */
SPROF_MUST_USE const char *sprof_strtab_intern_bytes(
	struct sprof_strtab *table, const char *text, size_t length);

/* The table's copy of the text, or NULL if it has none. */
const char *sprof_strtab_find(const struct sprof_strtab *table, const char *text);
/* The total length of all texts. */
size_t sprof_strtab_size(const struct sprof_strtab *table);
