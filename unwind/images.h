/*
 * The images and compiled rows of all modules, and the way from an address to them.
 */
#ifndef SPROF_UNWIND_IMAGES_H
#define SPROF_UNWIND_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/maps.h"
#include "base/module.h"
#include "elfsym/fde-table.h"
#include "elfsym/fdes.h"
#include "elfsym/image.h"
#include "unwind/rows.h"

struct sprof_images {
	struct sprof_modules *modules;
	struct sprof_image_entry *items; /* by module id */
	size_t capacity;
	unsigned go_count; /* of modules with Go's runtime that have been opened */
};

struct sprof_image_entry {
	bool tried;
	pid_t opener; /* the module's, at that time */
	struct sprof_image *image; /* NULL: no ELF file, or it can't be read */
	struct sprof_rows *rows;   /* with the image */
	bool has_read_fdes;
	struct sprof_fdes fdes;    /* read where there is no table of them and they are asked for */
};

/* Where an address of a process lies. */
struct sprof_place {
	uint32_t module;
	uint64_t offset;                  /* what a frame stores */
	uint64_t address;                 /* link-time; only with an image */
	const struct sprof_image *image;  /* NULL: unreadable, or no ELF image at all */
	struct sprof_rows *rows;
};

/* False: the address is not in executable memory. */
bool sprof_images_locate(struct sprof_images *images, const struct sprof_maps *maps,
	uint64_t address, struct sprof_place *ret);

/*
 * Where the code of FDEs begins around a link-time address of a module; see sprof_fde_table_find(). Executables
 * that are linked statically have no table: all their FDEs are read at the first question.
 */
bool sprof_images_find_bounds(struct sprof_images *images, uint32_t module, uint64_t address,
	struct sprof_fde_bounds *ret);

/*
 * Go's runtime in one of the modules that are mapped: in the first file, which mostly is the program, or in one that a
 * walk has led through. NULL: none, or it is not known how to read it.
 */
const struct sprof_go_runtime *sprof_images_find_go(
	struct sprof_images *images, const struct sprof_maps *maps);

void sprof_images_finish(struct sprof_images *images);

#endif
