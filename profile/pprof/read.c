/*
 * Reads a file into a profile: decompresses it, then makes several passes over the same bytes,
 * because the tables may be in any order. The passes interpret the messages. Recognises files that
 * users pass by mistake: a pprof file differs from text by its length bytes, which are not
 * characters.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/model/index.h"
#include "profile/pprof/file.h"
#include "profile/pprof/gunzip.h"
#include "profile/pprof/pprof.h"

enum { LOOKED_AT = 512 };

static const struct {
	const char *start, *what;
} known[] = {
	{"PERFILE2", "perf's own file, of perf record"},
	{"\177ELF", "a program or a core dump"},
	{"gmon", "gprof's file"},
	{"# callgrind", "a callgrind file"},
	{"\211PNG", "a picture"},
	{"<svg", "a picture"},
	{"<?xml", "a picture"},
	{"<", "a page for a browser"},
	{"{", "JSON"},
	{"[", "JSON"},
	{"digraph", "a graph for dot"},
};

/* Text has no control characters except those for its layout. */
static bool is_text(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size && i < LOOKED_AT; i++) {
		if (!bytes[i] || (bytes[i] < ' ' && !strchr("\n\t\r\033", bytes[i])))
			return false;
	}
	return true;
}

/* Recognises folded stacks, each with a number: "main;work 12". NULL: other text. */
static const char *kind_of_text(const uint8_t *bytes, size_t size)
{
	const uint8_t *end = memchr(bytes, '\n', size);
	size_t length = end ? (size_t)(end - bytes) : size, digits = 0;

	while (digits < length && bytes[length - 1 - digits] >= '0' &&
		bytes[length - 1 - digits] <= '9')
		digits++;
	if (digits && digits < length && bytes[length - 1 - digits] == ' ')
		return "folded stacks";
	return NULL;
}

static const char *find(const uint8_t *bytes, size_t size)
{
	if (!size)
		return "empty";
	if (is_text(bytes, size) && kind_of_text(bytes, size))
		return kind_of_text(bytes, size);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t length = strlen(known[i].start);

		if (size >= length && memcmp(bytes, known[i].start, length) == 0)
			return known[i].what;
	}
	return is_text(bytes, size) ? "text" : NULL;
}

/* Returns true, with an error that names the format, if the bytes are another known format. */
static bool is_other_file(
	const uint8_t *bytes, size_t size, const char *name, struct sprof_error *err)
{
	const char *what = find(bytes, size);

	if (!what)
		return false;
	sprof_error_set(
		err, SPROF_ERROR_UNSUPPORTED, "%s: not a saved profile: it is %s", name, what);
	sprof_error_hint(
		err, "sprof reads pprof files, such as those of sprof run -o profile.pb.gz");
	return true;
}

static void finish(struct sprof_pprof_file *file)
{
	free(file->strings);
	free(file->mappings);
	free(file->functions);
	free(file->included_by);
	free(file->lines);
	sprof_pprof_ids_finish(&file->mapping_ids);
	sprof_pprof_ids_finish(&file->function_ids);
	sprof_pprof_ids_finish(&file->location_ids);
}

/* Derives from the content what another tool's file doesn't say of itself. */
static bool complete(struct sprof_profile *profile)
{
	struct sprof_quality *quality = &profile->quality;

	profile->index->locations_named = profile->location_count;
	if (sprof_profile_counts_time(profile))
		return true;
	quality->threads_seen = profile->thread_count;
	quality->processes_seen = profile->process_count;
	/* By convention of the format, the first mapping is the program. */
	return profile->command || !sprof_modules_count(profile->modules) ||
		sprof_profile_describe(profile, sprof_modules_get(profile->modules, 0)->path,
			profile->start_realtime_ns);
}

bool sprof_pprof_read_bytes(const uint8_t *bytes, size_t size, const char *name,
	const struct sprof_pprof_options *options, struct sprof_profile **ret,
	struct sprof_error *err)
{
	struct sprof_pprof_file file = {.name = name};
	struct sprof_bytes unpacked = {0};
	bool ok = true;

	if (sprof_is_gzip(bytes, size)) {
		ok = sprof_gunzip(bytes, size, name, &unpacked, err);
		bytes = unpacked.data;
		size = unpacked.size;
	}
	ok = ok && !is_other_file(bytes, size, name, err);
	if (!ok) {
		free(unpacked.data);
		return false;
	}
	file.all = (struct sprof_wire){.at = bytes, .end = bytes + size};
	file.profile = sprof_build_create();
	if (!file.profile)
		ok = sprof_error_no_memory(err);
	ok = ok && sprof_pprof_read_head(&file, options, err) &&
		sprof_pprof_read_names(&file, err) && sprof_pprof_read_comments(&file, err);
	if (ok && !options->head_only)
		ok = sprof_pprof_read_locations(&file, err) && sprof_pprof_read_samples(&file, err);
	ok = ok && (complete(file.profile) || sprof_error_no_memory(err));
	if (ok)
		file.profile->checksum = (uint32_t)crc32_z(0, bytes, size);
	finish(&file);
	free(unpacked.data);
	if (!ok) {
		sprof_profile_destroy(file.profile);
		return false;
	}
	*ret = file.profile;
	return true;
}
