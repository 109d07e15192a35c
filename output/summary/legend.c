/* Explains the terms used in this summary. The manual explains all. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "output/summary/summary.h"

enum { LINES = 2, WITH_PATH = 4 };

/* The most needed first: what does not fit is left out. */
static const struct {
	enum sprof_summary_term term;
	const char *words;
} explained[] = {
	{SPROF_SUMMARY_RUNQ, "runq: ready but without a CPU"},
	{SPROF_SUMMARY_STARVED, "starved: nothing but runq"},
	{SPROF_SUMMARY_MIXED, "-: no kind of time is most of it"},
	{SPROF_SUMMARY_RUN, "run: had a CPU"},
	{SPROF_SUMMARY_CALLER, "a > b: b, called by a"},
	{SPROF_SUMMARY_SAVES,
		"saves <=: shorter by at most this on free CPUs; then: what decides next"},
	{SPROF_SUMMARY_STOLEN, "stolen: taken by the host, interrupts or sprof"},
	{SPROF_SUMMARY_UNSAMPLED, "in no sample: no sample was taken where it was spent"},
};

static bool has(const struct sprof_summary *summary, enum sprof_summary_term term)
{
	return summary->terms & 1u << term;
}

/* Adds what still fits. Returns false if out of memory. */
static bool add(const struct sprof_summary *summary, const char *words, char **text)
{
	const size_t wanted = has(summary, SPROF_SUMMARY_SAVES) ? WITH_PATH : LINES;
	const size_t lines = summary->lines > wanted + 1 ? wanted : 1;
	char *longer = sprof_string_print("%s%s%s", *text ? *text : "", *text ? "; " : "", words);

	if (!longer)
		return false;
	if (*text && sprof_summary_count_lines(summary, longer) > lines) {
		free(longer);
		return true;
	}
	free(*text);
	*text = longer;
	return true;
}

void sprof_summary_put_legend(struct sprof_summary *summary)
{
	SPROF_AUTO_FREE char *text = NULL;

	if (summary->lines < 2)
		return;
	for (size_t i = 0; i < sizeof(explained) / sizeof(explained[0]); i++) {
		if (has(summary, explained[i].term) && !add(summary, explained[i].words, &text)) {
			sprof_out_fail(summary->out, ENOMEM);
			return;
		}
	}
	if (text)
		sprof_summary_put_text(summary, "legend", text, WITH_PATH);
}
