/*
 * Page faults in the summary: one sentence, and the functions with most of them. Does not handle
 * profiles that show another value.
 */
#include <string.h>

#include "base/cleanup.h"
#include "output/faults-words.h"
#include "output/fit.h"
#include "output/summary/summary.h"

enum {
	ROWS = 5,
	SENTENCE = 3,            /* lines */
	FIGURES = 7 + 2 + 7 + 2, /* "100.0 %  100.0 %  " */
};

/* Percent of all faults: the least for a row. */
static const double least_row = 0.5;

static bool put_rows(struct sprof_summary *summary, size_t room, struct sprof_error *err)
{
	const struct sprof_view view = {
		.weight = summary->profile->kinds.shown, .thread = SPROF_PROFILE_NONE};
	struct sprof_flat flat;
	size_t shown = 0;

	if (!sprof_flat_build(summary->profile, &view, &flat, err))
		return false;
	for (size_t i = 0; i < flat.count && shown < ROWS; i++) {
		const struct sprof_flat_row *row = &flat.rows[i];
		const double self = sprof_percent(row->self.further, flat.sum.further);
		SPROF_AUTO_FREE char *name = NULL;

		if (self < least_row)
			continue;
		name = sprof_fit_function(
			summary->profile->functions[row->function].name, false, room - FIGURES);
		sprof_summary_put_label(summary, shown++ ? "" : "self total");
		sprof_out_printf(summary->out, "%5.1f %%  %5.1f %%  %s", self,
			sprof_percent(row->total.further, flat.sum.further), name ? name : "?");
		sprof_summary_end_line(summary);
	}
	sprof_flat_finish(&flat);
	return true;
}

static bool is_shown(const struct sprof_profile *profile)
{
	return sprof_weight_is_further(profile->kinds.shown) &&
		strcmp(sprof_profile_weight_name(profile, profile->kinds.shown), "faults") == 0;
}

bool sprof_summary_put_faults(struct sprof_summary *summary, struct sprof_error *err)
{
	const size_t room = sprof_summary_room(summary);
	SPROF_AUTO_FREE char *words = sprof_faults_words(summary->profile, room / 2);

	if (!words)
		return true;
	sprof_summary_put_text(summary, "faults", words, SENTENCE);
	return !is_shown(summary->profile) || put_rows(summary, room, err);
}
