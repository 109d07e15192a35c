/*
 * Private to output/: the parts of the summary.
 */
#pragma once

#include "base/attributes.h"
#include "output/format.h"
#include "profile/answer/answer.h"
#include "profile/critical/critical.h"
#include "profile/views/view.h"

enum {
	SPROF_SUMMARY_MARGIN = 11, /* columns of labels: "functions  " */
	SPROF_SUMMARY_REMEDY = 3   /* lines */
};

struct sprof_summary {
	const struct sprof_profile *profile;
	struct sprof_output_options options;
	struct sprof_out *out;
	struct sprof_answer answer;
	struct sprof_view view;         /* busy time; all time if everything is idle */
	uint64_t whole;                 /* the view's wall time */
	size_t width, lines;            /* `lines`: lines left; SIZE_MAX: no limit */
	bool is_airy, is_behind_gap;    /* the last line is blank */
	char *remedy;                   /* what gives names to nameless code; NULL: not wanted */
	char *question;                 /* the command that answers the open question; NULL: none */
	const char *answers;            /* what it shows */
	struct sprof_critical critical; /* its path; without rows: there is none */
	unsigned terms;                 /* terms used so far, as bits of enum sprof_summary_term */
};

/* Terms explained in the legend. */
enum sprof_summary_term {
	SPROF_SUMMARY_RUNQ,
	SPROF_SUMMARY_STARVED, /* of functions */
	SPROF_SUMMARY_MIXED,   /* of functions: "-" */
	SPROF_SUMMARY_RUN,     /* of the critical path, as the next ones */
	SPROF_SUMMARY_CALLER,  /* "a > b" */
	SPROF_SUMMARY_SAVES,
	SPROF_SUMMARY_STOLEN,
	SPROF_SUMMARY_UNSAMPLED,
};

/* The characters of a line behind its label. */
static inline size_t sprof_summary_room(const struct sprof_summary *summary)
{
	return summary->width - SPROF_SUMMARY_MARGIN;
}

static inline void sprof_summary_use(struct sprof_summary *summary, enum sprof_summary_term term)
{
	summary->terms |= 1u << term;
}

/* The view of busy time, or of all time if everything is idle, once the answer is there. */
void sprof_summary_settle_view(struct sprof_summary *summary);

/* Explains the terms used, as far as there is room. */
void sprof_summary_put_legend(struct sprof_summary *summary);

/* Writes a label in the margin; blanks from a part's second line on. */
void sprof_summary_put_label(const struct sprof_summary *summary, const char *label);
void sprof_summary_end_line(struct sprof_summary *summary);
/*
 * Writes a text after a label. Breaks lines between words, and truncates to `most` lines. A NULL
 * text means that there was no memory for it.
 */
void sprof_summary_put_text(
	struct sprof_summary *summary, const char *label, const char *text, size_t most);
/* The number of lines that the text takes. */
size_t sprof_summary_count_lines(const struct sprof_summary *summary, const char *text);

/* SGR reset (ECMA-48). */
#define SPROF_SUMMARY_PLAIN "\033[0m"
/* The sequence if colour is on, else "". */
static inline const char *sprof_summary_style(
	const struct sprof_summary *summary, const char *sequence)
{
	return summary->options.colour ? sequence : "";
}

/* Each writes a table of at most `rows` rows. Return false if out of memory. */
SPROF_MUST_USE bool sprof_summary_put_functions(
	struct sprof_summary *summary, size_t rows, struct sprof_error *err);
SPROF_MUST_USE bool sprof_summary_put_paths(
	struct sprof_summary *summary, size_t rows, struct sprof_error *err);
SPROF_MUST_USE bool sprof_summary_put_waits(
	struct sprof_summary *summary, size_t rows, struct sprof_error *err);

/*
 * Finds the command that answers the question left open by the verdict, if any. Call it before
 * counting lines; the caller frees it.
 */
void sprof_summary_find_question(struct sprof_summary *summary);
/* Finds the sentence about nameless code, if it is worth one. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_summary_find_remedy(struct sprof_summary *summary);
/* Writes the next steps: the remedy, that command, and the one for the full report. */
void sprof_summary_put_next(struct sprof_summary *summary);
/* The rows that each of `tables` further tables may have, before `other` more lines. */
size_t sprof_summary_rows_left(const struct sprof_summary *summary, size_t tables, size_t other);
/* Whether sprof's own cost was considerable. */
bool sprof_summary_has_cost(const struct sprof_profile *profile);
/*
 * One sentence about the cost, without full stop. The caller frees it. Returns NULL if out of
 * memory.
 */
char *sprof_summary_cost(const struct sprof_profile *profile);
/* Writes that sentence if the cost was considerable; at most two lines. */
void sprof_summary_put_cost(struct sprof_summary *summary);
/* Writes a blank line between parts if there is room; only one around an empty part. */
void sprof_summary_put_gap(struct sprof_summary *summary);

/*
 * For profiles of other values than time: the total, and where in the program it arises. Returns
 * false if out of memory.
 */
SPROF_MUST_USE bool sprof_summary_put_counts(
	struct sprof_summary *summary, struct sprof_error *err);

/*
 * Page faults, if the profile has them: a sentence and, if they are shown, a table. Returns false
 * if out of memory.
 */
SPROF_MUST_USE bool sprof_summary_put_faults(
	struct sprof_summary *summary, struct sprof_error *err);

/*
 * One sentence, without full stop: where a program's time went. Names at most `causes` (1 or 2)
 * causes, with names truncated to `room` characters. The caller frees it. Returns NULL if out of
 * memory.
 */
char *sprof_summary_sentence(const struct sprof_profile *profile,
	const struct sprof_program *program, size_t causes, size_t room);

/* Whether nothing that was seen shows where the time went. */
bool sprof_summary_knows_nothing(const struct sprof_summary *summary);
/* The verdict in that case. The caller frees it. Returns NULL if out of memory. */
char *sprof_summary_too_short(const struct sprof_profile *profile);

/*
 * The verdict if everything is idle: what most of it waits for. The caller frees it. Returns NULL
 * if out of memory.
 */
char *sprof_summary_idle(const struct sprof_summary *summary, struct sprof_error *err);

/* Lines that the critical path takes, and the lines themselves. 0: there is none. */
size_t sprof_summary_count_critical(const struct sprof_summary *summary);
void sprof_summary_put_critical(struct sprof_summary *summary);

struct sprof_summary_sentences {
	void (*put)(void *data, const char *sentence);
	void *data;
};

/*
 * Hands over all sentences of the verdict, with names truncated to `room` characters. Returns false
 * if out of memory.
 */
SPROF_MUST_USE bool sprof_summary_verdict(const struct sprof_summary *summary, size_t room,
	const struct sprof_summary_sentences *to, struct sprof_error *err);

/* Whether more samples would show which function is behind the cause; for user and sys time. */
bool sprof_summary_wants_samples(const struct sprof_cause *cause);

/*
 * One sentence: for how long all programs were ready but without a CPU, why, and how much faster
 * they could be. Empty if that is not worth mentioning. The caller frees it. Returns NULL if out of
 * memory.
 */
char *sprof_summary_queue(const struct sprof_profile *profile, const struct sprof_answer *answer);

/*
 * Limits of the accuracy with this many samples, worst first, as many as fit; empty if there are
 * none. The caller frees it. Returns NULL if out of memory.
 */
char *sprof_summary_doubts(const struct sprof_profile *profile, uint64_t samples, size_t room);

/*
 * The path from the root to a node of a caller graph, shortened in the middle to `room` characters.
 * The caller frees it. Returns NULL if out of memory.
 */
char *sprof_summary_path(const struct sprof_profile *profile, const struct sprof_graph *graph,
	size_t node, size_t room);
