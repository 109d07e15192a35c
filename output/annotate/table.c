/*
 * The tables of sprof annotate: the hottest lines and their calls, then the source, then
 * instructions. Self time counts once, for the innermost function, as in perf annotate: inlined
 * lines are listed under their own function. Total time includes callees.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "output/annotate/annotate.h"
#include "output/units.h"

/* Lines shown around a line with time. */
enum { CONTEXT = 3 };

/* Digits of an address, and the blank before them. */
enum { ADDRESS = 13 };

/* The classes of time that the function has. */
static size_t columns(const struct sprof_annotate *annotate,
	enum sprof_weight ret_columns[SPROF_WEIGHT_ALL_COLUMNS])
{
	size_t count = 0;

	if (!sprof_profile_counts_time(annotate->profile))
		return 0;
	for (size_t i = 0; i < SPROF_WEIGHT_ALL_COLUMNS; i++) {
		if (sprof_metrics_get(&annotate->annotation.total, sprof_weight_columns[i]))
			ret_columns[count++] = sprof_weight_columns[i];
	}
	return count;
}

/* The classes of time are those of the total. */
static struct sprof_row write_figures(const struct sprof_annotate *annotate,
	const struct sprof_metrics *total, const struct sprof_metrics *self, bool is_head)
{
	enum sprof_weight shown[SPROF_WEIGHT_ALL_COLUMNS];
	size_t count = columns(annotate, shown);
	struct sprof_row row = {.out = annotate->out, .is_head = is_head};

	sprof_annotate_put_values(annotate, total, self, &row);
	for (size_t i = 0; i < count; i++)
		sprof_annotate_put_figure(annotate, shown[i], sprof_weight_name(shown[i]),
			sprof_metrics_get(total, shown[i]), &row);
	return row;
}

static struct sprof_row write_titles(const struct sprof_annotate *annotate)
{
	const struct sprof_metrics none = {0};

	return write_figures(annotate, &none, &none, true);
}

/* Keeps the indentation: a tab is up to eight columns. */
static void write_source(const struct sprof_annotate *annotate, const char *text)
{
	size_t column = 0;

	for (; *text == ' ' || *text == '\t'; text++)
		column = *text == '\t' ? (column / 8 + 1) * 8 : column + 1;
	sprof_out_fill(annotate->out, ' ', 2 + (column < 80 ? column : 80));
	sprof_annotate_put_clean(annotate, text);
}

static void write_line(const struct sprof_annotate *annotate, const struct sprof_source *source,
	const struct sprof_annotated_line *line)
{
	const char *text = sprof_source_line(source, line->line);

	struct sprof_row row = write_figures(annotate, &line->total, &line->self, false);

	if (line->line)
		sprof_row_count(&row, "line", 7, line->line);
	else
		sprof_row_text(&row, "line", 7, "?");
	if (text && text[strspn(text, " \t\r")])
		write_source(annotate, text);
	sprof_out_printf(annotate->out, "\n");
}

/* The lines without time from the last printed one to the next with time. */
static void write_between(const struct sprof_annotate *annotate, const struct sprof_source *source,
	uint32_t last, uint32_t next)
{
	uint32_t to = next ? next : last + CONTEXT + 1;
	bool gap = next && last && next - last > 2 * CONTEXT + 1;
	enum sprof_weight shown[SPROF_WEIGHT_ALL_COLUMNS];

	if (!source->count)
		return;
	for (uint32_t line = last ? last + 1 : (to > CONTEXT ? to - CONTEXT : 1); line < to;
		line++) {
		if (gap && line == last + CONTEXT + 1) {
			sprof_out_fill(annotate->out, ' ', 28 + 10 * columns(annotate, shown) + 5);
			sprof_out_puts(annotate->out, "...\n");
			line = next - CONTEXT;
		}
		if (sprof_source_line(source, line))
			write_line(annotate, source,
				&(const struct sprof_annotated_line){.line = line});
	}
}

/* Other functions of its name and module are the function as well. */
static bool is_own_function(const struct sprof_annotate *annotate, uint32_t function)
{
	const struct sprof_profile_function *own =
		&annotate->profile->functions[annotate->function];
	const struct sprof_profile_function *other = &annotate->profile->functions[function];

	return own->module == other->module && strcmp(own->linkage, other->linkage) == 0;
}

/* The lines of one function in one file. */
static bool write_function(
	const struct sprof_annotate *annotate, size_t first, size_t count, struct sprof_error *err)
{
	const struct sprof_annotated_line *lines = &annotate->annotation.lines[first];
	const struct sprof_profile_function *function =
		&annotate->profile->functions[lines[0].function];
	struct sprof_source source;
	struct sprof_row head;
	uint32_t last = 0;

	if (!annotate->read_source(annotate, &lines[0], &source, err))
		return false;
	sprof_out_printf(annotate->out, "\n");
	sprof_annotate_put_clean(annotate, lines[0].file ? lines[0].file : "(unknown source file)");
	sprof_out_printf(annotate->out, ": ");
	sprof_annotate_put_function(annotate, function->name, 2);
	sprof_out_printf(annotate->out, "%s\n",
		is_own_function(annotate, lines[0].function) ? "" : " (inlined)");
	head = write_titles(annotate);
	sprof_row_text(&head, "line", 7, "");
	sprof_row_gap(&head, 2, "source");
	for (size_t i = 0; i < count; i++) {
		if (lines[i].line)
			write_between(annotate, &source, last, lines[i].line);
		write_line(annotate, &source, &lines[i]);
		last = lines[i].line;
	}
	if (last)
		write_between(annotate, &source, last, 0);
	sprof_source_finish(&source);
	return true;
}

static void write_instruction(const struct sprof_annotate *annotate,
	const struct sprof_code_instruction *at, bool is_new_line)
{
	struct sprof_row row = write_figures(annotate, &at->total, &at->self, false);
	char address[24];

	snprintf(address, sizeof(address), "%" PRIx64, at->address);
	sprof_row_text(&row, "address", ADDRESS, address);
	sprof_row_gap(&row, 2, "instruction");
	sprof_annotate_put_clean(annotate, at->text);
	if (at->line && at->file && is_new_line) {
		sprof_out_printf(annotate->out, "  # ");
		sprof_annotate_put_clean(annotate, sprof_string_file_name(at->file));
		sprof_out_printf(annotate->out, ":%" PRIu32, at->line);
	}
	sprof_out_printf(annotate->out, "\n");
}

static void write_copy(const struct sprof_annotate *annotate, const struct sprof_code_copy *copy)
{
	const struct sprof_code_instruction *at = &annotate->code.instructions[copy->first];
	struct sprof_row head;

	sprof_out_printf(annotate->out, "\ninstructions in ");
	sprof_annotate_put_clean(annotate, copy->symbol);
	sprof_out_printf(annotate->out, ", 0x%" PRIx64 "-0x%" PRIx64 "%s\n", copy->begin, copy->end,
		copy->inlined ? ", where the function is inlined" : "");
	head = write_titles(annotate);
	sprof_row_text(&head, "address", ADDRESS, "");
	sprof_row_gap(&head, 2, "instruction");
	for (size_t i = 0; i < copy->count; i++, at++)
		write_instruction(annotate, at, !i || at[-1].line != at->line);
}

static void write_code(const struct sprof_annotate *annotate)
{
	const struct sprof_code *code = &annotate->code;
	uint64_t missing = sprof_annotate_value(annotate, &code->unplaced);

	for (size_t i = 0; i < code->copy_count; i++)
		write_copy(annotate, &code->copies[i]);
	if (missing)
		sprof_out_printf(annotate->out,
			"\n%s of the self time is at no instruction shown: its addresses are not known\n",
			sprof_figure_value(annotate->profile, annotate->weight, missing).text);
}

static void write_head(const struct sprof_annotate *annotate)
{
	const struct sprof_profile *profile = annotate->profile;
	const struct sprof_profile_function *function = &profile->functions[annotate->function];
	uint64_t self = sprof_annotate_value(annotate, &annotate->annotation.self);
	uint64_t total = sprof_annotate_value(annotate, &annotate->annotation.total);
	uint64_t whole = sprof_annotate_value(annotate, &annotate->annotation.whole);

	sprof_annotate_put_function(annotate, function->name, 2);
	if (function->module != SPROF_PROFILE_NONE) {
		sprof_out_printf(annotate->out, " of ");
		sprof_annotate_put_clean(
			annotate, sprof_modules_get(profile->modules, function->module)->path);
	}
	sprof_out_printf(annotate->out, ": total %s %s",
		sprof_profile_weight_name(profile, annotate->weight),
		sprof_figure_value(profile, annotate->weight, total).text);
	sprof_out_printf(annotate->out, " (%.2f %%), ", sprof_percent(total, whole));
	sprof_out_printf(
		annotate->out, "self %s", sprof_figure_value(profile, annotate->weight, self).text);
	sprof_out_printf(annotate->out, " (%.2f %%) of ", sprof_percent(self, whole));
	sprof_out_printf(
		annotate->out, "%s\n", sprof_figure_value(profile, annotate->weight, whole).text);
}

/*
 * The lines of the function itself, a block for each file, then those of inlined ones, the most
 * total time first.
 */
struct block {
	size_t first, count;
	bool is_own;
	uint64_t most; /* of its lines */
};

static int compare_blocks(const void *left, const void *right)
{
	const struct block *a = left, *b = right;

	if (a->is_own != b->is_own)
		return a->is_own ? -1 : 1;
	if (a->most != b->most)
		return a->most > b->most ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

static size_t find_blocks(const struct sprof_annotate *annotate, struct block *blocks)
{
	const struct sprof_annotation *annotation = &annotate->annotation;
	size_t count = 0;

	for (size_t i = 0; i < annotation->line_count; i++) {
		const struct sprof_annotated_line *line = &annotation->lines[i];
		uint64_t value = sprof_annotate_value(annotate, &line->total);
		struct block *block;

		if (!i || line->function != line[-1].function || line->file != line[-1].file)
			blocks[count++] = (struct block){
				.first = i, .is_own = is_own_function(annotate, line->function)};
		block = &blocks[count - 1];
		block->count++;
		block->most = value > block->most ? value : block->most;
	}
	if (count)
		qsort(blocks, count, sizeof(*blocks), compare_blocks);
	return count;
}

bool sprof_annotate_write(const struct sprof_annotate *annotate, struct sprof_error *err)
{
	const struct sprof_annotation *annotation = &annotate->annotation;
	SPROF_AUTO_FREE struct block *blocks = calloc(annotation->line_count + 1, sizeof(*blocks));
	size_t count = blocks ? find_blocks(annotate, blocks) : 0;

	if (!blocks)
		return sprof_error_no_memory(err);
	write_head(annotate);
	if (!sprof_annotate_write_hottest(annotate))
		return sprof_error_no_memory(err);
	for (size_t i = 0; i < count; i++) {
		if (!write_function(annotate, blocks[i].first, blocks[i].count, err))
			return false;
	}
	if (annotate->with_code)
		write_code(annotate);
	return true;
}
