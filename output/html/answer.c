/* The page's initial summary, for the whole run. For a selected part, the page computes it. */
#include "output/html/html.h"

#include <inttypes.h>

#include "base/cleanup.h"
#include "output/summary/summary.h"

enum {
	MOST = 5, /* programs */
	ROOM = 80 /* characters of a name */
};

static bool write_sentences(const struct sprof_html *html, const struct sprof_answer *answer)
{
	for (size_t i = 0; i < answer->mattering && i < MOST; i++) {
		SPROF_AUTO_FREE char *sentence =
			sprof_summary_sentence(html->profile, &answer->programs[i], 2, ROOM);

		sprof_out_puts(html->out, i ? "," : "");
		if (!sentence || !sprof_html_put_string(html, sentence))
			return false;
	}
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
		sprof_out_puts(html->out, ",\n\"answer\":[],\"idle_ns\":0");
		return true;
	}
	if (!sprof_answer_build(html->profile, MOST, &answer, err))
		return false;
	sprof_out_puts(html->out, ",\n\"answer\":[");
	ok = write_sentences(html, &answer);
	sprof_out_printf(html->out, "],\"idle_ns\":%" PRIu64, answer.idle_ns);
	sprof_answer_finish(&answer);
	ok = ok && write_cost(html);
	return ok || sprof_error_no_memory(err);
}
