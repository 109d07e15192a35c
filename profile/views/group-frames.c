/* Group names for frames. groups.c does the grouping. */
#include "profile/views/group-frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "profile/model/addresses.h"
#include "profile/model/match.h"
#include "profile/model/objects.h"

/* The names of all lines of locations, NULL where there is none. Returns false if out of memory. */
typedef bool names_function(
	const struct sprof_profile *profile, struct sprof_strtab *strings, const char **ret);

static bool name_objects(
	const struct sprof_profile *profile, struct sprof_strtab *strings, const char **ret)
{
	SPROF_AUTO_FREE const char **paths = sprof_objects_paths(profile);
	bool ok = paths;

	for (size_t i = 0; ok && i < profile->line_count; i++) {
		const char *path = paths[profile->lines[i].function];

		ok = sprof_strtab_copy(strings, path, &ret[i]);
	}
	return ok;
}

static bool name_files(
	const struct sprof_profile *profile, struct sprof_strtab *strings, const char **ret)
{
	for (size_t i = 0; i < profile->line_count; i++) {
		const char *file = sprof_profile_line_file(profile, &profile->lines[i]);

		if (file && file[0] && !sprof_strtab_copy(strings, file, &ret[i]))
			return false;
	}
	return true;
}

static bool name_source_lines(
	const struct sprof_profile *profile, struct sprof_strtab *strings, const char **ret)
{
	for (size_t i = 0; i < profile->line_count; i++) {
		const struct sprof_profile_line *line = &profile->lines[i];
		const char *file = sprof_profile_line_file(profile, line);
		SPROF_AUTO_FREE char *text = NULL;

		if (!file || !file[0] || !line->line)
			continue;
		text = sprof_string_print("%s:%" PRIu32, file, line->line);
		ret[i] = sprof_strtab_intern(strings, text);
		if (!ret[i])
			return false;
	}
	return true;
}

/* "app 0x1139 (was 0x555555555139) work": as the file has it, and as the process had it. */
static char *print_address(
	const struct sprof_profile *profile, const struct sprof_profile_location *location)
{
	const char *module =
		sprof_module_name(sprof_modules_get(profile->modules, location->frame.module));
	const uint32_t function = profile->lines[location->first_line].function;
	uint64_t linked, was;
	const bool is_linked = sprof_profile_link_address(profile, location, &linked);
	const bool has_been = sprof_profile_process_address(profile, location, &was);
	char place[80];

	if (is_linked && has_been)
		snprintf(place, sizeof(place), "0x%" PRIx64 " (was 0x%" PRIx64 ")", linked, was);
	else if (is_linked || has_been)
		snprintf(place, sizeof(place), "0x%" PRIx64, is_linked ? linked : was);
	else
		snprintf(
			place, sizeof(place), "offset 0x%" PRIx64, sprof_location_offset(location));
	return sprof_string_print("%s %s %s", module, place, profile->functions[function].name);
}

/* Functions that were put in for tail calls have no address on the stack. */
static bool name_addresses(
	const struct sprof_profile *profile, struct sprof_strtab *strings, const char **ret)
{
	for (size_t i = 0; i < profile->location_count; i++) {
		const struct sprof_profile_location *location = &profile->locations[i];
		SPROF_AUTO_FREE char *text = NULL;
		const char *name;

		if (location->frame.module == SPROF_PROFILE_NONE || !location->line_count)
			continue;
		text = print_address(profile, location);
		name = sprof_strtab_intern(strings, text);
		if (!name)
			return false;
		for (uint32_t k = 0; k < sprof_profile_own_lines(profile, location); k++)
			ret[location->first_line + k] = name;
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
	{"address", name_addresses},
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
			"no function on a stack matches --by parent=%s", pattern);
	if (ok)
		*ret = groups;
	else
		sprof_groups_finish(&groups);
	return ok;
}
