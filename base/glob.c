/*
 * Matches name patterns. fnmatch(3) may allocate, and may take exponential time for several stars.
 * Does not handle locales: a character is a byte.
 */
#include "base/glob.h"

#include <stddef.h>

/* Whether the set at `at` contains the character; returns where the pattern continues after the
 * set. NULL: the set has no end. */
static const char *match_set(const char *at, char character, bool *ret_matches)
{
	bool inverted = *at == '!' || *at == '^', found = false;
	unsigned char wanted = (unsigned char)character;

	at += inverted;
	/* A ] in the first place is a member. */
	for (const char *first = at; *at && (*at != ']' || at == first); at++) {
		unsigned char low = (unsigned char)*at, high = low;

		if (at[1] == '-' && at[2] && at[2] != ']') {
			high = (unsigned char)at[2];
			at += 2;
		}
		found |= low <= wanted && wanted <= high;
	}
	*ret_matches = found != inverted;
	return *at ? at + 1 : NULL;
}

/* Matches one character with the pattern's element at `at`, which is not a star. NULL: no match. */
static const char *match_one(const char *at, char character)
{
	const char *behind;
	bool matches;

	if (*at == '?')
		return at + 1;
	if (*at == '[') {
		behind = match_set(at + 1, character, &matches);
		if (behind)
			return matches ? behind : NULL;
	}
	if (*at == '\\' && at[1])
		at++;
	return *at && *at == character ? at + 1 : NULL;
}

bool sprof_glob_matches(const char *pattern, const char *text)
{
	const char *behind_star = NULL, *retry = NULL;

	while (*text) {
		const char *next;

		if (*pattern == '*') {
			behind_star = ++pattern;
			retry = text;
			continue;
		}
		next = match_one(pattern, *text);
		if (next) {
			pattern = next;
			text++;
			continue;
		}
		if (!behind_star)
			return false;
		/* The last star takes one character more. */
		pattern = behind_star;
		text = ++retry;
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}
