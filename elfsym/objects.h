/*
 * Files that are not linked yet: object files, and archives of them.
 */
#ifndef SPROF_ELFSYM_OBJECTS_H
#define SPROF_ELFSYM_OBJECTS_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"

/* One of them. The texts and `elf` are valid until the visit goes on. */
struct sprof_object {
	const char *member; /* its name in the archive; NULL: the file is no archive */
	void *elf;          /* libelf's Elf *; NULL: the member is no object file */
};

struct sprof_objects;

/*
 * Opens the file. *ret is NULL if it is of another kind, or can't be read as a file of objects.
 * Fails on a thin archive (kind UNSUPPORTED), which has only the paths of its members, and without
 * memory.
 */
SPROF_MUST_USE bool sprof_objects_open(
	const char *path, struct sprof_objects **ret, struct sprof_error *err);
/* NULL is accepted. */
void sprof_objects_close(struct sprof_objects *objects);

bool sprof_objects_are_archive(const struct sprof_objects *objects);

typedef bool (*sprof_object_taker)(
	void *data, const struct sprof_object *object, struct sprof_error *err);

/*
 * Gives each object file to `take`, in the order of the archive. False: `take` has returned false,
 * or the archive is broken (kind UNSUPPORTED); what comes before that place was given.
 */
SPROF_MUST_USE bool sprof_objects_visit(const struct sprof_objects *objects,
	sprof_object_taker take, void *data, struct sprof_error *err);

#endif
