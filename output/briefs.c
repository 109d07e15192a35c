/*
 * Chooses short names. Each function gets the plainest form that no other function has and that is
 * short enough: first without template arguments and parameters, then with some of them. If no form
 * is both, leading parts of the path go. If that is not unique, a number that is computed from the
 * whole name is appended: it is the same in every profile.
 */
#include "output/briefs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/strtab.h"
#include "output/clean.h"
#include "output/fit.h"
#include "output/short-name.h"

enum {
	EVERYTHING = 64, /* deeper than any template */
	MARK = 7,        /* " #12345" */
};

static const char left_out[] = "...";

struct name {
	const char *whole;
	const char *brief; /* NULL: not chosen yet */
	char *text;        /* the form that is tried */
};

struct sprof_briefs {
	struct name *names; /* by text of the whole name, each once */
	size_t count;
	struct sprof_strtab *taken;
};

typedef char *former(const char *whole);

static char *plain(const char *whole)
{
	return sprof_short_name(whole);
}

static char *with_arguments(const char *whole)
{
	return sprof_short_name_as(whole, (struct sprof_short_form){.depth = 1});
}

static char *with_all_arguments(const char *whole)
{
	return sprof_short_name_as(whole, (struct sprof_short_form){.depth = EVERYTHING});
}

static char *with_parameters(const char *whole)
{
	return sprof_short_name_as(whole, (struct sprof_short_form){.parameters = true});
}

static char *with_both(const char *whole)
{
	return sprof_short_name_as(
		whole, (struct sprof_short_form){.depth = EVERYTHING, .parameters = true});
}

/* The start of the next part of a path; NULL: the text is its last part. */
static const char *next_part(const char *text)
{
	int depth = 0;

	for (; *text; text++) {
		depth += strchr("<({", *text) != NULL;
		depth -= strchr(">)}", *text) != NULL;
		if (!depth && strncmp(text, "::", 2) == 0)
			return text + 2;
	}
	return NULL;
}

/* The last parts of the path of the plain form. */
static char *end_of_path(const char *whole)
{
	SPROF_AUTO_FREE char *text = sprof_short_name(whole);
	const char *at = text;
	char *end;

	while (at && sprof_fit_length(at) > SPROF_BRIEF_ROOM - MARK - strlen(left_out) - 2 &&
		next_part(at))
		at = next_part(at);
	if (!text || at == text)
		return text ? strdup(text) : NULL;
	return asprintf(&end, "%s::%s", left_out, at) < 0 ? NULL : end;
}

static int by_whole(const void *left, const void *right)
{
	const struct name *a = left, *b = right;

	return strcmp(a->whole, b->whole);
}

/* Those with a name come last. */
static int by_form(const void *left, const void *right)
{
	const struct name *a = left, *b = right;

	if (!a->text || !b->text)
		return (b->text != NULL) - (a->text != NULL);
	return strcmp(a->text, b->text);
}

static bool take(struct sprof_briefs *briefs, struct name *name, const char *text)
{
	name->brief = sprof_strtab_intern(briefs->taken, text);
	return name->brief;
}

static bool is_same(const struct name *name, const struct name *other)
{
	return other->text && strcmp(name->text, other->text) == 0;
}

/*
 * Gives names to those whose form no other one has; the last form may be too long. Returns false if
 * out of memory.
 */
static bool try_form(struct sprof_briefs *briefs, former *form)
{
	struct name *names = briefs->names;
	bool ok = true;

	for (size_t i = 0; ok && i < briefs->count; i++) {
		names[i].text = names[i].brief ? NULL : form(names[i].whole);
		ok = names[i].brief || names[i].text;
	}
	qsort(names, briefs->count, sizeof(*names), by_form);
	for (size_t i = 0; ok && i < briefs->count && names[i].text; i++) {
		const bool is_one = !(i && is_same(&names[i], &names[i - 1])) &&
			!(i + 1 < briefs->count && is_same(&names[i], &names[i + 1]));
		const bool is_short =
			form == end_of_path || sprof_fit_length(names[i].text) <= SPROF_BRIEF_ROOM;

		if (is_one && is_short && !sprof_strtab_find(briefs->taken, names[i].text))
			ok = take(briefs, &names[i], names[i].text);
	}
	for (size_t i = 0; i < briefs->count; i++) {
		free(names[i].text);
		names[i].text = NULL;
	}
	return ok;
}

/* Appends as many digits as make it unique. */
static bool mark(struct sprof_briefs *briefs, struct name *name)
{
	const uint64_t number =
		sprof_hash_bytes(name->whole, strlen(name->whole), SPROF_HASH_BASIS);
	SPROF_AUTO_FREE char *end = end_of_path(name->whole);

	for (int digits = MARK - 2; end && !name->brief; digits++) {
		SPROF_AUTO_FREE char *text = NULL;
		char all[17];

		snprintf(all, sizeof(all), "%016" PRIx64, number);
		if (asprintf(&text, "%s #%.*s", end, digits, all) < 0) {
			text = NULL;
			return false;
		}
		if ((digits > 16 || !sprof_strtab_find(briefs->taken, text)) &&
			!take(briefs, name, text))
			return false;
	}
	return end;
}

static bool choose(struct sprof_briefs *briefs)
{
	static former *const forms[] = {
		plain, with_arguments, with_all_arguments, with_parameters, with_both, end_of_path};
	bool ok = true;

	for (size_t i = 0; ok && i < sizeof(forms) / sizeof(forms[0]); i++)
		ok = try_form(briefs, forms[i]);
	/* The order in which numbers are given must not depend on that of equal forms. */
	qsort(briefs->names, briefs->count, sizeof(*briefs->names), by_whole);
	for (size_t i = 0; ok && i < briefs->count; i++)
		ok = briefs->names[i].brief || mark(briefs, &briefs->names[i]);
	return ok;
}

static void keep_each_once(struct sprof_briefs *briefs)
{
	size_t left = 0;

	qsort(briefs->names, briefs->count, sizeof(*briefs->names), by_whole);
	for (size_t i = 0; i < briefs->count; i++) {
		if (!left || strcmp(briefs->names[left - 1].whole, briefs->names[i].whole) != 0)
			briefs->names[left++] = briefs->names[i];
	}
	briefs->count = left;
}

static struct sprof_briefs *briefs_of(const char *const *names, size_t count)
{
	struct sprof_briefs *briefs = calloc(1, sizeof(*briefs));

	if (!briefs)
		return NULL;
	briefs->names = calloc(count + 1, sizeof(*briefs->names));
	briefs->taken = sprof_strtab_create();
	for (size_t i = 0; briefs->names && i < count; i++)
		briefs->names[briefs->count++].whole = names[i];
	if (briefs->names && briefs->taken) {
		keep_each_once(briefs);
		if (choose(briefs))
			return briefs;
	}
	sprof_briefs_destroy(briefs);
	return NULL;
}

bool sprof_briefs_create(
	const struct sprof_profile *profile, bool wanted, struct sprof_briefs **ret)
{
	SPROF_AUTO_FREE const char **names = calloc(profile->function_count + 1, sizeof(*names));

	*ret = NULL;
	if (!wanted || !names)
		return names;
	for (size_t i = 0; i < profile->function_count; i++)
		names[i] = profile->functions[i].name;
	*ret = briefs_of(names, profile->function_count);
	return *ret;
}

void sprof_briefs_destroy(struct sprof_briefs *briefs)
{
	if (!briefs)
		return;
	free(briefs->names);
	sprof_strtab_destroy(briefs->taken);
	free(briefs);
}

static char *brief_of(const struct sprof_briefs *briefs, const char *name)
{
	const struct name wanted = {.whole = name};
	const struct name *found =
		bsearch(&wanted, briefs->names, briefs->count, sizeof(*briefs->names), by_whole);

	return found ? strdup(found->brief) : sprof_short_name(name);
}

char *sprof_briefs_fit(const struct sprof_briefs *briefs, const char *name, size_t room)
{
	SPROF_AUTO_FREE char *brief = briefs ? brief_of(briefs, name) : NULL;
	SPROF_AUTO_FREE char *clean = brief ? sprof_clean_text(brief, NULL) : NULL;

	if (!briefs)
		return sprof_fit_function(name, false, room);
	if (!clean)
		return NULL;
	return room ? sprof_fit(clean, room) : strdup(clean);
}
