/*
 * Saved profiles, packed or not. Whatever is read can be reported on, filtered, merged and written in
 * every format that needs nothing but the profile, and what is written as a profile can be read again.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "output/format.h"
#include "profile/edit/filter.h"
#include "profile/edit/merge.h"
#include "profile/model/build.h"
#include "profile/pprof/pprof.h"
#include "tests/fuzz/fuzz.h"

static void write_as(const struct sprof_format *format, const struct sprof_profile *profile,
	const struct sprof_groups *groups, int fd)
{
	struct sprof_output_options options = sprof_output_options_default();
	struct sprof_error err;
	struct sprof_out *out;

	options.groups = groups;
	options.weight = profile->kinds.shown;
	fuzz_require(sprof_out_open_fd(fd, "nowhere", &out, &err));
	fuzz_require(format->write(profile, &options, out, &err) || format->wants_files);
	fuzz_require(sprof_out_close(out, &err));
}

/* As if the modules' files had been found: one segment each, that many frames are in. */
static void pretend_files(struct sprof_profile *profile)
{
	for (size_t i = 0; i < profile->module_count; i++) {
		struct sprof_profile_module *facts = &profile->module_facts[i];

		free(facts->segments);
		facts->segments = calloc(1, sizeof(*facts->segments));
		fuzz_require(facts->segments != NULL);
		facts->segment_count = 1;
		facts->segments[0] =
			(struct sprof_segment){.file_size = UINT64_MAX / 2, .address = i << 32};
	}
}

/* NULL: no such label. */
static const struct sprof_groups *tell_apart(
	const struct sprof_profile *profile, const char *label, struct sprof_groups *groups)
{
	struct sprof_error err;

	if (!sprof_groups_build(profile, label, SPROF_WEIGHT_SAMPLES, groups, &err))
		return NULL;
	return groups;
}

static void write_in_all(const struct sprof_profile *profile, const char *label)
{
	static const struct sprof_format *const formats[] = {&sprof_format_text,
		&sprof_format_folded, &sprof_format_json, &sprof_format_speedscope,
		&sprof_format_firefox, &sprof_format_chrome, &sprof_format_callgrind,
		&sprof_format_perf, &sprof_format_dot, &sprof_format_gmon, &sprof_format_html,
		&sprof_format_svg};
	struct sprof_groups groups = {0};
	const struct sprof_groups *told_apart = tell_apart(profile, label, &groups);
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		write_as(formats[i], profile, told_apart, nowhere);
	if (sprof_profile_counts_time(profile))
		write_as(&sprof_format_summary, profile, told_apart, nowhere);
	close(nowhere);
	sprof_groups_finish(&groups);
}

static void read_again(const struct sprof_profile *profile)
{
	const struct sprof_pprof_options options = {0};
	int memory = memfd_create("fuzz", MFD_CLOEXEC);
	struct sprof_profile *again;
	struct sprof_error err;

	write_as(&sprof_format_pprof, profile, NULL, memory);
	fuzz_require(lseek(memory, 0, SEEK_SET) == 0);
	fuzz_require(sprof_pprof_read(memory, "written", &options, &again, &err));
	fuzz_require(again->thread_count <= profile->thread_count + 1);
	sprof_profile_destroy(again);
	close(memory);
}

static void filter_and_merge(const struct sprof_profile *profile, const struct sprof_filter *filter)
{
	struct sprof_profile *part, *sum = sprof_build_create();
	struct sprof_error err = {0};

	if (!sprof_profile_filter(profile, filter, &part, &err)) {
		fuzz_require(err.kind == SPROF_ERROR_NOT_FOUND);
		sprof_profile_destroy(sum);
		return;
	}
	fuzz_require(sprof_profile_merge(sum, profile, &err));
	fuzz_require(sprof_profile_merge(sum, part, &err));
	read_again(sum);
	sprof_profile_destroy(part);
	sprof_profile_destroy(sum);
}

static void filter_by_all(const struct sprof_profile *profile)
{
	filter_and_merge(
		profile, &(struct sprof_filter){.ignore.function = "^a", .hide.function = "b"});
	filter_and_merge(profile, &(struct sprof_filter){.label = "b=^[^x]"});
	if (profile->span_count)
		filter_and_merge(
			profile, &(struct sprof_filter){.from_ns = 100, .to_ns = 3000000000});
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct sprof_pprof_options options = {0};
	struct sprof_profile *profile;
	struct sprof_error err;
	char *copy = fuzz_text(bytes, size);

	if (sprof_pprof_read_bytes((const uint8_t *)copy, size, "fuzz", &options, &profile, &err)) {
		if (size % 2)
			pretend_files(profile);
		write_in_all(profile, size % 4 < 2 ? "pid" : "b");
		read_again(profile);
		filter_by_all(profile);
		sprof_profile_destroy(profile);
	}
	free(copy);
	return 0;
}
