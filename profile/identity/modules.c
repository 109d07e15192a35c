/*
 * Matches the modules of one profile with another's. The most reliable criteria come first; a
 * criterion that fits several modules decides nothing.
 */
#include "profile/identity/match.h"

#include <string.h>

#include "base/strings.h"

uint32_t sprof_identity_module(const struct sprof_profile *profile, uint32_t module)
{
	uint32_t build_of = sprof_profile_module_facts(profile, module)->build_of;

	return build_of ? build_of - 1 : module;
}

bool sprof_identity_exists(
	const struct sprof_profile *profile, const struct sprof_profile_function *function)
{
	if (function->module == SPROF_PROFILE_NONE || !function->unresolved)
		return function->module != SPROF_PROFILE_NONE;
	return sprof_module_is_generated(sprof_modules_get(profile->modules, function->module));
}

static const char *path_of(const struct sprof_profile *profile, uint32_t module)
{
	return sprof_modules_get(profile->modules, module)->path;
}

static bool is_file(const struct sprof_profile *profile, uint32_t module)
{
	return sprof_modules_get(profile->modules, module)->kind == SPROF_MODULE_FILE;
}

static bool are_equal(const struct sprof_segment *one, const struct sprof_segment *other)
{
	return one->address == other->address && one->offset == other->offset &&
		one->file_size == other->file_size;
}

bool sprof_identity_is_same_build(const struct sprof_profile *target, uint32_t one,
	const struct sprof_profile *source, uint32_t other)
{
	const struct sprof_profile_module *a = sprof_profile_module_facts(target, one);
	const struct sprof_profile_module *b = sprof_profile_module_facts(source, other);

	if (a->build_id && b->build_id)
		return strcmp(a->build_id, b->build_id) == 0;
	if (a->build_id || b->build_id || strcmp(path_of(target, one), path_of(source, other)))
		return false;
	for (size_t i = 0; i < a->segment_count && i < b->segment_count; i++) {
		if (!are_equal(&a->segments[i], &b->segments[i]))
			return false;
	}
	return a->segment_count == b->segment_count;
}

static size_t part_start(const char *path, size_t end)
{
	while (end && path[end - 1] != '/')
		end--;
	return end;
}

size_t sprof_identity_common_parts(const char *one, const char *other)
{
	size_t a = strlen(one), b = strlen(other);

	for (size_t parts = 0;; parts++) {
		size_t from_a = part_start(one, a), from_b = part_start(other, b);

		if (a == from_a || a - from_a != b - from_b ||
			memcmp(one + from_a, other + from_b, a - from_a) != 0)
			return parts;
		if (!from_a || !from_b)
			return parts + 1;
		a = from_a - 1;
		b = from_b - 1;
	}
}

/* How well two modules fit by one criterion; 0: they don't. */
typedef size_t sign(const struct sprof_profile *target, uint32_t one,
	const struct sprof_profile *source, uint32_t other);

static size_t by_build(const struct sprof_profile *target, uint32_t one,
	const struct sprof_profile *source, uint32_t other)
{
	return strcmp(path_of(target, one), path_of(source, other)) == 0 &&
		sprof_identity_is_same_build(target, one, source, other);
}

static size_t by_path(const struct sprof_profile *target, uint32_t one,
	const struct sprof_profile *source, uint32_t other)
{
	return strcmp(path_of(target, one), path_of(source, other)) == 0;
}

static size_t by_name(const struct sprof_profile *target, uint32_t one,
	const struct sprof_profile *source, uint32_t other)
{
	const char *a = path_of(target, one), *b = path_of(source, other);

	return strcmp(sprof_string_file_name(a), sprof_string_file_name(b)) == 0
		? sprof_identity_common_parts(a, b)
		: 0;
}

static size_t by_role(const struct sprof_profile *target, uint32_t one,
	const struct sprof_profile *source, uint32_t other)
{
	char a[256], b[256];

	sprof_identity_role(path_of(target, one), a, sizeof(a));
	sprof_identity_role(path_of(source, other), b, sizeof(b));
	return is_file(target, one) && is_file(source, other) && strcmp(a, b) == 0;
}

/* The module of the other side that fits best; NONE: none does, or several do. */
static uint32_t find_best(
	const struct sprof_module_match *match, bool of_target, uint32_t module, sign *fits)
{
	size_t best = 0, count = of_target ? match->source_count : match->target_count;
	const bool *taken = of_target ? match->source_taken : match->target_taken;
	uint32_t found = SPROF_PROFILE_NONE;

	for (uint32_t i = 0; i < count; i++) {
		size_t fit = 0;

		if (!taken[i])
			fit = fits(match->target, of_target ? module : i, match->source,
				of_target ? i : module);
		if (fit && fit >= best)
			found = fit == best ? SPROF_PROFILE_NONE : i;
		best = fit > best ? fit : best;
	}
	return found;
}

static void take(struct sprof_module_match *match, uint32_t one, uint32_t other)
{
	match->modules[other] = one;
	match->target_taken[one] = match->source_taken[other] = true;
}

static void match_by(struct sprof_module_match *match, sign *fits)
{
	for (uint32_t i = 0; i < match->source_count; i++) {
		uint32_t found = match->source_taken[i] ? SPROF_PROFILE_NONE
							: find_best(match, false, i, fits);

		if (found != SPROF_PROFILE_NONE && find_best(match, true, found, fits) == i)
			take(match, found, i);
	}
}

static void match_programs(struct sprof_module_match *match)
{
	uint32_t one, other;

	if (!match->target_count || !match->source_count)
		return;
	one = sprof_modules_program(match->target->modules);
	other = sprof_modules_program(match->source->modules);
	if (one < match->target_count && other < match->source_count && !match->target_taken[one] &&
		!match->source_taken[other])
		take(match, one, other);
}

void sprof_identity_match_modules(struct sprof_module_match *match, enum sprof_identity_how how)
{
	sign *const signs[] = {by_build, by_path, by_name, by_role};

	for (uint32_t i = 0; i < match->target_count; i++)
		match->target_taken[i] = sprof_identity_module(match->target, i) != i;
	for (uint32_t i = 0; i < match->source_count; i++)
		match->source_taken[i] = sprof_identity_module(match->source, i) != i;
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		match_by(match, signs[i]);
	if (how == SPROF_IDENTITY_COMPARE)
		match_programs(match);
	for (uint32_t i = 0; i < match->source_count; i++)
		match->modules[i] = match->modules[sprof_identity_module(match->source, i)];
}
