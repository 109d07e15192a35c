/* The results of a gate as figures and phrases. Does not do the layout. */
#include "output/gate/gate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "output/clean.h"

static const char *const results[] = {
	[SPROF_GATE_WITHIN] = "ok",
	[SPROF_GATE_UNCLEAR] = "unclear",
	[SPROF_GATE_BEYOND] = "FAIL",
};

/* Times are in whole ns, at least 0. */
static struct sprof_figure value_of(double value, enum sprof_weight weight)
{
	struct sprof_figure figure;

	if (sprof_weight_is_time(weight))
		return sprof_figure_time((uint64_t)(value + 0.5));
	snprintf(figure.text, sizeof(figure.text), "%.4g", value);
	return figure;
}

static struct sprof_figure change_of(double value, const struct sprof_gate_condition *condition)
{
	struct sprof_figure figure;

	if (isinf(value))
		snprintf(figure.text, sizeof(figure.text), "%s", value < 0 ? "-inf" : "+inf");
	else if (condition->relative)
		snprintf(figure.text, sizeof(figure.text), "%+.*f%%", fabs(value) < 10 ? 1 : 0,
			/* Avoids "-0.0%". */
			fabs(value) < 0.0005 ? 0 : 100 * value);
	else
		snprintf(figure.text, sizeof(figure.text), "%c%.30s", value < 0 ? '-' : '+',
			value_of(fabs(value), condition->weight).text);
	return figure;
}

struct sprof_gate_words sprof_gate_words_of(
	const struct sprof_gate *gate, const struct sprof_gate_row *row)
{
	const struct sprof_gate_condition *condition = &gate->conditions[row->condition];
	const struct sprof_change *change = &row->change;

	return (struct sprof_gate_words){
		.result = results[row->result],
		.means = {value_of(change->means[SPROF_SIDE_BASE], condition->weight),
			value_of(change->means[SPROF_SIDE_NEW], condition->weight)},
		.change = change_of(change->change, condition),
		.low = change_of(change->low, condition),
		.high = change_of(change->high, condition),
	};
}

static void add(struct sprof_gate_notes *notes, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void add(struct sprof_gate_notes *notes, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(notes->items[notes->count++], SPROF_GATE_NOTE_SIZE, format, arguments);
	va_end(arguments);
}

static void note_commands(const struct sprof_gate *gate, struct sprof_gate_notes *notes)
{
	const struct sprof_gate_run *other = sprof_gate_other_command(gate);
	char one[160], two[160], first[64], second[64];

	if (!other)
		return;
	snprintf(first, sizeof(first), "%.50s", gate->runs[0].path);
	snprintf(second, sizeof(second), "%.50s", other->path);
	sprof_clean_copy(first, one, sizeof(one));
	sprof_clean_copy(second, two, sizeof(two));
	add(notes,
		"The command lines of %s and %s differ. Only runs that do the same work can be "
		"compared.",
		one, two);
}

void sprof_gate_note(const struct sprof_gate *gate, struct sprof_gate_notes *ret)
{
	*ret = (struct sprof_gate_notes){0};
	add(ret,
		"\"at least\" and \"at most\" are the ends of an interval for the change, from "
		"permutations of the runs. Of each kind, one or more are wrong in at most %.4g%% of such "
		"tables (%zu comparison%s, Bonferroni).",
		100 * gate->level, gate->row_count, sprof_string_plural(gate->row_count));
	if (sprof_gate_count(gate, SPROF_GATE_UNCLEAR))
		add(ret,
			"unclear: the limit is between the two. More runs, longer runs, a higher rate "
			"or a quieter machine narrow the interval.");
	if (!sprof_gate_is_in_turns(gate))
		add(ret,
			"All runs of one side were recorded before those of the other: a change of the "
			"machine meanwhile looks like one of the program. Better record them in "
			"turns.");
	note_commands(gate, ret);
}

void sprof_gate_headline(const struct sprof_gate *gate, char *buffer, size_t size)
{
	SPROF_AUTO_FREE char *program = sprof_gate_program(&gate->runs[0]);
	char clean[128], name[40];

	snprintf(name, sizeof(name), "%s", program ? program : "");
	sprof_clean_copy(name, clean, sizeof(clean));
	snprintf(buffer, size, "%s%s%zu runs before, %zu after: %zu of %zu comparison%s failed",
		clean, clean[0] ? ": " : "", gate->expected[SPROF_SIDE_BASE],
		gate->expected[SPROF_SIDE_NEW], sprof_gate_count(gate, SPROF_GATE_BEYOND),
		gate->row_count, sprof_string_plural(gate->row_count));
}
