/*
 * Direct callers and callees: each function has a block with its callers, itself, and its callees,
 * as in gprof's call graph. profile/views/neighbours.h defines the figures. Shares are of the
 * function's total; in the function's own line, of the whole. paths.c shows longer paths.
 */
#include "output/text/text.h"

#include "profile/views/neighbours.h"

enum { INDENT = 4 };

struct line {
	double percent;
	uint64_t self, value;
	const char *name, *suffix;
	bool is_head;
};

/* Without a name: the titles. */
static void write_line(const struct sprof_text *text, const struct line *line)
{
	struct sprof_row row = {.out = text->out, .is_head = !line->name};

	sprof_row_percent(&row, "share%", 7, line->percent);
	sprof_text_value(text, &row, "self", line->self);
	sprof_text_value(text, &row, "children", line->value - line->self);
	sprof_text_value(text, &row, "total", line->value);
	sprof_row_gap(&row, 2, "function");
	if (row.is_head)
		return;
	sprof_row_gap(&row, line->is_head ? 0 : INDENT, "");
	sprof_text_end_with_function(text, row.length, line->name, line->suffix);
}

static void write_items(const struct sprof_text *text, const struct sprof_neighbour *items,
	size_t count, uint64_t total)
{
	struct sprof_text_rows rows = {0};

	for (size_t i = 0; i < count; i++) {
		const struct line line = {
			.percent = sprof_percent(items[i].value, total),
			.self = items[i].self,
			.value = items[i].value,
			.name = text->profile->functions[items[i].function].name,
			.suffix = "",
		};

		if (sprof_text_takes(text, &rows, line.percent))
			write_line(text, &line);
	}
	sprof_text_left_out(text, "function", rows.small, rows.beyond);
}

static void write_head(
	const struct sprof_text *text, const struct sprof_neighbourhood *function, uint64_t whole)
{
	char depth[24];

	sprof_text_calls(depth, sizeof(depth), "", function->depth);
	write_line(text,
		&(struct line){
			.percent = sprof_percent(function->total, whole),
			.self = function->self,
			.value = function->total,
			.name = text->profile->functions[function->function].name,
			.suffix = depth,
			.is_head = true,
		});
}

static void write_block(const struct sprof_text *text, const struct sprof_neighbours *neighbours,
	const struct sprof_neighbourhood *function)
{
	const struct sprof_neighbour *items = neighbours->items + function->first;

	sprof_out_puts(text->out, "\n");
	write_items(text, items, function->callers, function->total);
	if (function->root)
		write_line(text,
			&(struct line){
				.percent = sprof_percent(function->root, function->total),
				.self = function->root_self,
				.value = function->root,
				.name = "[root]",
				.suffix = "",
			});
	write_head(text, function, neighbours->whole);
	write_items(text, items + function->callers, function->callees, function->total);
}

static void write_blocks(const struct sprof_text *text, const struct sprof_neighbours *neighbours)
{
	struct sprof_text_rows rows = {0};

	for (size_t i = 0; i < neighbours->count; i++) {
		const struct sprof_neighbourhood *function = &neighbours->functions[i];

		if (sprof_text_takes(
			    text, &rows, sprof_percent(function->total, neighbours->whole)))
			write_block(text, neighbours, function);
	}
	sprof_text_left_out(text, "function", rows.small, rows.beyond);
}

bool sprof_text_neighbours(const struct sprof_text *text, uint32_t thread, struct sprof_error *err)
{
	const struct sprof_view view = {.weight = text->options.weight, .thread = thread};
	struct sprof_neighbours neighbours;

	if (!sprof_neighbours_build(text->profile, &view, NULL, &neighbours, err))
		return false;
	sprof_text_title_of(text, "callers and callees of each function", &view, neighbours.whole);
	write_line(text, &(struct line){0});
	write_blocks(text, &neighbours);
	sprof_neighbours_finish(&neighbours);
	return true;
}
