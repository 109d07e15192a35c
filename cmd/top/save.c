/*
 * Saves the profile on the screen. Build ids are read from the modules' paths now: a file replaced
 * since it was loaded is not noticed.
 */
#include "cmd/top/save.h"

#include <string.h>

#include "output/format.h"
#include "profile/edit/build.h"
#include "profile/edit/merge.h"
#include "profile/names/identify.h"

static bool write_file(const char *path, const struct sprof_format *format,
	const struct sprof_profile *profile, struct sprof_error *err)
{
	struct sprof_output_options options = sprof_output_options_default();
	const size_t length = strlen(path);
	struct sprof_out *out;

	options.pack = length > 3 && !strcmp(path + length - 3, ".gz");
	if (!sprof_out_open(path, &out, err))
		return false;
	if (format->write(profile, &options, out, err))
		return sprof_out_close(out, err);
	sprof_out_discard(out);
	return false;
}

bool sprof_top_save(const char *path, const struct sprof_profile *profile, struct sprof_error *err)
{
	const struct sprof_format *format = sprof_format_by_path(path);
	struct sprof_profile *copy;
	bool saved;

	if (!format)
		return sprof_error_set(err, SPROF_ERROR_USAGE,
			"the suffix of '%s' names no format: try .pb.gz, .txt, .svg, .html, .json",
			path);
	copy = sprof_build_create();
	saved = (copy || sprof_error_no_memory(err)) && sprof_profile_merge(copy, profile, err) &&
		sprof_profile_identify(copy, err) && write_file(path, format, copy, err);
	sprof_profile_destroy(copy);
	return saved;
}
