/*
 * Interned strings: equal text, equal pointer, kept until the table goes.
 */
#ifndef SPROF_BASE_STRTAB_H
#define SPROF_BASE_STRTAB_H

#include <stddef.h>

struct sprof_strtab;

/* NULL: no memory. */
struct sprof_strtab *sprof_strtab_create(void);
/* NULL is accepted. All strings of the table go with it. */
void sprof_strtab_destroy(struct sprof_strtab *table);

/* The table's copy of the text. NULL: no memory. */
const char *sprof_strtab_intern(struct sprof_strtab *table, const char *text);
/* The same for the first `length` bytes of text, which hold no NUL. */
const char *sprof_strtab_intern_bytes(struct sprof_strtab *table, const char *text, size_t length);

/* The table's copy of the text, if there is one already; NULL. */
const char *sprof_strtab_find(const struct sprof_strtab *table, const char *text);
/* How long all texts are together. */
size_t sprof_strtab_size(const struct sprof_strtab *table);

#endif
