/*
 * The results of a gate as JUnit XML, as CI servers read it: a suite with one test per comparison.
 * Tests have no durations, because nothing ran.
 */
#include <stdlib.h>

#include "base/cleanup.h"
#include "output/escape.h"
#include "output/gate/gate.h"

static void write_figures(struct sprof_out *out, const struct sprof_gate_words *words)
{
	sprof_out_printf(out, "%s before, %s after: %s, at least %s and at most %s",
		words->means[SPROF_SIDE_BASE].text, words->means[SPROF_SIDE_NEW].text,
		words->change.text, words->low.text, words->high.text);
}

static bool write_test(struct sprof_out *out, const struct sprof_gate *gate,
	const struct sprof_gate_row *row, const char *program)
{
	const struct sprof_gate_words words = sprof_gate_words_of(gate, row);
	const char *const condition = gate->conditions[row->condition].text;
	bool ok;

	sprof_out_puts(out, "    <testcase classname=\"");
	ok = sprof_escape_text(out, program);
	sprof_out_puts(out, "\" name=\"");
	ok = ok && sprof_escape_text(out, condition);
	if (gate->row_count > gate->condition_count && row->function) {
		sprof_out_puts(out, ": ");
		ok = ok && sprof_escape_text(out, row->function);
	}
	sprof_out_puts(out, "\">\n");
	if (row->result == SPROF_GATE_BEYOND) {
		sprof_out_puts(out, "      <failure message=\"");
		write_figures(out, &words);
		sprof_out_puts(out, "\"/>\n");
	} else {
		sprof_out_printf(out, "      <system-out>%s: ", words.result);
		write_figures(out, &words);
		sprof_out_puts(out, "</system-out>\n");
	}
	sprof_out_puts(out, "    </testcase>\n");
	return ok;
}

static bool write_notes(struct sprof_out *out, const struct sprof_gate *gate)
{
	struct sprof_gate_notes notes;
	bool ok = true;

	sprof_gate_note(gate, &notes);
	sprof_out_puts(out, "    <system-out>");
	for (size_t i = 0; ok && i < notes.count; i++) {
		ok = sprof_escape_text(out, notes.items[i]);
		sprof_out_puts(out, "\n");
	}
	sprof_out_puts(out, "</system-out>\n");
	return ok;
}

bool sprof_gate_write_junit(const struct sprof_gate *gate, struct sprof_out *out)
{
	SPROF_AUTO_FREE char *program = sprof_gate_program(&gate->runs[0]);
	size_t failures = sprof_gate_count(gate, SPROF_GATE_BEYOND);
	bool ok = program;

	sprof_out_printf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites tests=\"%zu\" failures=\"%zu\" errors=\"0\">\n"
		"  <testsuite name=\"sprof diff\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" "
		"skipped=\"0\">\n",
		gate->row_count, failures, gate->row_count, failures);
	for (size_t i = 0; ok && i < gate->row_count; i++)
		ok = write_test(out, gate, &gate->rows[i], program);
	ok = ok && write_notes(out, gate);
	sprof_out_puts(out, "  </testsuite>\n</testsuites>\n");
	return ok;
}
