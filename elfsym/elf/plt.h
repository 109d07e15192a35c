/* The procedure linkage table: which entry jumps to which function. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "elfsym/elf/image.h"

struct sprof_plt_entry {
	uint64_t address, size; /* link-time */
	const char *name;       /* of the target, in the image; NULL: see resolver */
	/* link-time address of the IFUNC resolver */
	uint64_t resolver;
};

/* Takes one entry. Returns false if out of memory, which ends the walk. */
typedef bool sprof_plt_visitor(void *data, const struct sprof_plt_entry *entry);

/* Calls the visitor for every entry that can be resolved. Returns false if out of memory. */
bool sprof_plt_visit(
	const struct sprof_image *image, sprof_plt_visitor *visit, void *data) SPROF_MUST_USE;

/* The same for the slots themselves: `address` is that of a pointer, which relocations set. */
bool sprof_plt_visit_slots(
	const struct sprof_image *image, sprof_plt_visitor *visit, void *data) SPROF_MUST_USE;
