/*
 * callgrind's format, for callgrind_annotate and KCachegrind.
 * https://valgrind.org/docs/manual/cl-format.html
 *
 * Both tools compute a function's inclusive cost as the sum of the calls to it. To count a
 * recursive function only once, each stack adds its weight only to the outermost call of each
 * function on it. An artificial function, [root], calls the outermost function of every stack, so
 * that this one has an inclusive cost, too. An inlined function is written as a callee of the
 * function that it is inlined into. The number of calls is unknown; the number of samples is
 * written instead, or 1.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/interned.h"
#include "output/clean.h"
#include "output/format.h"
#include "profile/model/expand.h"

#define ROOT SPROF_PROFILE_NONE

/* The cost of one line of a function: its own, or that of a callee called from there. */
struct cost {
	uint32_t function, line;
	const char *file; /* which has the line; NULL: the function's */
	uint32_t callee;  /* SPROF_PROFILE_NONE: own cost */
	struct sprof_metrics metrics;
};

struct callgrind {
	const struct sprof_profile *profile;
	enum sprof_weight weight; /* the first event */
	size_t weights;
	struct sprof_out *out;
	struct sprof_idmap index; /* function, line, file, callee -> cost */
	struct sprof_idmap files; /* (0, a file that functions include) -> its number */
	size_t file_count;
	struct cost *costs;
	size_t count, capacity;
	struct sprof_expansion expansion;
	uint32_t *last_row; /* by function: the last row that had the function, plus one */
	struct sprof_metrics sum;
};

static bool add_cost(struct callgrind *writer, const struct cost *cost)
{
	const struct sprof_interned costs =
		SPROF_INTERNED(&writer->index, writer->costs, writer->count, writer->capacity);
	const size_t before = writer->count;
	struct sprof_hash key = sprof_hash_start(0);
	uint32_t id;

	sprof_hash_add_pair(&key, (uint64_t)cost->function << 32 | cost->line, cost->callee);
	sprof_hash_add_pointer(&key, cost->file);
	if (!sprof_intern(&costs, key, cost, &id))
		return false;
	if (id < before)
		sprof_metrics_add(&writer->costs[id].metrics, &cost->metrics);
	return true;
}

static bool add_row(struct callgrind *writer, uint32_t index)
{
	const struct sprof_profile_row *row = &writer->profile->rows[index];
	const struct sprof_expansion *expansion = &writer->expansion;
	struct cost cost = {.function = ROOT, .metrics = row->metrics};

	if (!sprof_expansion_fill(&writer->expansion, writer->profile, row->stack))
		return false;
	for (size_t i = expansion->count; i-- > 0;) {
		const struct sprof_profile_line *line = expansion->frames[i];

		cost.callee = line->function;
		if (writer->last_row[line->function] != index + 1 && !add_cost(writer, &cost))
			return false;
		writer->last_row[line->function] = index + 1;
		cost.function = line->function;
		cost.line = line->line;
		cost.file = sprof_profile_included_file(writer->profile, line);
	}
	cost.callee = SPROF_PROFILE_NONE;
	sprof_metrics_add(&writer->sum, &row->metrics);
	return add_cost(writer, &cost);
}

static int compare(const void *left, const void *right)
{
	const struct cost *a = left, *b = right;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	if (a->callee != b->callee) /* own cost first: NONE is the largest, and + 1 the smallest */
		return a->callee + 1 < b->callee + 1 ? -1 : 1;
	if (a->file != b->file)
		return !a->file || (b->file && strcmp(a->file, b->file) < 0) ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

static void write_name(struct callgrind *writer, const char *key, size_t id, const char *name)
{
	SPROF_AUTO_FREE char *clean = sprof_clean_text(name, NULL);

	if (clean)
		sprof_out_printf(writer->out, "%s=(%zu) %s\n", key, id, clean);
	else
		sprof_out_fail(writer->out, ENOMEM);
}

/* Names are numbered per kind. Each is written with its number every time. */
static void write_function(struct callgrind *writer, uint32_t id, bool called)
{
	const struct sprof_profile_function *function;
	const struct sprof_module *module;

	if (id == ROOT) {
		sprof_out_puts(writer->out, "ob=(1) [all]\nfl=(1) ???\nfn=(1) [root]\n");
		return;
	}
	function = &writer->profile->functions[id];
	if (function->module == SPROF_PROFILE_NONE) {
		sprof_out_puts(writer->out, called ? "cob=(1) [all]\n" : "ob=(1) [all]\n");
	} else {
		module = sprof_modules_get(writer->profile->modules, function->module);
		write_name(
			writer, called ? "cob" : "ob", function->module + (size_t)2, module->path);
	}
	if (function->file)
		write_name(writer, called ? "cfi" : "fl", id + (size_t)2, function->file);
	else
		sprof_out_puts(writer->out, called ? "cfi=(1) ???\n" : "fl=(1) ???\n");
	write_name(writer, called ? "cfn" : "fn", id + (size_t)2, function->name);
}

/* Sets the file of the following lines; NULL: back to the function's file. */
static void write_file(struct callgrind *writer, uint32_t function, const char *file)
{
	const char *own = writer->profile->functions[function].file;
	uint32_t number = sprof_idmap_find(&writer->files, 0, (uintptr_t)file);

	if (!file && own) {
		write_name(writer, "fe", function + (size_t)2, own);
	} else if (!file) {
		sprof_out_puts(writer->out, "fe=(1) ???\n");
	} else {
		if (number == SPROF_IDMAP_NONE) {
			number = (uint32_t)writer->file_count++;
			if (!sprof_idmap_put(&writer->files, 0, (uintptr_t)file, number))
				sprof_out_fail(writer->out, ENOMEM);
		}
		write_name(writer, "fi", writer->profile->function_count + number + 2, file);
	}
}

/* The requested weight is the first event; weights of time follow if there are any. */
static enum sprof_weight event_at(const struct callgrind *writer, size_t index)
{
	if (!index)
		return writer->weight;
	return (enum sprof_weight)(index - 1 < (size_t)writer->weight ? index - 1 : index);
}

static size_t event_count(const struct callgrind *writer)
{
	return writer->weights + sprof_weight_is_further(writer->weight);
}

static void write_costs(struct callgrind *writer, const struct sprof_metrics *metrics)
{
	for (size_t i = 0; i < event_count(writer); i++)
		sprof_out_printf(writer->out, " %llu",
			(unsigned long long)sprof_metrics_get(metrics, event_at(writer, i)));
	sprof_out_puts(writer->out, "\n");
}

static void write_cost(struct callgrind *writer, const struct cost *cost)
{
	if (cost->callee != SPROF_PROFILE_NONE) {
		write_function(writer, cost->callee, true);
		sprof_out_printf(writer->out, "calls=%llu %u\n",
			(unsigned long long)(cost->metrics.samples ? cost->metrics.samples : 1),
			writer->profile->functions[cost->callee].line);
	}
	sprof_out_printf(writer->out, "%u", cost->line);
	write_costs(writer, &cost->metrics);
}

/* An event's name is one word and includes the unit. */
static void write_event(struct callgrind *writer, enum sprof_weight weight)
{
	const char *name = sprof_profile_weight_name(writer->profile, weight);
	SPROF_AUTO_FREE char *clean = sprof_clean_text(name, " _:_\t_");

	if (clean)
		sprof_out_printf(writer->out, " %s%s", clean,
			strcmp(sprof_profile_weight_unit(writer->profile, weight), "nanoseconds") ==
					0
				? "_ns"
				: "");
	else
		sprof_out_fail(writer->out, ENOMEM);
}

static void write_head(struct callgrind *writer)
{
	const char *command = writer->profile->command ? writer->profile->command : "unknown";
	SPROF_AUTO_FREE char *clean = sprof_clean_text(command, NULL);

	if (!clean)
		sprof_out_fail(writer->out, ENOMEM);
	sprof_out_printf(writer->out,
		"# callgrind format\nversion: 1\ncreator: sprof " SPROF_VERSION
		"\npid: %d\ncmd: %s\npart: 1\ndesc: calls= counts samples, not calls\n"
		"positions: line\nevents:",
		writer->profile->quality.target_pid, clean ? clean : "?");
	for (size_t i = 0; i < event_count(writer); i++)
		write_event(writer, event_at(writer, i));
	sprof_out_puts(writer->out, "\nsummary:");
	write_costs(writer, &writer->sum);
}

static void write_all(struct callgrind *writer)
{
	const char *file = NULL;

	if (writer->count)
		qsort(writer->costs, writer->count, sizeof(*writer->costs), compare);
	write_head(writer);
	for (size_t i = 0; i < writer->count && !sprof_out_failed(writer->out); i++) {
		const struct cost *cost = &writer->costs[i];

		if (!i || cost->function != cost[-1].function) {
			sprof_out_puts(writer->out, "\n");
			write_function(writer, cost->function, false);
			file = NULL;
		}
		if (cost->file != file)
			write_file(writer, cost->function, cost->file);
		file = cost->file;
		write_cost(writer, cost);
	}
}

static bool write_callgrind(const struct sprof_profile *profile,
	const struct sprof_output_options *options, struct sprof_out *out, struct sprof_error *err)
{
	struct sprof_times times = sprof_profile_sum(profile).times;
	struct callgrind writer = {
		.profile = profile,
		.weight = options->weight,
		.weights = sprof_profile_counts_time(profile) ? sprof_times_weights(&times) : 0,
		.out = out,
		.last_row = calloc(profile->function_count + 1, sizeof(*writer.last_row)),
	};
	bool ok = writer.last_row;

	for (size_t i = 0; ok && i < profile->row_count; i++)
		ok = add_row(&writer, (uint32_t)i);
	if (ok)
		write_all(&writer);
	sprof_idmap_finish(&writer.index);
	sprof_idmap_finish(&writer.files);
	sprof_expansion_finish(&writer.expansion);
	free(writer.costs);
	free(writer.last_row);
	return ok || sprof_error_no_memory(err);
}

const struct sprof_format sprof_format_callgrind = {
	.name = "callgrind",
	.suffix = "callgrind.out*",
	.other_suffix = ".callgrind",
	.summary = "for callgrind_annotate and KCachegrind",
	.write = write_callgrind,
};
