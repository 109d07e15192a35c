/* Files that are not linked yet: object files and archives. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"

/* One object file. Texts and `elf` are valid during the callback. */
struct sprof_object {
	const char *member; /* name in the archive; NULL: not an archive */
	void *elf;          /* libelf's Elf *; NULL: the member is not an object file */
};

struct sprof_objects;

/*
 * Opens the file. *ret is NULL if it is neither an object file nor an archive. Fails on a thin
 * archive (kind UNSUPPORTED), which only has paths of its members, and if out of memory.
 */
SPROF_MUST_USE bool sprof_objects_open(
	const char *path, struct sprof_objects **ret, struct sprof_error *err);
/* NULL is accepted. */
void sprof_objects_close(struct sprof_objects *objects);

bool sprof_objects_are_archive(const struct sprof_objects *objects);

typedef bool (*sprof_object_taker)(
	void *data, const struct sprof_object *object, struct sprof_error *err);

/*
 * Passes each object file to `take`, in archive order. Returns false if `take` did, or if the
 * archive is corrupt (kind UNSUPPORTED); earlier members were passed.
 */
SPROF_MUST_USE bool sprof_objects_visit(const struct sprof_objects *objects,
	sprof_object_taker take, void *data, struct sprof_error *err);
