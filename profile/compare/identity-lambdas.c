/*
 * Matches lambdas of two compilers, which number them differently: "main::{lambda(int)#1}" and
 * "main::$_0". Two lambdas match if they have samples in one line of one file, and if the function
 * around them begins in the same line on both sides, which shows that the text before has not
 * changed. Does not match functions that only have a lambda as a template argument.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strtab.h"
#include "profile/compare/identity-match.h"

/* A lambda without a match so far. */
struct lambda {
	uint32_t id, module; /* of the target's modules */
	bool of_source;
	const char *name;   /* interned; without its number */
	const char *around; /* interned; the function that contains it */
	uint32_t begin;     /* where that function begins */
};

struct lambdas {
	const struct sprof_profile *profiles[2]; /* target, source */
	struct sprof_identity *identity;
	struct sprof_strtab *texts;
	struct lambda *items;
	size_t count;
	bool failed; /* out of memory */
};

/* Skips "::{lambda(int)#1}" or "::$_0" at this place; NULL: there is neither. */
static const char *behind_lambda(const char *at)
{
	static const char gcc[] = "::{lambda(", clang[] = "::$_";

	if (strncmp(at, clang, strlen(clang)) == 0)
		return at + strlen(clang) + strspn(at + strlen(clang), "0123456789");
	if (strncmp(at, gcc, strlen(gcc)) != 0)
		return NULL;
	at = strchr(at, '}');
	return at ? at + 1 : NULL;
}

static const char *find_lambda(const char *name)
{
	while ((name = strstr(name, "::")) && !behind_lambda(name))
		name += 2;
	return name;
}

/*
 * Splits "auto main::$_0::operator()(int) const [clone .cold]". False: it is not a lambda's code.
 */
static bool split(struct lambdas *lambdas, const char *name, struct lambda *ret)
{
	static const char call[] = "::operator()", automatic[] = "auto ";
	const char *at = find_lambda(name), *rest = at ? behind_lambda(at) : NULL;
	const char *start = name;
	char text[4096];
	size_t length;

	if (!rest || strncmp(rest, call, strlen(call)) != 0 || find_lambda(rest))
		return false;
	if (strncmp(name, automatic, strlen(automatic)) == 0)
		start += strlen(automatic);
	length = (size_t)(at - start) + strcspn(rest, "[");
	if (at < start || length >= sizeof(text))
		return false;
	memcpy(text, start, (size_t)(at - start));
	memcpy(text + (at - start), rest, length - (size_t)(at - start));
	while (length && text[length - 1] == ' ')
		length--;
	ret->name = sprof_strtab_intern_bytes(lambdas->texts, text, length);
	ret->around = sprof_strtab_intern_bytes(lambdas->texts, start, (size_t)(at - start));
	lambdas->failed |= !ret->name || !ret->around;
	return !lambdas->failed;
}

/* The line in which the function around it begins; 0: unknown. */
static uint32_t begin_of(const struct sprof_profile *profile, const struct lambda *lambda)
{
	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct sprof_profile_function *function = &profile->functions[i];

		if (function->module == profile->functions[lambda->id].module &&
			strcmp(function->name, lambda->around) == 0)
			return function->line;
	}
	return 0;
}

static void list(struct lambdas *lambdas, bool of_source, const bool *matched)
{
	const struct sprof_profile *profile = lambdas->profiles[of_source];

	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct sprof_profile_function *function = &profile->functions[i];
		struct lambda lambda = {.id = i, .of_source = of_source};

		if (matched[i] || function->module == SPROF_PROFILE_NONE ||
			!split(lambdas, function->name, &lambda))
			continue;
		lambda.module = of_source ? lambdas->identity->modules[function->module]
					  : sprof_identity_module(profile, function->module);
		lambda.begin = begin_of(profile, &lambda);
		if (lambda.begin && lambda.module != SPROF_PROFILE_NONE)
			lambdas->items[lambdas->count++] = lambda;
	}
}

static bool may_be_one(const struct lambda *one, const struct lambda *other)
{
	return one->of_source != other->of_source && one->module == other->module &&
		one->name == other->name && one->begin == other->begin;
}

/* Whether both have samples in the same line. */
static bool share_line(
	const struct lambdas *lambdas, const struct lambda *one, const struct lambda *other)
{
	const struct sprof_profile *a = lambdas->profiles[one->of_source],
				   *b = lambdas->profiles[other->of_source];

	for (size_t i = 0; i < a->line_count; i++) {
		const struct sprof_profile_line *line = &a->lines[i];
		const char *file = sprof_profile_line_file(a, line);

		if (line->function != one->id || !line->line || !file)
			continue;
		for (size_t k = 0; k < b->line_count; k++) {
			const char *path = sprof_profile_line_file(b, &b->lines[k]);

			if (b->lines[k].function == other->id && b->lines[k].line == line->line &&
				path && sprof_identity_common_parts(file, path))
				return true;
		}
	}
	return false;
}

/* The only lambda that it can match; NULL: none, or several. */
static const struct lambda *partner_of(const struct lambdas *lambdas, const struct lambda *lambda)
{
	const struct lambda *found = NULL;

	for (size_t i = 0; i < lambdas->count; i++) {
		const struct lambda *other = &lambdas->items[i];

		if (!may_be_one(lambda, other) || !share_line(lambdas, lambda, other))
			continue;
		if (found)
			return NULL;
		found = other;
	}
	return found;
}

static void match(const struct lambdas *lambdas)
{
	for (size_t i = 0; i < lambdas->count; i++) {
		const struct lambda *source = &lambdas->items[i];
		const struct lambda *target =
			source->of_source ? partner_of(lambdas, source) : NULL;

		if (target && partner_of(lambdas, target) == source)
			lambdas->identity->functions[source->id] = target->id;
	}
}

bool sprof_identity_match_lambdas(struct sprof_identity *identity,
	const struct sprof_profile *target, const struct sprof_profile *source)
{
	const size_t functions = target->function_count + source->function_count + 1;
	SPROF_AUTO_FREE bool *of_target = calloc(functions, sizeof(*of_target));
	SPROF_AUTO_FREE bool *of_source = calloc(functions, sizeof(*of_source));
	SPROF_AUTO_FREE struct lambda *items = calloc(functions, sizeof(*items));
	struct lambdas lambdas = {.profiles = {target, source},
		.identity = identity,
		.texts = sprof_strtab_create(),
		.items = items};
	const bool ok = of_target && of_source && items && lambdas.texts;

	for (uint32_t i = 0; ok && i < source->function_count; i++) {
		of_source[i] = identity->functions[i] != SPROF_PROFILE_NONE;
		if (of_source[i])
			of_target[identity->functions[i]] = true;
	}
	if (ok) {
		list(&lambdas, false, of_target);
		list(&lambdas, true, of_source);
		match(&lambdas);
	}
	sprof_strtab_destroy(lambdas.texts);
	return ok && !lambdas.failed;
}
