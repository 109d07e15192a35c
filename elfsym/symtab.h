/*
 * The function symbols of a module, by address.
 */
#ifndef SPROF_ELFSYM_SYMTAB_H
#define SPROF_ELFSYM_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "elfsym/image.h"

/* The name ends after name_length bytes: without version, "memcpy" of "memcpy@@GLIBC_2.14". */
struct sprof_symbol {
	uint64_t address; /* link-time */
	uint64_t size;    /* as the file says; 0: unknown, it reaches to the next one */
	const char *name; /* in the image */
	size_t name_length;
};

struct sprof_symtab;

/*
 * Reads .symtab and .dynsym of the image and, unless NULL, of its separate debug file; both must
 * outlive the table. A broken or missing table just contributes nothing. False: no memory.
 */
bool sprof_symtab_create(const struct sprof_image *image, const struct sprof_image *debug,
	struct sprof_symtab **ret, struct sprof_error *err);
/* NULL is accepted. */
void sprof_symtab_destroy(struct sprof_symtab *symtab);

/* The function at a link-time address. False: none; behind the end of a sized symbol there is none.
 */
bool sprof_symtab_find(
	const struct sprof_symtab *symtab, uint64_t address, struct sprof_symbol *ret);

#endif
