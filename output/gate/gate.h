/* The results of a gate as text, as JUnit XML, and as Markdown. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "output/out.h"
#include "output/units.h"
#include "profile/compare/gate.h"

/* Write the results of a judged gate. Return false if out of memory. */
SPROF_MUST_USE bool sprof_gate_write_text(const struct sprof_gate *gate, struct sprof_out *out);
SPROF_MUST_USE bool sprof_gate_write_markdown(const struct sprof_gate *gate, struct sprof_out *out);
/* One test per comparison; it failed if the result is BEYOND. */
SPROF_MUST_USE bool sprof_gate_write_junit(const struct sprof_gate *gate, struct sprof_out *out);

/* The cells of a row as text, shared by the writers (output/gate/words.c). */
struct sprof_gate_words {
	const char *result; /* "FAIL", "unclear", "ok" */
	struct sprof_figure means[SPROF_SIDES], change, low, high;
};
struct sprof_gate_words sprof_gate_words_of(
	const struct sprof_gate *gate, const struct sprof_gate_row *row);

enum { SPROF_GATE_NOTES_MAX = 5, SPROF_GATE_NOTE_SIZE = 512 };

/* Notes for the reader of the results, one paragraph each. */
struct sprof_gate_notes {
	char items[SPROF_GATE_NOTES_MAX][SPROF_GATE_NOTE_SIZE];
	size_t count;
};
void sprof_gate_note(const struct sprof_gate *gate, struct sprof_gate_notes *ret);

/* "orchard: 5 runs before, 5 after: 1 of 3 comparisons failed". */
void sprof_gate_headline(const struct sprof_gate *gate, char *buffer, size_t size);
