/*
 * What the threads waited for, and who held up whom. Time is blocked time; shares are of all of it.
 */
#include "output/text.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "output/units.h"
#include "profile/waits.h"

enum {
	INDENT = 8 + 7 + 4 + 8 + 6 + 2,
	EDGE_INDENT = 8 + 7 + 8 + 2
};

static const char *function_name(const struct sprof_text *text, uint32_t function)
{
	return function == SPROF_PROFILE_NONE ? "[unknown]"
					      : text->profile->functions[function].name;
}

struct owner {
	char text[32];
};

/* Where there are several processes, " of process 12" behind a lock that only one of them has. */
static struct owner name_owner(const struct sprof_text *text, const struct sprof_waits_row *row)
{
	const struct sprof_profile *profile = text->profile;
	struct owner owner = {""};

	if (row->process != SPROF_PROFILE_NONE && profile->process_count > 1 && !row->is_join)
		snprintf(owner.text, sizeof(owner.text), " of process %d",
			profile->processes[row->process].pid);
	return owner;
}

/* "read pipe:[4711] from cat (12) in load, ..." */
static char *describe(const struct sprof_text *text, const struct sprof_waits_row *row)
{
	char *line;

	if (asprintf(&line, "%s%s%s%s in %s", row->syscall ? row->syscall : "",
		    row->syscall && row->object ? " " : "",
		    row->object ? row->object : (row->syscall ? "" : "[not known]"),
		    name_owner(text, row).text, function_name(text, row->function)) < 0)
		return NULL;
	return line;
}

/* Of a join it is the thread that is waited for; nobody holds that. */
static char *describe_holder(const struct sprof_waits_row *row)
{
	char *line;

	if (asprintf(&line, "%s %s%s%s, %.0f %% of it", row->is_join ? "for the end of" : "held by",
		    row->holder, row->holder_function ? " in " : "",
		    row->holder_function ? row->holder_function : "",
		    sprof_percent(row->holder_ns, row->ns)) < 0)
		return NULL;
	return line;
}

static void write_row(const struct sprof_text *text, const struct sprof_waits_table *table,
	const struct sprof_waits_row *row)
{
	SPROF_AUTO_FREE char *line = describe(text, row);
	SPROF_AUTO_FREE char *holder = row->holder ? describe_holder(row) : NULL;

	sprof_out_printf(text->out, "%8s %6.1f %3" PRIu32 " %7" PRIu64 " %5s  ",
		sprof_figure_time(row->ns).text, sprof_percent(row->ns, table->blocked_ns),
		row->threads, row->samples, sprof_wait_kind_name(row->kind));
	sprof_text_end_with_name(text, INDENT, line ? line : "");
	if (!holder)
		return;
	sprof_out_fill(text->out, ' ', INDENT + 2);
	sprof_text_end_with_name(text, INDENT + 2, holder);
}

static void write_rows(const struct sprof_text *text, const struct sprof_waits_table *table)
{
	size_t shown = 0, small = 0, beyond = 0;

	for (size_t i = 0; i < table->count; i++) {
		const struct sprof_waits_row *row = &table->rows[i];

		if (sprof_text_is_small(text, sprof_percent(row->ns, table->blocked_ns))) {
			small++;
		} else if (text->options.top && shown == text->options.top) {
			beyond++;
		} else {
			write_row(text, table, row);
			shown++;
		}
	}
	sprof_text_left_out(text, "wait", small, beyond);
}

static char *describe_edge(const struct sprof_text *text, const struct sprof_waits_table *table,
	const struct sprof_waits_edge *edge)
{
	const struct sprof_waits_row *row = &table->rows[edge->row];
	char *line;

	if (asprintf(&line, "%s <- %s%s <- %s, %s", function_name(text, row->function),
		    row->object ? row->object : "lock", name_owner(text, row).text,
		    edge->holder_function ? edge->holder_function : "[unknown]", edge->holder) < 0)
		return NULL;
	return line;
}

static void write_edges(const struct sprof_text *text, const struct sprof_waits_table *table)
{
	size_t shown = 0, small = 0, beyond = 0;

	sprof_out_printf(text->out, "\nwho holds up whom\n%8s %6s %7s  waiter <- lock <- holder\n",
		"time", "share%", "samples");
	for (size_t i = 0; i < table->edge_count; i++) {
		const struct sprof_waits_edge *edge = &table->edges[i];
		double percent = sprof_percent(edge->ns, table->blocked_ns);
		SPROF_AUTO_FREE char *line = describe_edge(text, table, edge);

		if (sprof_text_is_small(text, percent)) {
			small++;
			continue;
		}
		if (text->options.top && shown == text->options.top) {
			beyond++;
			continue;
		}
		sprof_out_printf(text->out, "%8s %6.1f %7" PRIu64 "  ",
			sprof_figure_time(edge->ns).text, percent, edge->samples);
		sprof_text_end_with_name(text, EDGE_INDENT, line ? line : "");
		shown++;
	}
	sprof_text_left_out(text, "pair", small, beyond);
}

/* A profile of another origin may know that threads were blocked, and nothing more. */
static bool is_known(const struct sprof_waits_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		if (table->rows[i].syscall || table->rows[i].object)
			return true;
	}
	return false;
}

bool sprof_text_waits(const struct sprof_text *text, uint32_t thread, struct sprof_error *err)
{
	const struct sprof_view view = {.weight = SPROF_WEIGHT_WAIT, .thread = thread};
	struct sprof_waits_table table;

	if (text->profile->foreign.kind_count)
		return true;
	if (!sprof_waits_table_build(text->profile, &view, &table, err))
		return false;
	if (is_known(&table) || text->options.waits_only) {
		sprof_out_printf(text->out, "\nwaits: blocked for %s of %s\n",
			sprof_figure_time(table.blocked_ns).text,
			sprof_figure_time(table.wall_ns).text);
		sprof_out_printf(text->out, "%8s %6s %3s %7s %5s  what for, where\n", "time",
			"share%", "thr", "samples", "kind");
		write_rows(text, &table);
	}
	if (table.edge_count)
		write_edges(text, &table);
	sprof_waits_table_finish(&table);
	return true;
}
