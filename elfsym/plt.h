/*
 * The procedure linkage table: which entry jumps to which function.
 */
#ifndef SPROF_ELFSYM_PLT_H
#define SPROF_ELFSYM_PLT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elfsym/image.h"

struct sprof_plt_entry {
	uint64_t address, size; /* link-time */
	const char *name;       /* of the function it is for, in the image; NULL: see resolver */
	uint64_t resolver;      /* link-time address of the function that chooses where it jumps to */
};

/* Takes one entry; false ends the walk. */
typedef bool sprof_plt_visitor(void *data, const struct sprof_plt_entry *entry);

/* Calls the visitor for every entry that can be told. False: the visitor said so, or no memory. */
bool sprof_plt_visit(const struct sprof_image *image, sprof_plt_visitor *visit, void *data);

#endif
