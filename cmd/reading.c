/*
 * From the command line to a saved profile: the options that report, diff and merge share. Does not
 * handle the content of files (profile/).
 */
#include "cmd/reading.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cmd/progress.h"
#include "cmd/values.h"
#include "profile/build.h"
#include "profile/identify.h"
#include "profile/merge.h"
#include "profile/pprof.h"

#define FIELD(name) offsetof(struct sprof_reading, name)

const struct sprof_reading sprof_reading_defaults = {
	.shown = SPROF_SHOWN_DEFAULTS,
};

const struct sprof_option sprof_reading_filter_table[] = {
	{"pid", "p", "PID", "only threads of this process", sprof_value_pid,
		FIELD(shown.filter.pid)},
	{"from", NULL, "TIME", "from this time on since the start; see --time-slices of run",
		sprof_value_time, FIELD(shown.filter.from_ns)},
	{"to", NULL, "TIME", "up to this time since the start", sprof_value_duration,
		FIELD(shown.filter.to_ns)},
	{0},
};

bool sprof_reading_load(
	const char *path, const char *weight, struct sprof_profile **ret, struct sprof_error *err)
{
	const struct sprof_pprof_options options = {.kind = weight};
	bool is_stdin = strcmp(path, "-") == 0;
	SPROF_AUTO_CLOSE int fd =
		is_stdin ? fcntl(0, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return sprof_error_errno(err, errno, "can't read %s", path);
	return sprof_pprof_read(fd, is_stdin ? "stdin" : path, &options, ret, err);
}

static bool merge_file(
	struct sprof_profile *sum, const char *path, const char *weight, struct sprof_error *err)
{
	struct sprof_error reason = {0};
	struct sprof_profile *profile;
	bool ok;

	if (!sprof_reading_load(path, weight, &profile, err))
		return false;
	ok = sprof_profile_merge(sum, profile, &reason);
	sprof_profile_destroy(profile);
	return ok || sprof_error_set(err, reason.kind, "%s: %s", path, reason.message);
}

static bool load_all(char *const paths[], const char *weight, struct sprof_profile **ret,
	struct sprof_error *err)
{
	struct sprof_profile *sum;

	if (!paths[1])
		return sprof_reading_load(paths[0], weight, ret, err);
	sum = sprof_build_create();
	if (!sum)
		return sprof_error_no_memory(err);
	for (size_t i = 0; paths[i]; i++) {
		if (!merge_file(sum, paths[i], weight, err)) {
			sprof_profile_destroy(sum);
			return false;
		}
	}
	*ret = sum;
	return true;
}

bool sprof_reading_load_all(char *const paths[], const char *weight, struct sprof_profile **ret,
	struct sprof_error *err)
{
	struct sprof_progress *progress =
		sprof_progress_begin("reading %s%s", paths[0], paths[1] ? " and others" : "");
	bool ok = load_all(paths, weight, ret, err);

	sprof_progress_end(progress);
	return ok;
}
