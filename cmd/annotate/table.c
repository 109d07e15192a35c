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
#include "cmd/annotate/annotate.h"
#include "cmd/ui.h"
#include "output/clean.h"
#include "output/units.h"

/* Lines shown around a line with time. */
enum { CONTEXT = 3 };

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

static void print_titles(const struct sprof_annotate *annotate)
{
	enum sprof_weight shown[SPROF_WEIGHT_ALL_COLUMNS];
	size_t count = columns(annotate, shown);

	printf("%8s %9s %9s", "total%", "total", "self");
	for (size_t i = 0; i < count; i++)
		printf(" %9s", sprof_weight_name(shown[i]));
}

/* The classes of time are those of the total. */
static void print_figures(const struct sprof_annotate *annotate, const struct sprof_metrics *total,
	const struct sprof_metrics *self)
{
	enum sprof_weight shown[SPROF_WEIGHT_ALL_COLUMNS];
	size_t count = columns(annotate, shown);

	sprof_annotate_print_share(annotate, total);
	sprof_annotate_print_figure(
		annotate, annotate->weight, sprof_annotate_value(annotate, self));
	for (size_t i = 0; i < count; i++)
		sprof_annotate_print_figure(annotate, shown[i], sprof_metrics_get(total, shown[i]));
}

/* Keeps the indentation: a tab is up to eight columns. */
static void print_source(const char *text)
{
	size_t column = 0;

	for (; *text == ' ' || *text == '\t'; text++)
		column = *text == '\t' ? (column / 8 + 1) * 8 : column + 1;
	printf("  %*s", (int)(column < 80 ? column : 80), "");
	sprof_annotate_print_clean(text);
}

static void print_line(const struct sprof_annotate *annotate, const struct sprof_source *source,
	const struct sprof_annotated_line *line)
{
	const char *text = sprof_source_line(source, line->line);

	print_figures(annotate, &line->total, &line->self);
	if (line->line)
		printf(" %7" PRIu32, line->line);
	else
		printf(" %7s", "?");
	if (text && text[strspn(text, " \t\r")])
		print_source(text);
	printf("\n");
}

/* The lines without time from the last printed one to the next with time. */
static void print_between(const struct sprof_annotate *annotate, const struct sprof_source *source,
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
			printf("%*s...\n", (int)(28 + 10 * columns(annotate, shown) + 5), "");
			line = next - CONTEXT;
		}
		if (sprof_source_line(source, line))
			print_line(annotate, source,
				&(const struct sprof_annotated_line){.line = line});
	}
}

/* False for the vDSO and JIT code. */
static bool is_in_file(
	const struct sprof_profile *profile, const struct sprof_profile_function *function)
{
	return function->module != SPROF_PROFILE_NONE &&
		sprof_modules_get(profile->modules, function->module)->path[0] == '/';
}

static void note_source(const struct sprof_annotate *annotate,
	const struct sprof_annotated_line *line, const struct sprof_source *source, bool *said)
{
	const struct sprof_profile_function *function =
		&annotate->profile->functions[line->function];

	if (source->is_newer)
		sprof_ui_note(
			"%s has changed since the recording: lines may have moved", source->path);
	if (source->count || *said)
		return;
	*said = true;
	/* A symbol table may have the file, but no lines. */
	if (!line->file || (!line->line && !function->line))
		sprof_ui_note("no source lines are known of %s: its module has no debug "
			      "information%s",
			function->name,
			annotate->with_code || !is_in_file(annotate->profile, function)
				? ""
				: "; --asm shows the instructions");
	else
		sprof_ui_note("can't read the source file %s: only line numbers are shown; "
			      "--source-dir DIR says where it is",
			line->file);
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
static bool print_function(
	const struct sprof_annotate *annotate, size_t first, size_t count, bool *said)
{
	const struct sprof_annotated_line *lines = &annotate->annotation.lines[first];
	const struct sprof_profile_function *function =
		&annotate->profile->functions[lines[0].function];
	struct sprof_source source;
	struct sprof_error ignored;
	uint32_t last = 0;

	if (!sprof_annotate_source(annotate, lines[0].file, &source, &ignored))
		return false;
	note_source(annotate, &lines[0], &source, said);
	printf("\n");
	sprof_annotate_print_clean(lines[0].file ? lines[0].file : "(unknown source file)");
	printf(": ");
	sprof_annotate_print_function(function->name, 2);
	printf("%s\n", is_own_function(annotate, lines[0].function) ? "" : " (inlined)");
	print_titles(annotate);
	printf(" %7s  source\n", "line");
	for (size_t i = 0; i < count; i++) {
		if (lines[i].line)
			print_between(annotate, &source, last, lines[i].line);
		print_line(annotate, &source, &lines[i]);
		last = lines[i].line;
	}
	if (last)
		print_between(annotate, &source, last, 0);
	sprof_source_finish(&source);
	return true;
}

static void print_instruction(const struct sprof_annotate *annotate,
	const struct sprof_code_instruction *at, bool is_new_line, int digits)
{
	const char *slash = at->file ? strrchr(at->file, '/') : NULL;

	print_figures(annotate, &at->total, &at->self);
	printf("  %*" PRIx64 "  ", digits, at->address);
	sprof_annotate_print_clean(at->text);
	if (at->line && at->file && is_new_line) {
		printf("  # ");
		sprof_annotate_print_clean(slash ? slash + 1 : at->file);
		printf(":%" PRIu32, at->line);
	}
	printf("\n");
}

static void print_copy(
	const struct sprof_annotate *annotate, const struct sprof_code_copy *copy, int digits)
{
	const struct sprof_code_instruction *at = &annotate->code.instructions[copy->first];

	printf("\ninstructions in ");
	sprof_annotate_print_clean(copy->symbol);
	printf(", 0x%" PRIx64 "-0x%" PRIx64 "%s\n", copy->begin, copy->end,
		copy->inlined ? ", where the function is inlined" : "");
	print_titles(annotate);
	printf("  %*s  instruction\n", digits, "address");
	for (size_t i = 0; i < copy->count; i++, at++)
		print_instruction(annotate, at, !i || at[-1].line != at->line, digits);
}

static void print_code(const struct sprof_annotate *annotate)
{
	const struct sprof_code *code = &annotate->code;
	uint64_t missing = sprof_annotate_value(annotate, &code->unplaced);

	for (size_t i = 0; i < code->copy_count; i++)
		print_copy(annotate, &code->copies[i], 12);
	if (missing)
		printf("\n%s of the self time is at no instruction shown: its addresses are not known\n",
			sprof_figure_value(annotate->profile, annotate->weight, missing).text);
}

static void print_head(const struct sprof_annotate *annotate)
{
	const struct sprof_profile *profile = annotate->profile;
	const struct sprof_profile_function *function = &profile->functions[annotate->function];
	uint64_t self = sprof_annotate_value(annotate, &annotate->annotation.self);
	uint64_t total = sprof_annotate_value(annotate, &annotate->annotation.total);
	uint64_t whole = sprof_annotate_value(annotate, &annotate->annotation.whole);

	sprof_annotate_print_function(function->name, 2);
	if (function->module != SPROF_PROFILE_NONE) {
		printf(" of ");
		sprof_annotate_print_clean(
			sprof_modules_get(profile->modules, function->module)->path);
	}
	printf(": total %s %s", sprof_profile_weight_name(profile, annotate->weight),
		sprof_figure_value(profile, annotate->weight, total).text);
	printf(" (%.2f %%), ", sprof_percent(total, whole));
	printf("self %s", sprof_figure_value(profile, annotate->weight, self).text);
	printf(" (%.2f %%) of ", sprof_percent(self, whole));
	printf("%s\n", sprof_figure_value(profile, annotate->weight, whole).text);
}

/* The lines of the function itself, a block for each file, then those of inlined ones, the most total time first. */
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

bool sprof_annotate_print(const struct sprof_annotate *annotate, struct sprof_error *err)
{
	const struct sprof_annotation *annotation = &annotate->annotation;
	SPROF_AUTO_FREE struct block *blocks = calloc(annotation->line_count + 1, sizeof(*blocks));
	size_t count = blocks ? find_blocks(annotate, blocks) : 0;
	bool said = false;

	if (!blocks)
		return sprof_error_no_memory(err);
	print_head(annotate);
	if (!sprof_annotate_print_hottest(annotate))
		return sprof_error_no_memory(err);
	for (size_t i = 0; i < count; i++) {
		if (!print_function(annotate, blocks[i].first, blocks[i].count, &said))
			return sprof_error_no_memory(err);
	}
	if (annotate->with_code)
		print_code(annotate);
	return true;
}
