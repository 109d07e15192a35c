/* The images and compiled rows of all modules, with lookup by address. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/proc/maps.h"
#include "base/module.h"
#include "elfsym/cfi/fde-table.h"
#include "elfsym/cfi/fdes.h"
#include "elfsym/elf/image.h"
#include "unwind/rows.h"

struct sprof_images {
	struct sprof_modules *modules;
	struct sprof_image_entry *items; /* by module id */
	size_t capacity;
	unsigned go_count; /* number of opened modules with Go's runtime */
};

struct sprof_image_entry {
	bool tried;
	pid_t opener;              /* the module's opener when the image was opened */
	struct sprof_image *image; /* NULL: no ELF file, or unreadable */
	struct sprof_rows *rows;   /* exists if the image does */
	bool has_read_fdes;
	struct sprof_fdes fdes; /* read on demand if there is no .eh_frame_hdr table */
};

/* The module and offset of an address in a process. */
struct sprof_place {
	uint32_t module;
	uint64_t offset;                 /* as stored in frames */
	uint64_t address;                /* link-time; valid only with an image */
	const struct sprof_image *image; /* NULL: unreadable, or no ELF image */
	struct sprof_rows *rows;
};

/* Returns false if the address is not in executable memory. */
bool sprof_images_locate(struct sprof_images *images, const struct sprof_maps *maps,
	uint64_t address, struct sprof_place *ret);

/*
 * The bounds of the FDE around a link-time address of a module; see sprof_fde_table_find(). Static
 * executables have no table: the first lookup reads all their FDEs. Without an FDE, the bounds of
 * the function, as symbols and code show them.
 */
bool sprof_images_find_bounds(struct sprof_images *images, uint32_t module, uint64_t address,
	struct sprof_fde_bounds *ret);

/*
 * Go's runtime in a mapped module: the first file, usually the program, or a module that a walk led
 * through. NULL: none, or its layout is unknown.
 */
const struct sprof_go_runtime *sprof_images_find_go(
	struct sprof_images *images, const struct sprof_maps *maps);

void sprof_images_finish(struct sprof_images *images);
