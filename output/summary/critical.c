/*
 * The critical path in the summary: what decided the length of the run, what the heaviest parts
 * would save at most, and what woke the threads that slept longest.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/numbers.h"
#include "base/strings.h"
#include "output/critical-words.h"
#include "output/fit.h"
#include "output/summary/summary.h"
#include "output/units.h"

enum { ROWS = 6, SAVINGS = 4, WAKINGS = 4, DOUBTS = 3, SENTENCE = 2, LEGEND = 2 };

/* A smaller row would be "0.0 %". */
static const double least_share = 0.05;

static char *doubts_of(const struct sprof_summary *summary)
{
	return sprof_critical_doubts(&summary->critical, summary->profile->critical->lost);
}

static size_t room_behind(const struct sprof_summary *summary, const char *fixed)
{
	return sprof_minus(sprof_summary_room(summary), sprof_fit_length(fixed));
}

static size_t count_rows(const struct sprof_critical *critical)
{
	size_t count = 0;

	while (count < ROWS && count < critical->row_count &&
		sprof_percent(critical->rows[count].ns, critical->length_ns) >= least_share)
		count++;
	return count;
}

/* "save > flush in writer, fdatasync"; what has woken it is left out if the names need the room. */
static char *row_words(
	const struct sprof_summary *summary, const struct sprof_critical_row *row, size_t room)
{
	const bool is_stop = row->kind == SPROF_CRITICAL_SLEEP && row->waker == SPROF_WAKER_SPROF;
	const struct sprof_critical_subject subject = {
		row->thread, row->function, row->caller, is_stop};
	const struct sprof_profile *profile = summary->profile;

	if (row->kind == SPROF_CRITICAL_LOST)
		return sprof_string_print("not known: records are missing");
	for (int is_short = 0;; is_short++) {
		SPROF_AUTO_FREE char *details = sprof_critical_details(profile, row, is_short);
		const size_t left = details ? sprof_minus(room, sprof_fit_length(details)) : 0;
		SPROF_AUTO_FREE char *whole =
			sprof_critical_subject_words(profile, &subject, SIZE_MAX);
		SPROF_AUTO_FREE char *words = sprof_critical_subject_words(profile, &subject, left);

		if (!details || !whole || !words)
			return NULL;
		if (is_short || strcmp(words, whole) == 0)
			return sprof_string_print("%s%s", words, details);
	}
}

/* "1.900 s  63.3 %  sleep  save > flush in writer, fdatasync" */
static void put_row(struct sprof_summary *summary, const struct sprof_critical_row *row)
{
	static const char *const kinds[SPROF_CRITICAL_KINDS] = {
		[SPROF_CRITICAL_RUN] = "run",
		[SPROF_CRITICAL_QUEUE] = "runq",
		[SPROF_CRITICAL_SLEEP] = "sleep",
		[SPROF_CRITICAL_LOST] = "?",
	};
	const bool is_stop = row->kind == SPROF_CRITICAL_SLEEP && row->waker == SPROF_WAKER_SPROF;
	SPROF_AUTO_FREE char *figures =
		sprof_string_print("%8s %5.1f %%  %-5s ", sprof_figure_time(row->ns).text,
			sprof_percent(row->ns, summary->critical.length_ns),
			is_stop ? "stop" : kinds[row->kind]);
	SPROF_AUTO_FREE char *words = NULL, *text = NULL;

	if (figures)
		words = row_words(summary, row, room_behind(summary, figures));
	if (words)
		text = sprof_string_print("%s%s", figures, words);
	if (row->kind == SPROF_CRITICAL_QUEUE)
		sprof_summary_use(summary, SPROF_SUMMARY_RUNQ);
	if (row->kind == SPROF_CRITICAL_RUN)
		sprof_summary_use(summary, SPROF_SUMMARY_RUN);
	if (words && strstr(words, " > "))
		sprof_summary_use(summary, SPROF_SUMMARY_CALLER);
	sprof_summary_put_text(summary, "", text, 1);
}

/* "1.10 s without save > flush in writer, then parse in worker": one line, or two. */
static char *saving_text(
	const struct sprof_summary *summary, const struct sprof_critical_saving *saving)
{
	const struct sprof_critical_subject subject = {
		saving->thread, saving->function, saving->caller, false};
	const struct sprof_critical_subject next = {
		saving->next_thread, saving->next_function, saving->next_caller, false};
	SPROF_AUTO_FREE char *figure =
		sprof_string_print("%8s without ", sprof_figure_time(saving->saved_ns).text);
	SPROF_AUTO_FREE char *words = NULL, *then = NULL;

	if (figure)
		words = sprof_critical_subject_words(
			summary->profile, &subject, room_behind(summary, figure) - 1);
	if (!words)
		return NULL;
	if (!saving->next_ns)
		return sprof_string_print("%s%s", figure, words);
	then = sprof_critical_subject_words(summary->profile, &next, room_behind(summary, "then "));
	return then ? sprof_string_print("%s%s, then %s", figure, words, then) : NULL;
}

static void put_saving(struct sprof_summary *summary, const struct sprof_critical_saving *saving,
	const char *label)
{
	SPROF_AUTO_FREE char *text = saving_text(summary, saving);

	sprof_summary_use(summary, SPROF_SUMMARY_SAVES);
	sprof_summary_put_text(summary, label, text, SENTENCE);
}

/* "worker: 400x by writer, slept 2.1 s, queued 12 ms" */
static char *wakings_text(const struct sprof_critical_wakings *wakings)
{
	const bool is_alike = wakings->waker == SPROF_WAKER_THREAD && wakings->by &&
		strcmp(wakings->thread, wakings->by) == 0;

	return sprof_string_print("%s: %" PRIu64 "x by %s%s, slept %s, queued %s", wakings->thread,
		wakings->times, is_alike ? "another thread of " : "",
		sprof_critical_waker_words((enum sprof_waker)wakings->waker, wakings->by),
		sprof_figure_time(wakings->slept_ns).text,
		sprof_figure_time(wakings->queued_ns).text);
}

static void put_wakings(struct sprof_summary *summary, const struct sprof_critical_wakings *wakings,
	const char *label)
{
	SPROF_AUTO_FREE char *text = wakings_text(wakings);

	sprof_summary_put_text(summary, label, text, SENTENCE);
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
		summary->profile, &subject, sprof_summary_room(summary));

	if (!words || !is_known || first->waker == SPROF_WAKER_SPROF ||
		sprof_percent(first->ns, critical->length_ns) < 25)
		return sprof_string_print("%s in %" PRIu64 " pieces decided how long it took",
			sprof_figure_time(critical->length_ns).text, critical->pieces);
	return sprof_string_print("%s of %s were decided by %s", sprof_figure_time(first->ns).text,
		sprof_figure_time(critical->length_ns).text, words);
}

static size_t lines_of(const struct sprof_summary *summary, const char *text, size_t most)
{
	return text ? sprof_least(sprof_summary_count_lines(summary, text), most) : 0;
}

size_t sprof_summary_count_critical(const struct sprof_summary *summary)
{
	const struct sprof_critical *critical = &summary->critical;
	SPROF_AUTO_FREE char *doubts = NULL, *head = NULL;
	size_t count = LEGEND;

	if (!critical->row_count)
		return 0;
	head = head_of(summary);
	doubts = doubts_of(summary);
	count += lines_of(summary, head, SENTENCE) + lines_of(summary, doubts, DOUBTS);
	count += count_rows(critical);
	for (size_t i = 0; i < critical->waking_count && i < WAKINGS; i++) {
		SPROF_AUTO_FREE char *text = wakings_text(&critical->wakings[i]);

		count += lines_of(summary, text, SENTENCE);
	}
	for (size_t i = 0; i < critical->saving_count && i < SAVINGS; i++) {
		SPROF_AUTO_FREE char *text = saving_text(summary, &critical->savings[i]);

		count += lines_of(summary, text, SENTENCE);
	}
	return count;
}

void sprof_summary_put_critical(struct sprof_summary *summary)
{
	const struct sprof_critical *critical = &summary->critical;
	SPROF_AUTO_FREE char *doubts = NULL, *head = NULL;

	if (!critical->row_count)
		return;
	head = head_of(summary);
	doubts = doubts_of(summary);
	sprof_summary_put_text(summary, "critical", head, SENTENCE);
	for (size_t i = 0; i < count_rows(critical); i++)
		put_row(summary, &critical->rows[i]);
	if (doubts && doubts[0])
		sprof_summary_put_text(summary, "", doubts, DOUBTS);
	for (size_t i = 0; i < critical->saving_count && i < SAVINGS; i++)
		put_saving(summary, &critical->savings[i], i ? "" : "saves <=");
	for (size_t i = 0; i < critical->waking_count && i < WAKINGS; i++)
		put_wakings(summary, &critical->wakings[i], i ? "" : "woken");
	sprof_summary_put_gap(summary);
}
