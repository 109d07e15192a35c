/*
 * Names of frames to group by. Does not group: groups.c does.
 */
#include "profile/group-frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "profile/match.h"
#include "profile/objects.h"

/* The names of all lines of locations, NULL where there is none. False: no memory. */
typedef bool names_function(
	const struct sprof_profile *profile, struct sprof_strtab *strings, const char **ret);

static bool name_objects(
	const struct sprof_profile *profile, struct sprof_strtab *strings, const char **ret)
{
	SPROF_AUTO_FREE const char **paths = sprof_objects_paths(profile);
	bool ok = paths;

	for (size_t i = 0; ok && i < profile->line_count; i++) {
		const char *path = paths[profile->lines[i].function];

		ret[i] = path ? sprof_strtab_intern(strings, path) : NULL;
		ok = ret[i] || !path;
	}
	return ok;
}

static bool name_files(
	const struct sprof_profile *profile, struct sprof_strtab *strings, const char **ret)
{
	for (size_t i = 0; i < profile->line_count; i++) {
		const char *file = profile->functions[profile->lines[i].function].file;

		ret[i] = file && file[0] ? sprof_strtab_intern(strings, file) : NULL;
		if (!ret[i] && file && file[0])
			return false;
	}
	return true;
}

static bool name_source_lines(
	const struct sprof_profile *profile, struct sprof_strtab *strings, const char **ret)
{
	for (size_t i = 0; i < profile->line_count; i++) {
		const struct sprof_profile_line *line = &profile->lines[i];
		const char *file = profile->functions[line->function].file;
		SPROF_AUTO_FREE char *text = NULL;

		if (!file || !file[0] || !line->line)
			continue;
		if (asprintf(&text, "%s:%" PRIu32, file, line->line) < 0) {
			text = NULL;
			return false;
		}
		ret[i] = sprof_strtab_intern(strings, text);
		if (!ret[i])
			return false;
	}
	return true;
}

static const struct {
	const char *name;
	names_function *names;
} kinds[] = {
	{"dso", name_objects},
	{"file", name_files},
	{"srcline", name_source_lines},
};

static names_function *find(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, name) == 0)
			return kinds[i].names;
	}
	return NULL;
}

bool sprof_frames_have(const char *name)
{
	return find(name);
}

static const struct sprof_profile_location *location_of(
	const struct sprof_profile *profile, uint32_t stack)
{
	return &profile->locations[profile->stacks[stack].location];
}

/* Names each row as its innermost frame. */
static void name_rows(const struct sprof_profile *profile, const struct sprof_grouping *grouping)
{
	for (size_t i = 0; i < profile->row_count; i++) {
		uint32_t stack = profile->rows[i].stack;

		if (stack != SPROF_PROFILE_ROOT)
			grouping->rows[i] =
				grouping->lines[location_of(profile, stack)->first_line];
	}
}

static bool has_name(const struct sprof_groups *groups)
{
	return groups->count && groups->items[0].name;
}

bool sprof_groups_build_frames(const struct sprof_profile *profile, const char *name,
	enum sprof_weight weight, struct sprof_groups *ret, struct sprof_error *err)
{
	struct sprof_groups groups = {.label = name, .names = sprof_strtab_create()};
	SPROF_AUTO_FREE const char **rows = calloc(profile->row_count + 1, sizeof(*rows));
	SPROF_AUTO_FREE const char **lines = calloc(profile->line_count + 1, sizeof(*lines));
	const struct sprof_grouping grouping = {rows, lines};
	bool ok = groups.names && rows && lines && find(name)(profile, groups.names, lines);

	if (ok) {
		name_rows(profile, &grouping);
		ok = sprof_groups_fill(profile, &grouping, weight, &groups);
	}
	if (!ok)
		sprof_error_no_memory(err);
	else if (profile->row_count && !has_name(&groups))
		ok = sprof_error_set(
			err, SPROF_ERROR_NOT_FOUND, "no frame of the profile has a %s", name);
	if (ok)
		*ret = groups;
	else
		sprof_groups_finish(&groups);
	return ok;
}

/* The innermost matching function at a location. NULL: none. */
static const char *match_location(const struct sprof_profile *profile, const bool *matches,
	const struct sprof_profile_location *location)
{
	for (uint32_t i = 0; i < location->line_count; i++) {
		uint32_t function = profile->lines[location->first_line + i].function;

		if (matches[function])
			return profile->functions[function].name;
	}
	return NULL;
}

/* By stack; a stack without a match at its end has its parent's, which comes before it. */
static const char **name_stacks(const struct sprof_profile *profile, const bool *matches)
{
	const char **names = calloc(profile->stack_count + 1, sizeof(*names));

	for (uint32_t i = 1; names && i < profile->stack_count; i++) {
		names[i] = match_location(profile, matches, location_of(profile, i));
		if (!names[i])
			names[i] = names[profile->stacks[i].parent];
	}
	return names;
}

static bool fill_parents(const struct sprof_profile *profile, const bool *matches,
	enum sprof_weight weight, struct sprof_groups *groups)
{
	SPROF_AUTO_FREE const char **stacks = name_stacks(profile, matches);
	SPROF_AUTO_FREE const char **rows = calloc(profile->row_count + 1, sizeof(*rows));
	const struct sprof_grouping grouping = {.rows = rows};

	if (!stacks || !rows)
		return false;
	for (size_t i = 0; i < profile->row_count; i++)
		rows[i] = stacks[profile->rows[i].stack];
	return sprof_groups_fill(profile, &grouping, weight, groups);
}

bool sprof_groups_build_parents(const struct sprof_profile *profile, const char *pattern,
	enum sprof_weight weight, struct sprof_groups *ret, struct sprof_error *err)
{
	struct sprof_groups groups = {.label = "parent"};
	SPROF_AUTO_FREE bool *matches = NULL;
	bool ok = sprof_match_functions(profile, pattern, &matches, err);

	if (!ok)
		return false;
	ok = fill_parents(profile, matches, weight, &groups) || sprof_error_no_memory(err);
	if (ok && profile->row_count && !has_name(&groups))
		ok = sprof_error_set(err, SPROF_ERROR_NOT_FOUND,
			"no function on a stack matches --parent %s", pattern);
	if (ok)
		*ret = groups;
	else
		sprof_groups_finish(&groups);
	return ok;
}
