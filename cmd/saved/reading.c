/*
 * Loads saved profiles from the command line: options shared by report, diff and merge. profile/
 * parses the files.
 */
#include "cmd/saved/reading.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "cmd/cli/option-values.h"
#include "cmd/cli/progress.h"
#include "profile/edit/merge.h"
#include "profile/edit/run-order.h"
#include "profile/model/build.h"
#include "profile/names/rename.h"
#include "profile/pprof/pprof.h"

#define FIELD(name) offsetof(struct sprof_reading, name)

const struct sprof_reading sprof_reading_defaults = {
	.shown = SPROF_REPORT_OPTIONS_DEFAULTS,
	.naming = {.debuginfod_limit_ns = SPROF_DEBUGINFOD_LIMIT_NS},
};

const struct sprof_option sprof_reading_filter_table[] = {
	{"pid", "p", "PID", "only threads of this process", sprof_value_pid,
		FIELD(shown.filter.pid)},
	{"from", NULL, "TIME",
		"only samples at least TIME after the start; needs run --time-slices",
		sprof_value_time, FIELD(shown.filter.from_ns)},
	{"to", NULL, "TIME", "only samples at most TIME after the start", sprof_value_duration,
		FIELD(shown.filter.to_ns)},
	{0},
};

/* Whether the user has named a source of names. */
static bool wants_names(const struct sprof_naming *naming)
{
	return naming->folders.count || naming->sysmaps.count || naming->debuginfod ||
		naming->trust_paths;
}

static bool name_late(
	const struct sprof_naming *naming, struct sprof_profile **profile, struct sprof_error *err)
{
	struct sprof_saved_modules saved;
	struct sprof_namer namer;
	bool ok;

	if (!sprof_profile_saved_modules(*profile, &saved))
		return sprof_error_no_memory(err);
	saved.trust_paths = naming->trust_paths;
	ok = sprof_namer_create_saved(naming, (*profile)->modules, &saved, &namer, err);
	if (ok) {
		ok = sprof_profile_rename(profile, namer.symbols, err);
		sprof_namer_finish(&namer);
	}
	sprof_saved_modules_finish(&saved);
	return ok;
}

static bool read_file(const struct sprof_reading *options, const char *path, bool head_only,
	struct sprof_profile **ret, struct sprof_error *err)
{
	const struct sprof_pprof_options wanted = {
		.kind = options->shown.weight, .head_only = head_only};
	bool is_stdin = strcmp(path, "-") == 0;
	SPROF_AUTO_CLOSE int fd =
		is_stdin ? fcntl(0, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return sprof_error_errno(err, errno, "can't read %s", path);
	return sprof_pprof_read(fd, is_stdin ? "stdin" : path, &wanted, ret, err);
}

bool sprof_reading_load(const struct sprof_reading *options, const char *path,
	struct sprof_profile **ret, struct sprof_error *err)
{
	struct sprof_profile *profile;

	if (!read_file(options, path, false, &profile, err))
		return false;
	if (wants_names(&options->naming) && !name_late(&options->naming, &profile, err)) {
		sprof_profile_destroy(profile);
		return false;
	}
	*ret = profile;
	return true;
}

struct input {
	const char *path;
	struct sprof_run_key key;
	struct sprof_profile *profile; /* NULL: not in memory */
};

static int compare_keys(const void *one, const void *other)
{
	const struct input *left = one, *right = other;

	return sprof_run_order(&left->key, &right->key);
}

/* A pipe can't. */
static bool can_be_read_again(const char *path)
{
	struct stat status;

	return strcmp(path, "-") != 0 && !stat(path, &status) && S_ISREG(status.st_mode);
}

static bool read_key(
	const struct sprof_reading *options, struct input *input, struct sprof_error *err)
{
	const bool again = can_be_read_again(input->path);

	if (again ? !read_file(options, input->path, true, &input->profile, err)
		  : !sprof_reading_load(options, input->path, &input->profile, err))
		return false;
	input->key = sprof_run_key_of(input->profile);
	if (again) {
		sprof_profile_destroy(input->profile);
		input->profile = NULL;
	}
	return true;
}

static bool merge_input(const struct sprof_reading *options, struct input *input,
	struct sprof_profile *sum, struct sprof_error *err)
{
	struct sprof_error reason = {0};

	if (!input->profile && !sprof_reading_load(options, input->path, &input->profile, err))
		return false;
	if (!sprof_profile_merge(sum, input->profile, &reason))
		return sprof_error_set(err, reason.kind, "%s: %s", input->path, reason.message);
	sprof_profile_destroy(input->profile);
	input->profile = NULL;
	return true;
}

/*
 * Reads files twice, first only when they began: thousands of large ones would not fit into memory
 * side by side.
 */
static bool load_several(const struct sprof_reading *options, char *const paths[], size_t count,
	struct sprof_profile *sum, struct sprof_error *err)
{
	SPROF_AUTO_FREE struct input *inputs = calloc(count, sizeof(*inputs));
	bool ok = inputs || sprof_error_no_memory(err);

	for (size_t i = 0; ok && i < count; i++) {
		inputs[i].path = paths[i];
		ok = read_key(options, &inputs[i], err);
	}
	if (ok)
		qsort(inputs, count, sizeof(*inputs), compare_keys);
	for (size_t i = 0; ok && i < count; i++)
		ok = merge_input(options, &inputs[i], sum, err);
	for (size_t i = 0; inputs && i < count; i++)
		sprof_profile_destroy(inputs[i].profile);
	return ok;
}

static bool load_all(const struct sprof_reading *options, char *const paths[],
	struct sprof_profile **ret, struct sprof_error *err)
{
	struct sprof_profile *sum;
	size_t count = 0;

	if (!paths[1])
		return sprof_reading_load(options, paths[0], ret, err);
	while (paths[count])
		count++;
	sum = sprof_build_create();
	if (!sum)
		return sprof_error_no_memory(err);
	if (!load_several(options, paths, count, sum, err)) {
		sprof_profile_destroy(sum);
		return false;
	}
	*ret = sum;
	return true;
}

bool sprof_reading_load_all(const struct sprof_reading *options, char *const paths[],
	struct sprof_profile **ret, struct sprof_error *err)
{
	struct sprof_progress *progress =
		sprof_progress_begin("reading %s%s", paths[0], paths[1] ? " and others" : "");
	bool ok = load_all(options, paths, ret, err);

	sprof_progress_end(progress);
	return ok;
}
