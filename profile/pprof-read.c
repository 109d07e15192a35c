/*
 * The way from a file to a profile: unpack, then several passes over the same bytes, because a file
 * may hold its tables in any order. Knows the order of the passes and the tables of ids; what the
 * messages mean is in the files of the passes.
 */
#include "profile/pprof.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/gunzip.h"
#include "profile/index.h"
#include "profile/other-file.h"
#include "profile/pprof-file.h"

bool sprof_pprof_fail(
	const struct sprof_pprof_file *file, struct sprof_error *err, const char *format, ...)
{
	char what[256];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED, "%s: %s", file->name, what);
}

bool sprof_pprof_text(struct sprof_pprof_file *file, uint64_t index, const char **ret,
	struct sprof_error *err)
{
	struct sprof_pprof_string *string;

	if (index >= file->string_count) {
		if (index)
			return sprof_pprof_fail(file, err, "refers to string %llu of %zu",
				(unsigned long long)index, file->string_count);
		*ret = "";
		return true;
	}
	string = &file->strings[index];
	if (!string->interned)
		string->interned = sprof_build_string(file->profile, (const char *)string->text,
			strnlen((const char *)string->text, string->length));
	*ret = string->interned;
	return *ret || sprof_error_no_memory(err);
}

bool sprof_pprof_ids_init(struct sprof_pprof_ids *ids, size_t count)
{
	ids->dense_count = count + 1;
	ids->dense = malloc(ids->dense_count * sizeof(*ids->dense));
	if (ids->dense)
		memset(ids->dense, 0xff, ids->dense_count * sizeof(*ids->dense));
	return ids->dense;
}

bool sprof_pprof_ids_put(struct sprof_pprof_ids *ids, uint64_t id, uint32_t index)
{
	if (id >= ids->dense_count)
		return sprof_idmap_put(&ids->sparse, 0, id, index);
	ids->dense[id] = index;
	return true;
}

uint32_t sprof_pprof_ids_find(const struct sprof_pprof_ids *ids, uint64_t id)
{
	return id < ids->dense_count ? ids->dense[id] : sprof_idmap_find(&ids->sparse, 0, id);
}

static void ids_finish(struct sprof_pprof_ids *ids)
{
	free(ids->dense);
	sprof_idmap_finish(&ids->sparse);
}

static void finish(struct sprof_pprof_file *file)
{
	free(file->strings);
	free(file->mappings);
	free(file->functions);
	free(file->lines);
	ids_finish(&file->mapping_ids);
	ids_finish(&file->function_ids);
	ids_finish(&file->location_ids);
}

/* What a foreign file doesn't say of itself, said from what is in it. */
static bool complete(struct sprof_profile *profile)
{
	struct sprof_quality *quality = &profile->quality;

	profile->index->locations_named = profile->location_count;
	if (!profile->foreign.kind_count)
		return true;
	quality->threads_seen = profile->thread_count;
	quality->processes_seen = profile->process_count;
	/* The first mapping is the program, by convention of the format. */
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
	ok = ok && !sprof_is_other_file(bytes, size, name, err);
	if (!ok) {
		free(unpacked.data);
		return false;
	}
	file.all = (struct sprof_wire){.at = bytes, .end = bytes + size};
	file.profile = sprof_build_create();
	if (!file.profile)
		ok = sprof_error_no_memory(err);
	ok = ok && sprof_pprof_read_head(&file, options, err) &&
	     sprof_pprof_read_names(&file, err) &&
	     sprof_pprof_read_comments(&file, err) && sprof_pprof_read_samples(&file, err);
	ok = ok && (complete(file.profile) || sprof_error_no_memory(err));
	finish(&file);
	free(unpacked.data);
	if (!ok) {
		sprof_profile_destroy(file.profile);
		return false;
	}
	*ret = file.profile;
	return true;
}

bool sprof_pprof_read(int fd, const char *name, const struct sprof_pprof_options *options,
	struct sprof_profile **ret, struct sprof_error *err)
{
	struct sprof_bytes bytes;
	bool ok;

	if (!sprof_bytes_read(fd, name, &bytes, err))
		return false;
	ok = sprof_pprof_read_bytes(bytes.data, bytes.size, name, options, ret, err);
	free(bytes.data);
	return ok;
}
