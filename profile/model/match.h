/* Patterns: POSIX extended regular expressions that match anywhere in a text. */
#pragma once

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/model/profile.h"

/* The caller frees the expression. Returns false if it is invalid (kind USAGE). */
SPROF_MUST_USE bool sprof_match_compile(const char *pattern, regex_t *ret, struct sprof_error *err);

/* Checks a pattern's syntax (kind USAGE). */
SPROF_MUST_USE bool sprof_match_check(const char *pattern, struct sprof_error *err);

/*
 * Whether each text matches; NULL texts don't. The caller frees *ret. Fails on an invalid pattern
 * (kind USAGE).
 */
SPROF_MUST_USE bool sprof_match_texts(const char *pattern, const char *const *texts, size_t count,
	bool **ret, struct sprof_error *err);

/* The same for the names of functions, by function. */
SPROF_MUST_USE bool sprof_match_functions(const struct sprof_profile *profile, const char *pattern,
	bool **ret, struct sprof_error *err);
