/*
 * JSON's member "answer": the summary as data, with the figures that it shows on a screen. Shares
 * are percentages of whole_ns.
 */
#include "output/formats/json-answer.h"

#include <inttypes.h>
#include <stdlib.h>

#include "output/summary/summary.h"
#include "profile/answer/program-functions.h"

enum {
	PROGRAMS = 5,
	ROOM = 200 /* characters of a name in a sentence */
};

struct answering {
	struct sprof_json *json;
	struct sprof_summary *summary;
};

/* NULL: null. */
static void write_text(const struct answering *answering, const char *member, const char *text)
{
	sprof_json_format(answering->json, ",\"%s\":", member);
	if (text)
		sprof_json_name(answering->json, text);
	else
		sprof_json_text(answering->json, "null");
}

static void write_share(const struct answering *answering, uint64_t ns)
{
	sprof_json_format(answering->json, ",\"ns\":%" PRIu64 ",\"percent\":%.1f", ns,
		sprof_percent(ns, answering->summary->whole));
}

static void write_name(const struct answering *answering, const char *member, uint32_t function)
{
	write_text(answering, member,
		function == SPROF_PROFILE_NONE
			? NULL
			: answering->summary->profile->functions[function].name);
}

struct list {
	struct sprof_json *json;
	bool first;
};

static void write_sentence(void *data, const char *sentence)
{
	struct list *list = data;

	sprof_json_comma(list->json, &list->first);
	sprof_json_name(list->json, sentence);
}

static bool write_verdict(const struct answering *answering, struct sprof_error *err)
{
	struct list list = {answering->json, true};

	sprof_json_text(answering->json, ",\"verdict\":[");
	if (!sprof_summary_verdict(answering->summary, ROOM,
		    &(struct sprof_summary_sentences){write_sentence, &list}, err))
		return false;
	sprof_json_text(answering->json, "]");
	return true;
}

static bool write_functions(const struct answering *answering, struct sprof_error *err)
{
	struct sprof_own own;
	bool first = true;

	if (!sprof_own_build(answering->summary->profile, &answering->summary->view, &own, err))
		return false;
	sprof_json_text(answering->json, ",\n\"functions\":[");
	for (size_t i = 0; i < own.count; i++) {
		const struct sprof_own_row *row = &own.rows[i];
		const enum sprof_verdict verdict =
			sprof_verdict_of(&row->self.times, &row->waiting);

		sprof_json_comma(answering->json, &first);
		sprof_json_format(answering->json, "\n{\"function\":%" PRIu32, row->function);
		write_name(answering, "name", row->function);
		write_share(answering, sprof_times_wall(&row->self.times));
		write_name(answering, "in", row->inner);
		write_text(answering, "verdict",
			verdict == SPROF_VERDICT_NONE ? NULL : sprof_verdict_name(verdict));
		sprof_json_text(answering->json, "}");
	}
	sprof_json_text(answering->json, "]");
	sprof_own_finish(&own);
	return true;
}

static bool write_waits(const struct answering *answering, struct sprof_error *err)
{
	struct sprof_waits_table table;
	bool first = true;

	if (!sprof_waits_table_build(
		    answering->summary->profile, &answering->summary->view, &table, err))
		return false;
	sprof_json_text(answering->json, ",\n\"waits\":[");
	for (size_t i = 0; i < table.count; i++) {
		const struct sprof_waits_row *row = &table.rows[i];

		sprof_json_comma(answering->json, &first);
		sprof_json_text(answering->json, "\n{\"kind\":");
		sprof_json_string(answering->json, sprof_wait_kind_name(row->kind));
		write_name(answering, "name", row->function);
		write_share(answering, row->ns);
		write_text(answering, "syscall", row->syscall);
		write_text(answering, "object", row->object);
		write_text(answering, "holder", row->holder);
		sprof_json_text(answering->json, "}");
	}
	sprof_json_text(answering->json, "]");
	sprof_waits_table_finish(&table);
	return true;
}

static bool write_next(const struct answering *answering)
{
	struct sprof_summary *summary = answering->summary;
	bool first = true, ok = sprof_summary_find_remedy(summary);

	sprof_summary_find_question(summary);
	sprof_json_text(answering->json, ",\n\"next\":[");
	if (summary->remedy) {
		sprof_json_comma(answering->json, &first);
		sprof_json_name(answering->json, summary->remedy);
	}
	if (summary->question) {
		sprof_json_comma(answering->json, &first);
		sprof_json_name(answering->json, summary->question);
	}
	sprof_json_text(answering->json, "]");
	free(summary->remedy);
	free(summary->question);
	return ok;
}

bool sprof_json_answer(struct sprof_json *json, const struct sprof_profile *profile,
	const struct sprof_output_options *options, struct sprof_error *err)
{
	struct sprof_summary summary = {
		.profile = profile, .options = *options, .width = ROOM, .lines = SIZE_MAX};
	const struct answering answering = {.json = json, .summary = &summary};
	bool ok;

	if (!sprof_profile_counts_time(profile))
		return true;
	if (!sprof_answer_build(profile, PROGRAMS, &summary.answer, err))
		return false;
	sprof_summary_settle_view(&summary);
	sprof_json_format(json,
		",\n\"answer\":{\"whole_ns\":%" PRIu64 ",\"idle_ns\":%" PRIu64
		",\"unsampled_ns\":%" PRIu64,
		summary.whole, summary.answer.idle_ns, summary.answer.unsampled_ns);
	ok = write_verdict(&answering, err) && write_functions(&answering, err) &&
		write_waits(&answering, err) &&
		(write_next(&answering) || sprof_error_no_memory(err));
	sprof_json_text(json, "}");
	sprof_answer_finish(&summary.answer);
	return ok;
}
