/*
 * Finds separate debug files, where distributions, packagers and users put them. The build id
 * decides whether a file is the right one; the CRC decides only for a file without a build id. Uses
 * the network last, and only through the caller's debuginfod.
 */
#include "elfsym/debug-files/debugfile.h"

#include <elfutils/libdwelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "elfsym/debug-files/debuglink.h"

enum { MIN_ID = 2, MAX_ID = 64 };

struct search {
	const struct sprof_image *image;
	const struct sprof_debug_places *places;
	const uint8_t *id;
	size_t id_size; /* 0: none */
	char id_text[SPROF_BUILD_ID_TEXT];
	struct sprof_debuglink link; /* name NULL: none */
	int folder_length;           /* of the image's path, up to its last slash */
	const char *path;
	const char *prefix; /* put before folders: "", or the root of another mount namespace */
	char candidate[PATH_MAX];
	char *wrong; /* the first file with another build id; NULL: none */
};

/* The length of the build id; 0 if there is none or it is implausible. */
static size_t build_id(const struct sprof_image *image, const uint8_t **ret_bytes)
{
	const void *bytes;
	ssize_t length = dwelf_elf_gnu_build_id(image->elf, &bytes);

	if (length < MIN_ID || length > MAX_ID)
		return 0;
	*ret_bytes = bytes;
	return (size_t)length;
}

static void write_hex(const uint8_t *bytes, size_t size, char *text)
{
	for (size_t i = 0; i < size; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

bool sprof_build_id_text(const struct sprof_image *image, char ret[SPROF_BUILD_ID_TEXT])
{
	const uint8_t *bytes = NULL;
	size_t size = build_id(image, &bytes);

	write_hex(bytes, size, ret);
	return size;
}

/* A file next to the image may be the image itself, which carries the debuglink. */
static bool is_right(const struct search *search, const struct sprof_image *found)
{
	const uint8_t *id = NULL;
	size_t size = build_id(found, &id);

	if (size && search->id_size)
		return size == search->id_size && memcmp(id, search->id, size) == 0;
	return search->link.name && sprof_debuglink_matches(found->own_fd, search->link.crc);
}

/* Opens search->candidate; `length` is snprintf's result for it. */
static struct sprof_image *try(struct search *search, int length)
{
	struct sprof_image *found;
	struct sprof_error ignored;

	if (length < 0 || length >= PATH_MAX ||
		!sprof_image_open_path(search->candidate, &found, &ignored))
		return NULL;
	if (is_right(search, found))
		return found;
	if (!search->wrong && search->id_size)
		search->wrong = strdup(search->candidate);
	sprof_image_close(found);
	return NULL;
}

static struct sprof_image *try_build_id(struct search *search, const char *folder)
{
	const char *id = search->id_text;
	struct sprof_image *found;

	if (!search->id_size)
		return NULL;
	found = try(search,
		snprintf(search->candidate, PATH_MAX, "%s%s/.build-id/%.2s/%s.debug",
			search->prefix, folder, id, id + 2));
	return found ? found
		     : try(search,
			       snprintf(search->candidate, PATH_MAX, "%s%s/%.2s/%s.debug",
				       search->prefix, folder, id, id + 2));
}

/* ROOT/FOLDER/NAME, as distributions place it. */
static struct sprof_image *try_link_below(struct search *search, const char *root)
{
	if (!search->link.name)
		return NULL;
	return try(search,
		snprintf(search->candidate, PATH_MAX, "%s%s%s%.*s%s", search->prefix, root,
			search->path[0] == '/' ? "" : "/", search->folder_length, search->path,
			search->link.name));
}

/* A user's folder may be flat: files named by the debuglink or after the program. */
static struct sprof_image *try_flat(struct search *search, const char *folder)
{
	struct sprof_image *found = NULL;

	if (search->link.name)
		found = try(search,
			snprintf(search->candidate, PATH_MAX, "%s/%s", folder, search->link.name));
	if (!found && search->id_size)
		found = try(search,
			snprintf(search->candidate, PATH_MAX, "%s/%s.debug", folder,
				search->path + search->folder_length));
	return found;
}

static struct sprof_image *try_neighbours(struct search *search)
{
	struct sprof_image *found;

	if (!search->link.name)
		return NULL;
	found = try(search,
		snprintf(search->candidate, PATH_MAX, "%s%.*s%s", search->prefix,
			search->folder_length, search->path, search->link.name));
	return found
		? found
		: try(search,
			  snprintf(search->candidate, PATH_MAX, "%s%.*s.debug/%s", search->prefix,
				  search->folder_length, search->path, search->link.name));
}

static struct sprof_image *try_debuginfod(struct search *search)
{
	int length;

	if (!search->id_size || !search->places->debuginfod ||
		!sprof_debuginfod_find(search->places->debuginfod, search->id_text,
			search->path + search->folder_length, search->candidate, PATH_MAX))
		return NULL;
	length = (int)strlen(search->candidate);
	return try(search, length);
}

/* The places that a system uses. */
static struct sprof_image *try_system(struct search *search, const char *prefix)
{
	const char *root = search->places->root ? search->places->root : SPROF_DEBUG_ROOT;
	struct sprof_image *found;

	search->prefix = prefix;
	found = try_build_id(search, root);
	found = found ? found : try_neighbours(search);
	return found ? found : try_link_below(search, root);
}

static struct sprof_image *try_all(struct search *search)
{
	const struct sprof_debug_places *places = search->places;
	struct sprof_image *found = NULL;

	for (size_t i = 0; !found && i < places->folder_count; i++) {
		found = try_build_id(search, places->folders[i]);
		found = found ? found : try_link_below(search, places->folders[i]);
		found = found ? found : try_flat(search, places->folders[i]);
	}
	if (!found && places->inside)
		found = try_system(search, places->inside);
	found = found ? found : try_system(search, "");
	return found ? found : try_debuginfod(search);
}

static void split_path(struct search *search)
{
	const char *slash = strrchr(search->path, '/');

	search->folder_length = slash ? (int)(slash - search->path) + 1 : 0;
}

struct sprof_image *sprof_debugfile_open(
	const struct sprof_image *image, const char *path, const struct sprof_debug_places *places)
{
	SPROF_AUTO_FREE struct search *search = calloc(1, sizeof(*search));
	struct sprof_image *found;
	struct sprof_section section;
	bool has_link;

	if (!search)
		return NULL;
	*search = (struct search){.image = image, .places = places, .path = path, .prefix = ""};
	search->id_size = build_id(image, &search->id);
	write_hex(search->id, search->id_size, search->id_text);
	split_path(search);
	has_link = sprof_image_section(image, ".gnu_debuglink", &section) &&
		sprof_debuglink_parse(section.bytes, section.size, &search->link);
	found = search->id_size || has_link ? try_all(search) : NULL;
	free(search->wrong);
	return found;
}

/* The bytes of a build id as text; 0: it is not a build id. */
static size_t read_hex(const char *text, uint8_t bytes[MAX_ID])
{
	size_t length = text ? strlen(text) : 0;
	unsigned byte;

	if (length % 2 || length / 2 < MIN_ID || length / 2 > MAX_ID ||
		strspn(text, "0123456789abcdef") != length)
		return 0;
	for (size_t i = 0; i < length / 2 && sscanf(text + 2 * i, "%2x", &byte) == 1; i++)
		bytes[i] = (uint8_t)byte;
	return length / 2;
}

struct sprof_image *sprof_debugfile_find(const struct sprof_saved_module *saved, const char *path,
	const struct sprof_debug_places *places, char **ret_wrong)
{
	SPROF_AUTO_FREE struct search *search = calloc(1, sizeof(*search));
	struct sprof_image *found = NULL;
	uint8_t id[MAX_ID];

	*ret_wrong = NULL;
	if (!search)
		return NULL;
	*search = (struct search){.places = places, .path = path, .prefix = "", .id = id};
	search->link = (struct sprof_debuglink){saved->debuglink, saved->debuglink_crc};
	search->id_size = read_hex(saved->build_id, id);
	write_hex(id, search->id_size, search->id_text);
	split_path(search);
	if (search->id_size || search->link.name)
		found = try_all(search);
	if (found)
		free(search->wrong);
	else
		*ret_wrong = search->wrong;
	return found;
}

struct sprof_image *sprof_debugfile_open_alternate(const struct sprof_image *image,
	const char *path, const char *name, const void *id, size_t id_size,
	const struct sprof_debug_places *places)
{
	SPROF_AUTO_FREE struct search *search = calloc(1, sizeof(*search));
	struct sprof_image *found;
	bool absolute = name[0] == '/';

	if (!search || id_size < MIN_ID || id_size > MAX_ID)
		return NULL;
	*search = (struct search){.image = image, .places = places, .path = path, .prefix = ""};
	search->id = id;
	search->id_size = id_size;
	write_hex(id, id_size, search->id_text);
	split_path(search);
	found = try(search,
		snprintf(search->candidate, PATH_MAX, "%.*s%s",
			absolute ? 0 : search->folder_length, path, name));
	if (!found && absolute && places->inside)
		found = try(search,
			snprintf(search->candidate, PATH_MAX, "%s%s", places->inside, name));
	found = found ? found : try_all(search);
	free(search->wrong);
	return found;
}
