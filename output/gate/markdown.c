/*
 * The results of a gate as Markdown, as GitHub and GitLab show it. Names are code spans in a table,
 * so bars and backticks in them are escaped.
 */

#include "base/cleanup.h"
#include "output/clean.h"
#include "output/gate/gate.h"

/* A cell of code. A backtick would end it. */
static bool write_code(struct sprof_out *out, const char *text)
{
	SPROF_AUTO_FREE char *clean = sprof_clean_text(text, "`'");

	if (!clean)
		return false;
	sprof_out_puts(out, " `");
	for (const char *at = clean; *at; at++) {
		if (*at == '|')
			sprof_out_puts(out, "\\");
		sprof_out_write(out, at, 1);
	}
	sprof_out_puts(out, "` |");
	return true;
}

static bool write_row(
	struct sprof_out *out, const struct sprof_gate *gate, const struct sprof_gate_row *row)
{
	const struct sprof_gate_words words = sprof_gate_words_of(gate, row);
	const char *const stress = row->result == SPROF_GATE_BEYOND ? "**" : "";
	bool ok;

	sprof_out_printf(out, "| %s%s%s |", stress, words.result, stress);
	ok = write_code(out, gate->conditions[row->condition].text) &&
		write_code(out, row->function ? row->function : "(the whole run)");
	for (int i = 0; i < SPROF_SIDES; i++)
		sprof_out_printf(out, " %s |", words.means[i].text);
	sprof_out_printf(
		out, " %s | %s | %s |\n", words.change.text, words.low.text, words.high.text);
	return ok;
}

bool sprof_gate_write_markdown(const struct sprof_gate *gate, struct sprof_out *out)
{
	struct sprof_gate_notes notes;
	char headline[256];

	sprof_gate_headline(gate, headline, sizeof(headline));
	sprof_out_printf(out, "### sprof diff\n\n%s\n\n", headline);
	sprof_out_puts(out,
		"| result | condition | function | before | after | change | at least | at most "
		"|\n| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |\n");
	for (size_t i = 0; i < gate->row_count; i++) {
		if (!write_row(out, gate, &gate->rows[i]))
			return false;
	}
	sprof_gate_note(gate, &notes);
	for (size_t i = 0; i < notes.count; i++)
		sprof_out_printf(out, "\n%s\n", notes.items[i]);
	return true;
}
