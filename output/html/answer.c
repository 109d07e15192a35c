/* The page's initial summary, for the whole run. For a selected part, the page computes it. */
#include "output/html/html.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "output/summary/summary.h"
#include "profile/answer/program-functions.h"

enum {
	MOST = 5, /* programs */
	ROWS = 5, /* functions */
	ROOM = 80 /* characters of a name */
};

static bool write_sentences(const struct sprof_html *html, const struct sprof_answer *answer)
{
	SPROF_AUTO_FREE char *queue = sprof_summary_queue(html->profile, answer);

	for (size_t i = 0; i < answer->mattering && i < MOST; i++) {
		const struct sprof_program *program = &answer->programs[i];
		SPROF_AUTO_FREE char *sentence =
			sprof_summary_sentence(html->profile, program, 2, ROOM);

		sprof_out_puts(html->out, i ? "," : "");
		if (!sentence || !sprof_html_put_string(html, sentence))
			return false;
	}
	if (!queue || !queue[0])
		return queue;
	sprof_out_puts(html->out, answer->mattering ? "," : "");
	return sprof_html_put_string(html, queue);
}

/* Writes the answer's functions and their shares, as the screen shows them. */
static bool write_functions(
	const struct sprof_html *html, struct sprof_answer *answer, struct sprof_error *err)
{
	struct sprof_summary summary = {.profile = html->profile, .answer = *answer};
	struct sprof_own own;

	sprof_summary_settle_view(&summary);
	if (!sprof_own_build(html->profile, &summary.view, &own, err))
		return false;
	sprof_out_puts(html->out, ",\"own\":[");
	for (size_t i = 0; i < own.count && i < ROWS; i++) {
		const double percent =
			sprof_percent(sprof_times_wall(&own.rows[i].self.times), summary.whole);

		sprof_html_number(html, i, own.rows[i].function);
		sprof_html_number(html, true, (uint64_t)(10 * percent + 0.5));
	}
	sprof_out_puts(html->out, "]");
	sprof_own_finish(&own);
	return true;
}

static bool write_cost(const struct sprof_html *html)
{
	SPROF_AUTO_FREE char *cost = NULL;

	if (!sprof_summary_has_cost(html->profile))
		return true;
	cost = sprof_summary_cost(html->profile);
	sprof_out_puts(html->out, ",\"cost\":");
	return cost && sprof_html_put_string(html, cost);
}

bool sprof_html_write_answer(const struct sprof_html *html, struct sprof_error *err)
{
	struct sprof_answer answer;
	bool ok;

	if (!sprof_profile_counts_time(html->profile)) {
		sprof_out_puts(html->out, ",\n\"answer\":[],\"idle_ns\":0,\"own\":[]");
		return true;
	}
	if (!sprof_answer_build(html->profile, MOST, &answer, err))
		return false;
	sprof_out_puts(html->out, ",\n\"answer\":[");
	ok = write_sentences(html, &answer);
	sprof_out_printf(html->out, "],\"idle_ns\":%" PRIu64, answer.idle_ns);
	ok = ok && write_cost(html);
	ok = (ok || sprof_error_no_memory(err)) && write_functions(html, &answer, err);
	sprof_answer_finish(&answer);
	return ok;
}
