/*
 * The results of a gate as a table, for reports of tests (JUnit), and as Markdown.
 */
#ifndef SPROF_OUTPUT_GATE_H
#define SPROF_OUTPUT_GATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "output/out.h"
#include "output/units.h"
#include "profile/gate.h"

/* The gate has been judged. False: no memory. */
SPROF_MUST_USE bool sprof_gate_write_text(const struct sprof_gate *gate, struct sprof_out *out);
SPROF_MUST_USE bool sprof_gate_write_markdown(const struct sprof_gate *gate, struct sprof_out *out);
/* A test for each comparison; one whose figure has grown by more than it may has failed. */
SPROF_MUST_USE bool sprof_gate_write_junit(const struct sprof_gate *gate, struct sprof_out *out);

/* The cells of a row, each a figure or a word; what the writers share (output/gate-words.c). */
struct sprof_gate_words {
	const char *result; /* "FAIL", "unclear", "ok" */
	struct sprof_figure means[SPROF_SIDES], change, low, high;
};
struct sprof_gate_words sprof_gate_words_of(
	const struct sprof_gate *gate, const struct sprof_gate_row *row);

enum { SPROF_GATE_NOTES_MAX = 5, SPROF_GATE_NOTE_SIZE = 512 };

/* What the reader of the results must know, a paragraph each. */
struct sprof_gate_notes {
	char items[SPROF_GATE_NOTES_MAX][SPROF_GATE_NOTE_SIZE];
	size_t count;
};
void sprof_gate_note(const struct sprof_gate *gate, struct sprof_gate_notes *ret);

/* "orchard: 5 runs before, 5 after: 1 of 3 comparisons failed". */
void sprof_gate_headline(const struct sprof_gate *gate, char *buffer, size_t size);

#endif
