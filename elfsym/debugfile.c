/*
 * Finds debug files by build id, the one way in which a wrong file can't be taken for the right
 * one.
 * (.gnu_debuglink, --debug-dir and debuginfod have their place here.) Never goes to the network.
 */
#include "elfsym/debugfile.h"

#include <elfutils/libdwelf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

enum {
	MIN_ID = 2,
	MAX_ID = 64
};

/* The length of the build id, 0 if there is none that makes sense. */
static size_t build_id(const struct sprof_image *image, const uint8_t **ret_bytes)
{
	const void *bytes;
	ssize_t length = dwelf_elf_gnu_build_id(image->elf, &bytes);

	if (length < MIN_ID || length > MAX_ID)
		return 0;
	*ret_bytes = bytes;
	return (size_t)length;
}

static bool same_build_id(const struct sprof_image *a, const struct sprof_image *b)
{
	const uint8_t *a_bytes, *b_bytes;
	size_t a_length = build_id(a, &a_bytes), b_length = build_id(b, &b_bytes);

	return a_length && a_length == b_length && memcmp(a_bytes, b_bytes, a_length) == 0;
}

static bool build_id_path(const struct sprof_image *image, const char *root, char path[PATH_MAX])
{
	const uint8_t *bytes;
	size_t length = build_id(image, &bytes);
	char text[2 * MAX_ID + 1];

	if (!length)
		return false;
	for (size_t i = 0; i < length; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return snprintf(path, PATH_MAX, "%s/.build-id/%.2s/%s.debug", root, text, text + 2) <
	       PATH_MAX;
}

struct sprof_image *sprof_debugfile_open(const struct sprof_image *image, const char *root)
{
	SPROF_AUTO_FREE char *path = malloc(PATH_MAX);
	struct sprof_image *debug;
	struct sprof_error ignored;

	if (!path || !build_id_path(image, root, path) ||
		!sprof_image_open_path(path, &debug, &ignored))
		return NULL;
	if (!same_build_id(image, debug)) {
		sprof_image_close(debug);
		return NULL;
	}
	return debug;
}
