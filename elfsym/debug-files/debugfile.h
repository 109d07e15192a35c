/* Finds the separate debug file of a stripped module. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elfsym/debug-files/debuginfod.h"
#include "elfsym/elf/image.h"
#include "elfsym/debug-files/saved.h"

/* The distributions' folder, with .build-id/ab/cdef.debug. */
#define SPROF_DEBUG_ROOT "/usr/lib/debug"

enum { SPROF_BUILD_ID_TEXT = 2 * 64 + 1 };

/* Where to search, in this order. The caller owns folders and strings. */
struct sprof_debug_places {
	const char *const *folders; /* the user's */
	size_t folder_count;
	const char *inside; /* the root folder of the file's process; NULL: sprof's own */
	/* searched inside first, then in sprof's own root; NULL: SPROF_DEBUG_ROOT */
	const char *root;
	struct sprof_debuginfod *debuginfod;     /* last; NULL: don't use */
	const struct sprof_saved_modules *saved; /* NULL: the modules have open files */
};

/*
 * Finds the debug file of an image opened from `path`, by build id or .gnu_debuglink. The latter
 * needs the same build id or, if there is none, the right CRC. NULL: not found.
 */
struct sprof_image *sprof_debugfile_open(
	const struct sprof_image *image, const char *path, const struct sprof_debug_places *places);

/*
 * Opens the file with this build id that .gnu_debugaltlink of `image` names, relative to the
 * image's path. NULL: not found.
 */
struct sprof_image *sprof_debugfile_open_alternate(const struct sprof_image *image,
	const char *path, const char *name, const void *build_id, size_t build_id_size,
	const struct sprof_debug_places *places);

/*
 * Finds the debug file of a module that is not available. NULL: not found; *ret_wrong is then the
 * path of a file with another build id (the caller frees it), or NULL.
 */
struct sprof_image *sprof_debugfile_find(const struct sprof_saved_module *saved, const char *path,
	const struct sprof_debug_places *places, char **ret_wrong);

/* The build id in hexadecimal. Returns false if there is none, or it is implausible. */
bool sprof_build_id_text(const struct sprof_image *image, char ret[SPROF_BUILD_ID_TEXT]);
