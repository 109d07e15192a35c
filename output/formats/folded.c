/*
 * Folded stacks: `frame;frame;frame N`, outermost frame first, sorted, one line per distinct text.
 * Readers take whole numbers only (some silently drop a line with a fraction), so time is in
 * microseconds. Each line is the difference of two rounded running sums: it is within a microsecond
 * of its time, exact for whole times, and the sums of subtrees and of the file don't drift. Lines
 * that round to 0 are left out. No name ends in a blank and a number. A line of a difference has
 * two numbers, before and now, as difffolded.pl writes them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/strings.h"
#include "base/strtab.h"
#include "output/clean.h"
#include "output/format.h"
#include "profile/compare/diff.h"
#include "profile/model/expand.h"

enum {
	WAIT_FRAMES = 2 /* at most: the object and its holder */
};

struct line {
	size_t first; /* index in the frames */
	size_t depth;
	uint64_t weight;
	enum sprof_side side;
};

struct folded {
	const struct sprof_profile *profile;
	const struct sprof_output_options *options;
	struct sprof_strtab *texts; /* cleaned: equal pointers are equal texts */
	const char **functions;     /* by function */
	const char **threads;       /* by thread; only with options->threads */
	const char **groups;        /* by group; only with options->groups */
	const char **frames;        /* of all lines, outermost first */
	size_t frame_count, frame_capacity;
	struct line *lines;
	size_t line_count, line_capacity;
	struct sprof_expansion expansion;
};

static void finish(struct folded *folded)
{
	sprof_strtab_destroy(folded->texts);
	free(folded->functions);
	free(folded->threads);
	free(folded->groups);
	free(folded->frames);
	free(folded->lines);
	sprof_expansion_finish(&folded->expansion);
}

/* flamegraph.pl would take a number at a name's end for the first of two numbers. */
static void join_last_number(char *text)
{
	size_t length = strlen(text), start = length;

	while (start && strchr("0123456789.", text[start - 1]))
		start--;
	if (start && start < length && text[start - 1] == ' ')
		text[start - 1] = '_';
}

static bool intern_clean(
	struct folded *folded, const char *text, const char *replace, const char **ret)
{
	SPROF_AUTO_FREE char *clean = sprof_clean_text(text, replace);

	if (clean)
		join_last_number(clean);
	*ret = sprof_strtab_intern(folded->texts, clean);
	return *ret;
}

/*
 * name-pid/tid without spaces, as stackcollapse-perf.pl --tid writes it. In another run the ids are
 * others, so a difference has the name alone.
 */
static bool name_thread(
	struct folded *folded, const struct sprof_profile_thread *thread, const char **ret)
{
	SPROF_AUTO_FREE char *text = NULL;

	if (folded->options->base_threads)
		return intern_clean(folded, thread->name, ";: _", ret);
	text = sprof_string_print("%s-%d/%d", thread->name,
		folded->profile->processes[thread->process].pid, thread->tid);
	return text && intern_clean(folded, text, ";: _", ret);
}

static bool name_groups(struct folded *folded)
{
	const struct sprof_groups *groups = folded->options->groups;

	folded->groups = calloc(groups->count + 1, sizeof(*folded->groups));
	for (size_t i = 0; folded->groups && i < groups->count; i++) {
		const char *name = groups->items[i].name;

		if (!intern_clean(folded, name ? name : "(none)", ";:", &folded->groups[i]))
			return false;
	}
	return folded->groups;
}

static bool prepare(struct folded *folded)
{
	const struct sprof_profile *profile = folded->profile;

	folded->texts = sprof_strtab_create();
	folded->functions = calloc(profile->function_count + 1, sizeof(*folded->functions));
	folded->threads = calloc(profile->thread_count + 1, sizeof(*folded->threads));
	if (!folded->texts || !folded->functions || !folded->threads)
		return false;
	if (folded->options->groups && !name_groups(folded))
		return false;
	for (size_t i = 0; i < profile->function_count; i++) {
		if (!intern_clean(folded, profile->functions[i].name, ";:", &folded->functions[i]))
			return false;
	}
	for (size_t i = 0; i < profile->thread_count && folded->options->threads; i++) {
		if (!name_thread(folded, &profile->threads[i], &folded->threads[i]))
			return false;
	}
	return true;
}

/* Appends, as innermost frames, the object waited for and its holder. There is room. */
static bool add_wait_frames(struct folded *folded, const struct sprof_profile_row *row)
{
	const struct sprof_profile_context *context = &folded->profile->contexts[row->context];
	SPROF_AUTO_FREE char *holder = NULL;
	const char **next = &folded->frames[folded->frame_count];

	if (context->object) {
		if (!intern_clean(folded, context->object, ";:", next))
			return false;
		folded->frame_count++;
	}
	if (!context->holder)
		return true;
	holder = sprof_string_print("%s %s%s%s",
		sprof_profile_is_join(context) ? "end of" : "held by", context->holder,
		context->holder_function ? " in " : "",
		context->holder_function ? context->holder_function : "");
	return holder && intern_clean(folded, holder, ";:", &folded->frames[folded->frame_count++]);
}

static bool add_line(struct folded *folded, const struct sprof_profile_row *row)
{
	uint64_t weight = sprof_metrics_get(&row->metrics, folded->options->weight);
	struct line line = {
		.first = folded->frame_count,
		.weight = weight,
		.side = folded->options->base_threads
			? sprof_side_of(row->thread, folded->options->base_threads)
			: SPROF_SIDE_NEW,
	};

	if (!weight)
		return true;
	if (!sprof_expansion_fill(&folded->expansion, folded->profile, row->stack))
		return false;
	if (!sprof_array_reserve(&folded->frames, &folded->frame_capacity,
		    folded->frame_count + folded->expansion.count + 2 + WAIT_FRAMES,
		    sizeof(*folded->frames)) ||
		!sprof_array_reserve(&folded->lines, &folded->line_capacity, folded->line_count + 1,
			sizeof(*folded->lines)))
		return false;
	if (folded->groups)
		folded->frames[folded->frame_count++] =
			folded->groups[folded->options->groups
					       ->of_row[row - folded->profile->rows]];
	if (folded->options->threads)
		folded->frames[folded->frame_count++] = folded->threads[row->thread];
	for (size_t i = folded->expansion.count; i-- > 0;)
		folded->frames[folded->frame_count++] =
			folded->functions[folded->expansion.frames[i]->function];
	if (folded->options->wait_frames && !add_wait_frames(folded, row))
		return false;
	line.depth = folded->frame_count - line.first;
	folded->lines[folded->line_count++] = line;
	return true;
}

/* The next byte of the line's text, as strcmp() compares it; moves on across frames. */
static int next_byte(const char *const *frames, size_t depth, size_t *frame, size_t *byte)
{
	unsigned char value;

	if (*frame == depth)
		return 0;
	value = (unsigned char)frames[*frame][*byte];
	if (value) {
		++*byte;
		return value;
	}
	*byte = 0;
	return ++*frame == depth ? 0 : ';';
}

/* Orders lines by the bytes of their text, which is never built. */
static int compare(const void *left, const void *right, void *data)
{
	const struct line *a = left, *b = right;
	const struct folded *folded = data;
	const char *const *one = folded->frames + a->first, *const *two = folded->frames + b->first;
	size_t common = 0, at_one, at_two, byte_one = 0, byte_two = 0;
	int x, y;

	while (common < a->depth && common < b->depth && one[common] == two[common])
		common++;
	if (common == a->depth || common == b->depth)
		return (a->depth > b->depth) - (a->depth < b->depth);
	at_one = at_two = common;
	do {
		x = next_byte(one, a->depth, &at_one, &byte_one);
		y = next_byte(two, b->depth, &at_two, &byte_two);
	} while (x == y && x);
	return x - y;
}

/* A rounded running sum: its growth in whole units since the last call. */
struct running {
	double scale; /* factor for added values */
	uint64_t unit, sum, given;
};

static uint64_t take(struct running *running)
{
	uint64_t now = running->sum / running->unit, grown = now - running->given;

	running->given = now;
	return grown;
}

static void add(struct running *running, uint64_t weight)
{
	running->sum +=
		running->scale == 1 ? weight : (uint64_t)((double)weight * running->scale + 0.5);
}

static void write_line(const struct folded *folded, const struct line *line,
	struct running running[SPROF_SIDES], struct sprof_out *out)
{
	uint64_t base = take(&running[SPROF_SIDE_BASE]), new = take(&running[SPROF_SIDE_NEW]);

	if (!base && !new)
		return;
	for (size_t i = 0; i < line->depth; i++) {
		sprof_out_puts(out, folded->frames[line->first + i]);
		sprof_out_puts(out, i + 1 < line->depth ? ";" : " ");
	}
	if (folded->options->base_threads)
		sprof_out_printf(out, "%llu ", (unsigned long long)base);
	sprof_out_printf(out, "%llu\n", (unsigned long long)new);
}

/* The factor for the base that equalises both sides. */
static double base_scale(const struct folded *folded)
{
	double whole[SPROF_SIDES] = {0};

	if (folded->options->absolute)
		return 1;
	for (size_t i = 0; i < folded->line_count; i++)
		whole[folded->lines[i].side] += (double)folded->lines[i].weight;
	return whole[SPROF_SIDE_BASE] > 0 ? whole[SPROF_SIDE_NEW] / whole[SPROF_SIDE_BASE] : 1;
}

static void write_lines(struct folded *folded, struct sprof_out *out)
{
	uint64_t unit = sprof_weight_is_time(folded->options->weight) ? SPROF_NS_PER_US : 1;
	struct running running[SPROF_SIDES] = {
		[SPROF_SIDE_BASE] = {.scale = base_scale(folded), .unit = unit, .sum = unit / 2},
		[SPROF_SIDE_NEW] = {.scale = 1, .unit = unit, .sum = unit / 2},
	};

	if (folded->line_count)
		qsort_r(folded->lines, folded->line_count, sizeof(*folded->lines), compare, folded);
	for (size_t i = 0; i < folded->line_count; i++) {
		const struct line *line = &folded->lines[i];

		add(&running[line->side], line->weight);
		if (i + 1 < folded->line_count && compare(line, line + 1, folded) == 0)
			continue;
		write_line(folded, line, running, out);
	}
}

static bool write_folded(const struct sprof_profile *profile,
	const struct sprof_output_options *options, struct sprof_out *out, struct sprof_error *err)
{
	struct folded folded = {.profile = profile, .options = options};
	bool ok = prepare(&folded);

	for (size_t i = 0; ok && i < profile->row_count; i++)
		ok = add_line(&folded, &profile->rows[i]);
	if (ok)
		write_lines(&folded, out);
	finish(&folded);
	return ok || sprof_error_no_memory(err);
}

const struct sprof_format sprof_format_folded = {
	.name = "folded",
	.suffix = ".folded",
	.summary = "one line per stack, for flamegraph.pl and speedscope",
	.compares = true,
	.write = write_folded,
};
