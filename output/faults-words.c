/* The sentence about page faults. Counts one page per fault. */
#include "output/faults-words.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "output/fit.h"
#include "output/units.h"
#include "profile/answer/faults.h"

static void put_function(
	FILE *words, const struct sprof_profile *profile, uint32_t function, size_t room)
{
	SPROF_AUTO_FREE char *name =
		sprof_fit_function(profile->functions[function].name, true, room);

	fputs(name ? name : "?", words);
}

/* ", 98 % of them in fill called from load"; without the caller, if others call it as often. */
static void put_most(FILE *words, const struct sprof_profile *profile,
	const struct sprof_faults *faults, size_t room)
{
	if (faults->function == SPROF_PROFILE_NONE)
		return;
	fprintf(words, ", %.0f %% of them in ", sprof_percent(faults->function_all, faults->all));
	put_function(words, profile, faults->function, room);
	if (faults->caller == SPROF_PROFILE_NONE || 2 * faults->caller_all <= faults->function_all)
		return;
	fputs(" called from ", words);
	put_function(words, profile, faults->caller, room);
}

char *sprof_faults_words(const struct sprof_profile *profile, size_t room)
{
	struct sprof_faults faults;
	char *text = NULL;
	size_t size = 0;
	FILE *words;

	if (!sprof_faults_find(profile, &faults))
		return NULL;
	words = open_memstream(&text, &size);
	if (!words)
		return NULL;
	fprintf(words, "%" PRIu64 " page fault%s touched %s", faults.all,
		sprof_string_plural(faults.all), sprof_figure_bytes(faults.touched).text);
	put_most(words, profile, &faults, room);
	if (faults.major)
		fprintf(words, "; %" PRIu64 " waited for a disk", faults.major);
	if (faults.unseen)
		fprintf(words, "; %" PRIu64 " not seen", faults.unseen);
	return sprof_string_close(words, &text, true);
}
