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
#include "profile/pprof/folded.h"
#include "profile/pprof/gunzip.h"
#include "profile/pprof/perf-script.h"
#include "profile/pprof/pprof.h"

enum { LOOKED_AT = 512 };

static const struct {
	const char *start, *what;
} known[] = {
	{"PERFILE2", "a file in perf's own format"}, /* first: it has a hint */
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

/* By its first bytes. NULL: none of these. */
static const char *find_known(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t length = strlen(known[i].start);

		if (size >= length && memcmp(bytes, known[i].start, length) == 0)
			return known[i].what;
	}
	return NULL;
}

static const struct text_form {
	const char *name;
	bool (*is)(const uint8_t *bytes, size_t size);
	bool (*read)(struct sprof_text_lines *lines, struct sprof_error *err);
} text_forms[] = {
	{"folded stacks", sprof_folded_is, sprof_folded_read},
	{"perf script", sprof_perf_script_is, sprof_perf_script_read},
};

/* A form of stacks in text. NULL: it is none. */
static const struct text_form *find_text(const uint8_t *bytes, size_t size)
{
	if (!size || !is_text(bytes, size))
		return NULL;
	for (size_t i = 0; i < sizeof(text_forms) / sizeof(text_forms[0]); i++) {
		if (text_forms[i].is(bytes, size))
			return &text_forms[i];
	}
	return NULL;
}

static const char *find(const uint8_t *bytes, size_t size)
{
	const char *what = find_known(bytes, size);

	if (!size)
		return "empty";
	return what ? what : is_text(bytes, size) ? "text" : NULL;
}

/* A command that can be pasted, also if the path has blanks. */
static void hint_at_perf(const char *name, struct sprof_error *err)
{
	const char *quote = name[strcspn(name, " \t$&;()<>|*?\"\\")] ? "'" : "";

	sprof_error_hint(err,
		"perf itself reads it: perf script -F +pid -i %s%s%s | sprof report -", quote,
		strcmp(name, "stdin") == 0 ? "perf.data" : name, quote);
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
	if (what == known[0].what)
		hint_at_perf(name, err);
	else
		sprof_error_hint(err,
			"sprof reads pprof files, such as those of sprof run -o profile.pb.gz, "
			"folded stacks, and what perf script prints of stacks");
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

/* A file in the format. */
static bool read_messages(struct sprof_pprof_file *file, const struct sprof_pprof_options *options,
	struct sprof_error *err)
{
	return sprof_pprof_read_head(file, options, err) && sprof_pprof_read_names(file, err) &&
		sprof_pprof_read_comments(file, err) &&
		(options->head_only ||
			(sprof_pprof_read_locations(file, err) &&
				sprof_pprof_read_samples(file, err)));
}

static bool read_text(const struct text_form *form, const uint8_t *bytes, size_t size,
	const struct sprof_pprof_file *file, const struct sprof_pprof_options *options,
	struct sprof_error *err)
{
	struct sprof_text_lines lines = {.name = file->name,
		.kind = form->name,
		.at = bytes,
		.end = bytes + size,
		.profile = file->profile};
	const bool ok = sprof_text_lines_begin(&lines, options, err) &&
		(options->head_only || form->read(&lines, err));

	sprof_text_lines_finish(&lines);
	return ok;
}

static bool read_profile(const uint8_t *bytes, size_t size, const char *name,
	const struct sprof_pprof_options *options, struct sprof_profile *profile,
	struct sprof_error *err)
{
	struct sprof_pprof_file file = {
		.name = name, .profile = profile, .all = {.at = bytes, .end = bytes + size}};
	const struct text_form *text = find_text(bytes, size);
	bool ok;

	if (text)
		ok = read_text(text, bytes, size, &file, options, err);
	else
		ok = !is_other_file(bytes, size, name, err) && read_messages(&file, options, err);
	finish(&file);
	return ok && (complete(profile) || sprof_error_no_memory(err));
}

bool sprof_pprof_read_bytes(const uint8_t *bytes, size_t size, const char *name,
	const struct sprof_pprof_options *options, struct sprof_profile **ret,
	struct sprof_error *err)
{
	struct sprof_profile *profile = sprof_build_create();
	struct sprof_bytes unpacked = {0};
	bool ok = profile || sprof_error_no_memory(err);

	if (ok && sprof_is_gzip(bytes, size)) {
		ok = sprof_gunzip(bytes, size, name, &unpacked, err);
		bytes = unpacked.data;
		size = unpacked.size;
	}
	ok = ok && read_profile(bytes, size, name, options, profile, err);
	if (ok)
		profile->checksum = (uint32_t)crc32_z(0, bytes, size);
	free(unpacked.data);
	if (!ok) {
		sprof_profile_destroy(profile);
		return false;
	}
	*ret = profile;
	return true;
}
