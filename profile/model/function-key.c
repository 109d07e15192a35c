/*
 * Keys of functions. A static C function differs from another of the same name only by its file.
 * The key includes the demangled name, because DWARF may lack the linkage name of a function in a
 * namespace.
 */

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "base/hash.h"
#include "base/strings.h"
#include "profile/model/index.h"

/* Removes the last part; false: there is none, or it leads upwards itself. */
static bool drop_part(char *path, size_t *length)
{
	size_t start = *length;

	while (start && path[start - 1] != '/')
		start--;
	if (start == *length || sprof_string_is(path + start, *length - start, ".."))
		return false;
	*length = start ? start - 1 : 0;
	return true;
}

/* Removes "." and ".." from a path, by text only. Returns its length. */
static size_t straighten(const char *path, char straight[PATH_MAX + 1])
{
	size_t length = 0;

	for (const char *part = path; *part;) {
		size_t size = strcspn(part, "/");

		if (size && !sprof_string_is(part, size, ".") &&
			!(sprof_string_is(part, size, "..") && drop_part(straight, &length))) {
			straight[length++] = '/';
			memcpy(straight + length, part, size);
			length += size;
		}
		part += size + (part[size] == '/');
	}
	return length;
}

static void add_path(struct sprof_hash *hash, const char *path)
{
	const uint64_t other_basis = ~SPROF_HASH_BASIS;
	char straight[PATH_MAX + 1];
	size_t length = strlen(path);

	/* A leading slash may be added. */
	if (length < PATH_MAX) {
		length = straighten(path, straight);
		path = straight;
	}
	sprof_hash_add_pair(hash, sprof_hash_bytes(path, length, SPROF_HASH_BASIS),
		sprof_hash_bytes(path, length, other_basis));
}

struct sprof_hash sprof_identity_key(const struct sprof_profile_function *function)
{
	struct sprof_hash hash = sprof_hash_start(function->file ? 2 : 1);

	sprof_hash_add_pair(&hash, (uintptr_t)function->name, (uintptr_t)function->linkage);
	sprof_hash_add(&hash, function->module);
	if (function->file)
		add_path(&hash, function->file);
	return hash;
}
