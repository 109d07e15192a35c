/*
 * The separate debug file of a stripped module.
 */
#ifndef SPROF_ELFSYM_DEBUGFILE_H
#define SPROF_ELFSYM_DEBUGFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elfsym/debuginfod.h"
#include "elfsym/image.h"
#include "elfsym/saved.h"

/* The folder that distributions use; it holds .build-id/ab/cdef.debug. */
#define SPROF_DEBUG_ROOT "/usr/lib/debug"

enum { SPROF_BUILD_ID_TEXT = 2 * 64 + 1 };

/* The places to search, in this order. The caller owns folders and strings. */
struct sprof_debug_places {
	const char *const *folders; /* the user's */
	size_t folder_count;
	const char *inside; /* the root folder of the file's process; NULL: our own */
	const char *root;   /* first inside, then in our own root; NULL: SPROF_DEBUG_ROOT */
	struct sprof_debuginfod *debuginfod;     /* last; NULL: never */
	const struct sprof_saved_modules *saved; /* NULL: the modules have open files */
};

/*
 * The debug file of an image that was opened from `path`, by its build id or by .gnu_debuglink. The
 * latter needs the same build id, or the right CRC if there is none. NULL: there is none.
 */
struct sprof_image *sprof_debugfile_open(
	const struct sprof_image *image, const char *path, const struct sprof_debug_places *places);

/*
 * The file with this build id that .gnu_debugaltlink of `image` names, relative to the image's
 * path. NULL: there is none.
 */
struct sprof_image *sprof_debugfile_open_alternate(const struct sprof_image *image,
	const char *path, const char *name, const void *build_id, size_t build_id_size,
	const struct sprof_debug_places *places);

/*
 * The debug file of a module of which only this is known. NULL: there is none; then *ret_wrong is
 * the path of a file that has another build id (the caller frees it), or NULL.
 */
struct sprof_image *sprof_debugfile_find(const struct sprof_saved_module *saved, const char *path,
	const struct sprof_debug_places *places, char **ret_wrong);

/* The build id in hexadecimal. False: none, or an implausible one. */
bool sprof_build_id_text(const struct sprof_image *image, char ret[SPROF_BUILD_ID_TEXT]);

#endif
