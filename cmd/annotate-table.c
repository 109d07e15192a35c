/*
 * The tables of sprof annotate: source lines, then instructions. Each line and instruction counts
 * once, for the innermost function there, as in perf annotate: lines of what is inlined stand under
 * their own function.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cmd/annotate.h"
#include "cmd/ui.h"
#include "output/clean.h"
#include "output/units.h"

/* Lines shown around a line with time. */
enum { CONTEXT = 3 };

static const struct sprof_metrics nothing;

static uint64_t weight_of(const struct sprof_annotate *annotate, const struct sprof_metrics *self)
{
	return sprof_metrics_get(self, annotate->weight);
}

static size_t column_count(const struct sprof_annotate *annotate)
{
	const struct sprof_metrics *self = &annotate->annotation.self;

	if (!sprof_profile_counts_time(annotate->profile))
		return 0;
	return sprof_times_get(&self->times, SPROF_WEIGHT_STOLEN) ? SPROF_WEIGHT_ALL_COLUMNS
								  : SPROF_WEIGHT_COLUMNS;
}

static void print_titles(const struct sprof_annotate *annotate)
{
	printf("%8s %9s", "percent", "self");
	for (size_t i = 0; i < column_count(annotate); i++)
		printf(" %9s", sprof_weight_name(sprof_weight_columns[i]));
}

/* Nothing is printed as blanks, so that the eye finds the rest. */
static void print_figure(
	const struct sprof_annotate *annotate, enum sprof_weight weight, uint64_t value)
{
	printf(" %9s", value ? sprof_figure_value(annotate->profile, weight, value).text : "");
}

static void print_self(const struct sprof_annotate *annotate, const struct sprof_metrics *self)
{
	uint64_t value = weight_of(annotate, self);

	if (value)
		printf("%6.2f %%",
			sprof_percent(value, weight_of(annotate, &annotate->annotation.self)));
	else
		printf("%8s", "");
	print_figure(annotate, annotate->weight, value);
	for (size_t i = 0; i < column_count(annotate); i++)
		print_figure(annotate, sprof_weight_columns[i],
			sprof_metrics_get(self, sprof_weight_columns[i]));
}

static void print_clean(const char *text)
{
	SPROF_AUTO_FREE char *spaces = strdup(text);
	SPROF_AUTO_FREE char *clean = NULL;

	for (char *at = spaces; at && *at; at++)
		*at = *at == '\t' ? ' ' : *at;
	clean = spaces && *spaces ? sprof_clean_text(spaces, NULL) : NULL;
	printf("%s", clean ? clean : "");
}

/* Keeps the indentation: a tab is up to eight columns. */
static void print_source(const char *text)
{
	size_t column = 0;

	for (; *text == ' ' || *text == '\t'; text++)
		column = *text == '\t' ? (column / 8 + 1) * 8 : column + 1;
	printf("  %*s", (int)(column < 80 ? column : 80), "");
	print_clean(text);
}

static void print_line(const struct sprof_annotate *annotate, const struct sprof_source *source,
	uint32_t line, const struct sprof_metrics *self)
{
	const char *text = sprof_source_line(source, line);

	print_self(annotate, self);
	if (line)
		printf(" %7" PRIu32, line);
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

	if (!source->count)
		return;
	for (uint32_t line = last ? last + 1 : (to > CONTEXT ? to - CONTEXT : 1); line < to;
		line++) {
		if (gap && line == last + CONTEXT + 1) {
			printf("%*s...\n", (int)(18 + 10 * column_count(annotate) + 5), "");
			line = next - CONTEXT;
		}
		if (sprof_source_line(source, line))
			print_line(annotate, source, line, &nothing);
	}
}

/* Not the vDSO, nor what a JIT has made. */
static bool is_in_file(
	const struct sprof_profile *profile, const struct sprof_profile_function *function)
{
	return function->module != SPROF_PROFILE_NONE &&
		sprof_modules_get(profile->modules, function->module)->path[0] == '/';
}

static void note_source(const struct sprof_annotate *annotate,
	const struct sprof_profile_function *function, const struct sprof_source *source,
	bool *said)
{
	if (source->is_newer)
		sprof_ui_note(
			"%s has changed since the recording: lines may have moved", source->path);
	if (source->count || *said)
		return;
	*said = true;
	if (!function->file)
		sprof_ui_note("no source lines are known of %s: its module has no debug "
			      "information%s",
			function->name,
			annotate->with_code || !is_in_file(annotate->profile, function)
				? ""
				: "; --asm shows the instructions");
	else
		sprof_ui_note("can't read the source file %s: only line numbers are shown; "
			      "--source-dir DIR says where it is",
			function->file);
}

/* The lines of one function. Returns how many of the annotation's they are. */
static bool print_function(
	const struct sprof_annotate *annotate, size_t first, size_t count, bool *said)
{
	const struct sprof_annotated_line *lines = &annotate->annotation.lines[first];
	const struct sprof_profile_function *function =
		&annotate->profile->functions[lines[0].function];
	struct sprof_source source;
	struct sprof_error ignored;
	uint32_t last = 0;

	if (!sprof_annotate_source(annotate, lines[0].function, &source, &ignored))
		return false;
	note_source(annotate, function, &source, said);
	printf("\n");
	print_clean(function->file ? function->file : "(unknown source file)");
	printf(": ");
	print_clean(function->name);
	printf("%s\n",
		lines[0].function == annotate->function ? "" : " (the innermost function there)");
	print_titles(annotate);
	printf(" %7s  source\n", "line");
	for (size_t i = 0; i < count; i++) {
		if (lines[i].line)
			print_between(annotate, &source, last, lines[i].line);
		print_line(annotate, &source, lines[i].line, &lines[i].self);
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

	print_self(annotate, &at->self);
	printf("  %*" PRIx64 "  ", digits, at->address);
	print_clean(at->text);
	if (at->line && at->file && is_new_line) {
		printf("  # ");
		print_clean(slash ? slash + 1 : at->file);
		printf(":%" PRIu32, at->line);
	}
	printf("\n");
}

static void print_copy(
	const struct sprof_annotate *annotate, const struct sprof_code_copy *copy, int digits)
{
	const struct sprof_code_instruction *at = &annotate->code.instructions[copy->first];

	printf("\ninstructions in ");
	print_clean(copy->symbol);
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
	uint64_t missing = weight_of(annotate, &code->unplaced);

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
	uint64_t self = weight_of(annotate, &annotate->annotation.self);
	uint64_t whole = weight_of(annotate, &annotate->annotation.whole);

	print_clean(function->name);
	if (function->module != SPROF_PROFILE_NONE) {
		printf(" of ");
		print_clean(sprof_modules_get(profile->modules, function->module)->path);
	}
	printf(": self %s %s", sprof_profile_weight_name(profile, annotate->weight),
		sprof_figure_value(profile, annotate->weight, self).text);
	printf(" of %s (%.2f %%)\n", sprof_figure_value(profile, annotate->weight, whole).text,
		sprof_percent(self, whole));
}

bool sprof_annotate_print(const struct sprof_annotate *annotate, struct sprof_error *err)
{
	const struct sprof_annotation *annotation = &annotate->annotation;
	bool said = false;

	print_head(annotate);
	for (size_t i = 0, count; i < annotation->line_count; i += count) {
		for (count = 1; i + count < annotation->line_count &&
			annotation->lines[i + count].function == annotation->lines[i].function;)
			count++;
		if (!print_function(annotate, i, count, &said))
			return sprof_error_no_memory(err);
	}
	if (annotate->with_code)
		print_code(annotate);
	return true;
}
