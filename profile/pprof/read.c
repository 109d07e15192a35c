/*
 * Reads a file into a profile: decompresses it, then makes several passes over the same bytes,
 * because the tables may be in any order. The passes interpret the messages.
 */
#include "profile/pprof/pprof.h"

#include <stdlib.h>
#include <string.h>

#include "profile/model/index.h"
#include "profile/pprof/file.h"
#include "profile/pprof/gunzip.h"
#include "profile/pprof/other-file.h"

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
		sprof_pprof_read_names(&file, err) && sprof_pprof_read_comments(&file, err) &&
		sprof_pprof_read_locations(&file, err) && sprof_pprof_read_samples(&file, err);
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
