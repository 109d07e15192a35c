/*
 * The critical path in the summary: what decided the length of the run, what the heaviest parts
 * would save at most, and what woke the threads that slept longest.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/numbers.h"
#include "base/strings.h"
#include "output/critical-words.h"
#include "output/summary/summary.h"
#include "output/units.h"

enum { ROWS = 6, SAVINGS = 4, WAKINGS = 4, DOUBTS = 2 };

static char *doubts_of(const struct sprof_summary *summary)
{
	return sprof_critical_doubts(&summary->critical, summary->profile->critical->lost);
}

size_t sprof_summary_count_critical(const struct sprof_summary *summary)
{
	const struct sprof_critical *critical = &summary->critical;
	SPROF_AUTO_FREE char *doubts = critical->row_count ? doubts_of(summary) : NULL;

	if (!critical->row_count)
		return 0;
	return 1 + sprof_least(ROWS, critical->row_count) +
		sprof_least(SAVINGS, critical->saving_count) +
		sprof_least(WAKINGS, critical->waking_count) + (doubts && doubts[0] ? DOUBTS : 0);
}

/* "1.900 s  63.3 %  sleep  save > flush in writer, [fdatasync]" */
static void put_row(struct sprof_summary *summary, const struct sprof_critical_row *row)
{
	static const char *const kinds[SPROF_CRITICAL_KINDS] = {
		[SPROF_CRITICAL_RUN] = "run",
		[SPROF_CRITICAL_QUEUE] = "runq",
		[SPROF_CRITICAL_SLEEP] = "sleep",
		[SPROF_CRITICAL_LOST] = "?",
	};
	const bool is_stop = row->kind == SPROF_CRITICAL_SLEEP && row->waker == SPROF_WAKER_SPROF;
	const struct sprof_critical_subject subject = {
		row->thread, row->function, row->caller, is_stop};
	const bool is_lost = row->kind == SPROF_CRITICAL_LOST;
	SPROF_AUTO_FREE char *words = is_lost ? sprof_string_print("not known: records are missing")
					      : sprof_critical_subject_words(summary->profile,
							&subject, sprof_summary_room(summary) / 3);
	SPROF_AUTO_FREE char *details = sprof_critical_details(summary->profile, row);
	SPROF_AUTO_FREE char *text = NULL;

	if (words && details)
		text = sprof_string_print("%8s %5.1f %%  %-5s %s%s",
			sprof_figure_time(row->ns).text,
			sprof_percent(row->ns, summary->critical.length_ns),
			is_stop ? "stop" : kinds[row->kind], words, details);
	sprof_summary_put_text(summary, "", text, 1);
}

/* "1.10 s without save > flush in writer, then parse in worker" */
static void put_saving(struct sprof_summary *summary, const struct sprof_critical_saving *saving,
	const char *label)
{
	const struct sprof_critical_subject subject = {
		saving->thread, saving->function, saving->caller, false};
	const struct sprof_critical_subject next = {
		saving->next_thread, saving->next_function, saving->next_caller, false};
	const size_t room = sprof_summary_room(summary) / 5;
	SPROF_AUTO_FREE char *words =
		sprof_critical_subject_words(summary->profile, &subject, room);
	SPROF_AUTO_FREE char *then = sprof_critical_subject_words(summary->profile, &next, room);
	SPROF_AUTO_FREE char *text = NULL;

	if (words && then)
		text = sprof_string_print("%8s without %s%s%s",
			sprof_figure_time(
				sprof_minus(summary->critical.length_ns, saving->length_ns))
				.text,
			words, saving->next_ns ? ", then " : "", saving->next_ns ? then : "");
	sprof_summary_put_text(summary, label, text, 1);
}

/* "worker: 400x by writer, slept 2.1 s, queued 12 ms" */
static void put_wakings(struct sprof_summary *summary, const struct sprof_critical_wakings *wakings,
	const char *label)
{
	SPROF_AUTO_FREE char *text = sprof_string_print(
		"%s: %" PRIu64 "x by %s, slept %s, queued %s", wakings->thread, wakings->times,
		sprof_critical_waker_words((enum sprof_waker)wakings->waker, wakings->by),
		sprof_figure_time(wakings->slept_ns).text,
		sprof_figure_time(wakings->queued_ns).text);

	sprof_summary_put_text(summary, label, text, 1);
}

/*
 * "500 ms of 540 ms were decided by sort > nap in sorter"; only of a path that is known, and if
 * one part of it is outstanding.
 */
static char *head_of(const struct sprof_summary *summary)
{
	const struct sprof_critical *critical = &summary->critical;
	const struct sprof_critical_row *first = &critical->rows[0];
	const struct sprof_critical_subject subject = {
		first->thread, first->function, first->caller, false};
	const bool is_known = !critical->broken && !critical->is_cut &&
		sprof_percent(critical->lost_ns + critical->unwoken_ns + critical->network_ns,
			critical->length_ns) < 1;
	SPROF_AUTO_FREE char *words = sprof_critical_subject_words(
		summary->profile, &subject, sprof_summary_room(summary) / 3);

	if (!words || !is_known || first->waker == SPROF_WAKER_SPROF ||
		sprof_percent(first->ns, critical->length_ns) < 25)
		return sprof_string_print("%s in %" PRIu64 " pieces decided how long it took",
			sprof_figure_time(critical->length_ns).text, critical->pieces);
	return sprof_string_print("%s of %s were decided by %s", sprof_figure_time(first->ns).text,
		sprof_figure_time(critical->length_ns).text, words);
}

void sprof_summary_put_critical(struct sprof_summary *summary)
{
	const struct sprof_critical *critical = &summary->critical;
	SPROF_AUTO_FREE char *doubts = NULL, *head = NULL;

	if (!critical->row_count)
		return;
	head = head_of(summary);
	doubts = doubts_of(summary);
	sprof_summary_put_text(summary, "critical", head, 1);
	for (size_t i = 0; i < critical->row_count && i < ROWS; i++)
		put_row(summary, &critical->rows[i]);
	if (doubts && doubts[0])
		sprof_summary_put_text(summary, "", doubts, DOUBTS);
	for (size_t i = 0; i < critical->saving_count && i < SAVINGS; i++)
		put_saving(summary, &critical->savings[i], i ? "" : "saves <=");
	for (size_t i = 0; i < critical->waking_count && i < WAKINGS; i++)
		put_wakings(summary, &critical->wakings[i], i ? "" : "woken");
	sprof_summary_put_gap(summary);
}
