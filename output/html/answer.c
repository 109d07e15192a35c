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

struct list {
	const struct sprof_html *html;
	bool is_behind_first, failed;
};

static void write_sentence(void *data, const char *sentence)
{
	struct list *list = data;

	sprof_out_puts(list->html->out, list->is_behind_first ? "," : "");
	list->failed |= !sprof_html_put_string(list->html, sentence);
	list->is_behind_first = true;
}

static bool write_sentences(
	const struct sprof_html *html, const struct sprof_summary *summary, struct sprof_error *err)
{
	struct list list = {.html = html};

	return sprof_summary_verdict(summary, ROOM,
		       &(struct sprof_summary_sentences){write_sentence, &list}, err) &&
		(!list.failed || sprof_error_no_memory(err));
}

/* Writes the answer's functions and their shares, as the screen shows them. */
static bool write_functions(
	const struct sprof_html *html, const struct sprof_summary *summary, struct sprof_error *err)
{
	struct sprof_own own;

	if (!sprof_own_build(html->profile, &summary->view, &own, err))
		return false;
	sprof_out_puts(html->out, ",\"own\":[");
	for (size_t i = 0; i < own.count && i < ROWS; i++) {
		const double percent =
			sprof_percent(sprof_times_wall(&own.rows[i].self.times), summary->whole);

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
	struct sprof_summary summary = {
		.profile = html->profile, .width = ROOM + SPROF_SUMMARY_MARGIN};
	const struct sprof_answer *answer = &summary.answer;
	bool ok;

	if (!sprof_profile_counts_time(html->profile)) {
		sprof_out_puts(html->out, ",\n\"answer\":[],\"idle_ns\":0,\"own\":[]");
		return true;
	}
	if (!sprof_answer_build(html->profile, MOST, &summary.answer, err))
		return false;
	sprof_summary_settle_view(&summary);
	sprof_out_puts(html->out, ",\n\"answer\":[");
	ok = write_sentences(html, &summary, err);
	/* If everything is idle, shares are of all time. */
	sprof_out_printf(
		html->out, "],\"idle_ns\":%" PRIu64, summary.view.left_out ? answer->idle_ns : 0);
	ok = ok && (write_cost(html) || sprof_error_no_memory(err)) &&
		write_functions(html, &summary, err);
	sprof_answer_finish(&summary.answer);
	return ok;
}
