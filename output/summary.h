/*
 * Private to output/: the parts of the summary.
 */
#ifndef SPROF_OUTPUT_SUMMARY_H
#define SPROF_OUTPUT_SUMMARY_H

#include "base/attributes.h"
#include "output/format.h"
#include "profile/answer.h"
#include "profile/view.h"

enum {
	SPROF_SUMMARY_MARGIN = 11 /* columns of labels: "functions  " */
};

struct sprof_summary {
	const struct sprof_profile *profile;
	struct sprof_output_options options;
	struct sprof_out *out;
	struct sprof_answer answer;
	struct sprof_view view;      /* of busy time; of all time if everything is idle */
	uint64_t whole;              /* the view's wall time */
	size_t width, lines;         /* lines: those left to write; SIZE_MAX: any number */
	bool is_airy, is_behind_gap; /* the last line is blank */
	char *question;      /* the command that answers the verdict's question; NULL: none */
	const char *answers; /* what it shows */
	unsigned terms;      /* bits of enum sprof_summary_term: those that have been written */
};

/* Words that want an explanation. */
enum sprof_summary_term {
	SPROF_SUMMARY_RUNQ,
	SPROF_SUMMARY_STARVED,
	SPROF_SUMMARY_STOLEN,
	SPROF_SUMMARY_UNSAMPLED,
};

static inline void sprof_summary_use(struct sprof_summary *summary, enum sprof_summary_term term)
{
	summary->terms |= 1u << term;
}

/* What the terms mean that have been written, as far as there is room. */
void sprof_summary_put_legend(struct sprof_summary *summary);

/* Writes a label in the margin; blank from a part's second line on. */
void sprof_summary_put_label(const struct sprof_summary *summary, const char *label);
void sprof_summary_end_line(struct sprof_summary *summary);
/* Writes a text behind a label. Breaks lines between words, and cuts what exceeds `most` lines. */
void sprof_summary_put_text(
	struct sprof_summary *summary, const char *label, const char *text, size_t most);
/* In how many lines it would be written. */
size_t sprof_summary_count_lines(const struct sprof_summary *summary, const char *text);

/* Resets the colour (ECMA-48, SGR). */
#define SPROF_SUMMARY_PLAIN "\033[0m"
/* The sequence if colours are wanted, else "". */
static inline const char *sprof_summary_style(
	const struct sprof_summary *summary, const char *sequence)
{
	return summary->options.colour ? sequence : "";
}

/* Each writes a table of at most `rows` rows. False: no memory. */
SPROF_MUST_USE bool sprof_summary_put_functions(
	struct sprof_summary *summary, size_t rows, struct sprof_error *err);
SPROF_MUST_USE bool sprof_summary_put_paths(
	struct sprof_summary *summary, size_t rows, struct sprof_error *err);
SPROF_MUST_USE bool sprof_summary_put_waits(
	struct sprof_summary *summary, size_t rows, struct sprof_error *err);

/*
 * Finds the command that answers the question which the verdict leaves open, if there is one. Call it
 * before lines are counted; the caller frees it.
 */
void sprof_summary_find_question(struct sprof_summary *summary);
/* What comes next: that command, and the one that shows everything. */
void sprof_summary_put_next(struct sprof_summary *summary);
/* The rows that each of the `tables` to come may have; `other` lines follow them. */
size_t sprof_summary_rows_left(const struct sprof_summary *summary, size_t tables, size_t other);
/* Did sprof itself cost much? */
bool sprof_summary_has_cost(const struct sprof_profile *profile);
/* What it cost, one sentence without its full stop. To be freed. NULL: no memory. */
char *sprof_summary_cost(const struct sprof_profile *profile);
/* That sentence if it cost much; at most two lines. */
void sprof_summary_put_cost(struct sprof_summary *summary);
/* A blank line between parts if the screen is large; one only, if a part is empty. */
void sprof_summary_put_gap(struct sprof_summary *summary);

/*
 * Of a profile that counts something else than time: how much of it, and where in the program. False:
 * no memory.
 */
SPROF_MUST_USE bool sprof_summary_put_counts(
	struct sprof_summary *summary, struct sprof_error *err);

/* Page faults, if the profile has some: a sentence and, if it shows them, a table. False: no memory. */
SPROF_MUST_USE bool sprof_summary_put_faults(
	struct sprof_summary *summary, struct sprof_error *err);

/*
 * One sentence, without its full stop: where a program's time went. It names at most `causes`
 * causes, 1 or 2. Names are cut to `room` characters. To be freed. NULL: no memory.
 */
char *sprof_summary_sentence(const struct sprof_profile *profile,
	const struct sprof_program *program, size_t causes, size_t room);

/*
 * What limits the trust in figures from this many samples, the worst first, as much as fits; empty
 * if nothing does. To be freed. NULL: no memory.
 */
char *sprof_summary_doubts(const struct sprof_profile *profile, uint64_t samples, size_t room);

/*
 * The path from a root to a node of a caller graph, in at most `room` characters; its middle is
 * left out if it doesn't fit. To be freed. NULL: no memory.
 */
char *sprof_summary_path(const struct sprof_profile *profile, const struct sprof_graph *graph,
	size_t node, size_t room);

#endif
