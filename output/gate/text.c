/*
 * The results of a gate as a table for terminals and logs.
 */
#include "output/gate/gate.h"
#include "output/table.h"

static const struct sprof_table_column columns[] = {
	{"result", true, 0},
	{"before", false, 0},
	{"after", false, 0},
	{"change", false, 0},
	{"at least", false, 0},
	{"at most", false, 0},
	{"condition", true, 0},
	{"function", true, 0},
};

enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

/* Only a pattern leads to functions that the condition doesn't name. */
static bool has_functions(const struct sprof_gate *gate)
{
	return gate->row_count > gate->condition_count;
}

static void add_row(
	struct sprof_table *table, const struct sprof_gate *gate, const struct sprof_gate_row *row)
{
	const struct sprof_gate_words words = sprof_gate_words_of(gate, row);

	sprof_table_cell(table, "%s", words.result);
	for (int i = 0; i < SPROF_SIDES; i++)
		sprof_table_cell(table, "%s", words.means[i].text);
	sprof_table_cell(table, "%s", words.change.text);
	sprof_table_cell(table, "%s", words.low.text);
	sprof_table_cell(table, "%s", words.high.text);
	sprof_table_text(table, gate->conditions[row->condition].text);
	if (has_functions(gate))
		sprof_table_text(table, row->function ? row->function : "(the whole run)");
}

bool sprof_gate_write_text(const struct sprof_gate *gate, struct sprof_out *out)
{
	struct sprof_table table = {
		.columns = columns, .column_count = COLUMNS - !has_functions(gate)};
	struct sprof_gate_notes notes;
	char headline[256];
	bool ok;

	sprof_gate_headline(gate, headline, sizeof(headline));
	sprof_out_printf(out, "%s\n\n", headline);
	for (size_t i = 0; i < gate->row_count; i++)
		add_row(&table, gate, &gate->rows[i]);
	ok = sprof_table_write(&table, 0, out);
	sprof_gate_note(gate, &notes);
	for (size_t i = 0; i < notes.count; i++)
		sprof_out_printf(out, "%s%s\n", i ? "" : "\n", notes.items[i]);
	return ok;
}
