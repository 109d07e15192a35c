/*
 * Matches lambdas of two compilers, which number them differently: "main::{lambda(int)#1}" and
 * "main::$_0". Two lambdas match if they have samples in one line of one file, and if the function
 * around them begins in the same line on both sides, which shows that the text before has not
 * changed. Outside of functions, where only GCC has the variable's name ("size::{lambda()#1}"), the
 * lambdas themselves must begin in the same line. Does not match functions that only have a lambda
 * as a template argument.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "base/strtab.h"
#include "profile/identity/match.h"

/* A lambda without a match so far. */
struct lambda {
	uint32_t id, module; /* of the target's modules */
	bool of_source, is_outside;
	const char *name;   /* interned; without its number */
	const char *around; /* interned; the function that contains it, or of GCC's the variable */
	const char *whole; /* interned; of GCC's outside of functions, with the variable; or NULL */
	uint32_t begin;    /* where that function begins; outside of functions: the lambda */
};

struct lambdas {
	const struct sprof_profile *profiles[2]; /* target, source */
	struct sprof_identity *identity;
	struct sprof_strtab *texts;
	struct lambda *items;
	size_t count;
	bool failed; /* out of memory */
};

/* Skips "{lambda(int)#1}" or "$_0" at this place; NULL: there is neither. */
static const char *behind_lambda(const char *at)
{
	static const char gcc[] = "{lambda(", clang[] = "$_";

	if (sprof_string_starts_with(at, clang))
		return at + strlen(clang) + strspn(at + strlen(clang), "0123456789");
	if (!sprof_string_starts_with(at, gcc))
		return NULL;
	at = strchr(at, '}');
	return at ? at + 1 : NULL;
}

static const char *find_lambda(const char *name)
{
	while (name && !behind_lambda(name)) {
		name = strstr(name, "::");
		name = name ? name + strlen("::") : NULL;
	}
	return name;
}

/* Interns the name without the lambda's number: `around` and what follows the lambda. */
static const char *name_of(struct lambdas *lambdas, const char *around, const char *rest)
{
	char text[4096];
	size_t length = strlen(around) + strcspn(rest, "[");
	const char *name;

	if (length >= sizeof(text))
		return NULL;
	snprintf(text, sizeof(text), "%s%s", around, rest);
	while (length && text[length - 1] == ' ')
		length--;
	name = sprof_strtab_intern_bytes(lambdas->texts, text, length);
	lambdas->failed |= !name;
	return name;
}

/*
 * Splits "auto main::$_0::operator()(int) const [clone .cold]", into "main" and "::operator()(int)
 * const". NULL: it is not a lambda's code.
 */
static const char *split(struct lambdas *lambdas, const char *name, const char **ret_around)
{
	static const char call[] = "::operator()", automatic[] = "auto ";
	const char *at, *rest;
	size_t length;

	if (sprof_string_starts_with(name, automatic))
		name += strlen(automatic);
	at = find_lambda(name);
	rest = at ? behind_lambda(at) : NULL;
	if (!rest || !sprof_string_starts_with(rest, call) || find_lambda(rest))
		return NULL;
	length = (size_t)(at - name);
	*ret_around =
		sprof_strtab_intern_bytes(lambdas->texts, name, length ? length - strlen("::") : 0);
	lambdas->failed |= !*ret_around;
	return *ret_around ? rest : NULL;
}

/* The line in which the function around it begins; 0: unknown, or there is none. */
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

/* "net" for "net::size"; Clang's names have no variable. */
static const char *without_variable(struct lambdas *lambdas, const char *around, bool is_clang)
{
	const char *last = around;

	for (const char *at = around; !is_clang && (at = strstr(at, "::")); at += strlen("::"))
		last = at;
	around = sprof_strtab_intern_bytes(
		lambdas->texts, around, is_clang ? strlen(around) : (size_t)(last - around));
	lambdas->failed |= !around;
	return around;
}

/* Fills the compared fields. False: it is not a lambda, or its place is unknown. */
static bool describe(
	struct lambdas *lambdas, const struct sprof_profile *profile, struct lambda *lambda)
{
	const struct sprof_profile_function *function = &profile->functions[lambda->id];
	const char *rest = split(lambdas, function->name, &lambda->around);

	if (!rest)
		return false;
	lambda->begin = begin_of(profile, lambda);
	lambda->is_outside = !lambda->begin;
	if (lambda->is_outside) {
		lambda->begin = function->line;
		lambda->whole = rest[-1] == '}' ? lambda->around : NULL;
		lambda->around = without_variable(lambdas, lambda->around, rest[-1] != '}');
	}
	if (lambda->around)
		lambda->name = name_of(lambdas, lambda->around, rest);
	return lambda->begin && lambda->name;
}

static void list(struct lambdas *lambdas, bool of_source, const bool *matched)
{
	const struct sprof_profile *profile = lambdas->profiles[of_source];

	for (uint32_t i = 0; i < profile->function_count; i++) {
		const uint32_t module = profile->functions[i].module;
		struct lambda lambda = {.id = i, .of_source = of_source};

		if (matched[i] || module == SPROF_PROFILE_NONE)
			continue;
		lambda.module = of_source ? lambdas->identity->modules[module]
					  : sprof_identity_module(profile, module);
		if (lambda.module != SPROF_PROFILE_NONE && describe(lambdas, profile, &lambda))
			lambdas->items[lambdas->count++] = lambda;
	}
}

static bool may_be_one(const struct lambda *one, const struct lambda *other)
{
	return one->of_source != other->of_source && one->module == other->module &&
		one->name == other->name && one->begin == other->begin &&
		one->is_outside == other->is_outside &&
		(!one->whole || !other->whole || one->whole == other->whole);
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
