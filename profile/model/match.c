/* Matches patterns with texts, and keeps no state. */
#include "profile/model/match.h"

#include <stdlib.h>

#include "base/cleanup.h"

bool sprof_match_compile(const char *pattern, regex_t *ret, struct sprof_error *err)
{
	int result = regcomp(ret, pattern, REG_EXTENDED | REG_NOSUB);
	char reason[128];

	if (!result)
		return true;
	regerror(result, ret, reason, sizeof(reason));
	return sprof_error_set(
		err, SPROF_ERROR_USAGE, "not a regular expression: %s: %s", pattern, reason);
}

bool sprof_match_check(const char *pattern, struct sprof_error *err)
{
	regex_t regex;

	if (!sprof_match_compile(pattern, &regex, err))
		return false;
	regfree(&regex);
	return true;
}

bool sprof_match_texts(const char *pattern, const char *const *texts, size_t count, bool **ret,
	struct sprof_error *err)
{
	bool *matches;
	regex_t regex;

	if (!sprof_match_compile(pattern, &regex, err))
		return false;
	matches = calloc(count + 1, sizeof(*matches));
	for (size_t i = 0; matches && i < count; i++)
		matches[i] = texts[i] && regexec(&regex, texts[i], 0, NULL, 0) == 0;
	regfree(&regex);
	*ret = matches;
	return matches || sprof_error_no_memory(err);
}

bool sprof_match_functions(const struct sprof_profile *profile, const char *pattern, bool **ret,
	struct sprof_error *err)
{
	SPROF_AUTO_FREE const char **names = calloc(profile->function_count + 1, sizeof(*names));

	if (!names)
		return sprof_error_no_memory(err);
	for (size_t i = 0; i < profile->function_count; i++)
		names[i] = profile->functions[i].name;
	return sprof_match_texts(pattern, names, profile->function_count, ret, err);
}
