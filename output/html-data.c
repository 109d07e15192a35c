/*
 * The profile as the page's data block; output/html.h says what is in it.
 *
 * Stacks that differ only in addresses within a line are one path here: the profile's tree is over
 * locations, the page's over (function, line), and most nodes of a hot loop fall together. Nodes
 * are written while they are found; what stays in memory is their numbers, and one map to find them
 * by.
 */
#include "output/html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/idmap.h"
#include "output/clean.h"
#include "output/stats.h"
#include "profile/gaps.h"

/* A row of the profile and where it is on the page. */
struct place {
	uint32_t thread, node, row;
};

struct data {
	const struct sprof_profile *profile;
	struct sprof_out *out;
	const char **strings; /* the profile's own pointers: equal text, equal pointer */
	size_t string_count, string_capacity;
	struct sprof_idmap string_ids; /* (0, pointer) */
	struct sprof_idmap frame_ids;  /* (function, 2 * line + inlined) */
	uint32_t *frames;              /* by line of the profile */
	struct sprof_idmap node_ids;   /* (parent, frame) */
	uint32_t *nodes;               /* by stack: the node of its innermost frame */
	uint32_t node_count;
	struct place *places;
};

static void finish(struct data *data)
{
	free(data->strings);
	sprof_idmap_finish(&data->string_ids);
	sprof_idmap_finish(&data->frame_ids);
	free(data->frames);
	sprof_idmap_finish(&data->node_ids);
	free(data->nodes);
	free(data->places);
}

/* A number in front of a comma or behind it; printf would take most of the writer's time. */
static void put_number(const struct data *data, bool comma, uint64_t number)
{
	char text[24], *start = text + sizeof(text);

	do {
		*--start = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	if (comma)
		*--start = ',';
	sprof_out_write(data->out, start, (size_t)(text + sizeof(text) - start));
}

/* -1 for what isn't there. */
static void put_index(const struct data *data, bool comma, uint32_t index)
{
	if (index == SPROF_PROFILE_NONE)
		sprof_out_puts(data->out, comma ? ",-1" : "-1");
	else
		put_number(data, comma, index);
}

/* Cleaned text has no control characters, so that these five are all that JSON or HTML may trip
 * over. */
static void put_text(const struct data *data, const char *clean)
{
	sprof_out_puts(data->out, "\"");
	for (;;) {
		size_t plain = strcspn(clean, "\"\\<>&");

		sprof_out_write(data->out, clean, plain);
		clean += plain;
		if (!*clean)
			break;
		sprof_out_printf(data->out, "\\u%04x", (unsigned)*clean++);
	}
	sprof_out_puts(data->out, "\"");
}

static bool put_string(const struct data *data, const char *text)
{
	SPROF_AUTO_FREE char *clean = sprof_clean_text(text, NULL);

	if (clean)
		put_text(data, clean);
	return clean;
}

/* Gives the text a place in the strings. NULL has none. */
static bool add_string(struct data *data, const char *text)
{
	if (!text || sprof_idmap_find(&data->string_ids, 0, (uintptr_t)text) != SPROF_IDMAP_NONE)
		return true;
	if (!sprof_array_reserve(&data->strings, &data->string_capacity, data->string_count + 1,
		    sizeof(*data->strings)) ||
		!sprof_idmap_put(
			&data->string_ids, 0, (uintptr_t)text, (uint32_t)data->string_count))
		return false;
	data->strings[data->string_count++] = text;
	return true;
}

static uint32_t string_of(const struct data *data, const char *text)
{
	return text ? sprof_idmap_find(&data->string_ids, 0, (uintptr_t)text) : SPROF_PROFILE_NONE;
}

static size_t module_count(const struct data *data)
{
	return data->profile->modules ? sprof_modules_count(data->profile->modules) : 0;
}

static const char *module_path(const struct data *data, size_t index)
{
	return sprof_modules_get(data->profile->modules, (uint32_t)index)->path;
}

static bool collect_strings(struct data *data)
{
	const struct sprof_profile *profile = data->profile;
	bool ok = true;

	for (size_t i = 0; ok && i < profile->function_count; i++)
		ok = add_string(data, profile->functions[i].name) &&
		     add_string(data, profile->functions[i].file);
	for (size_t i = 0; ok && i < module_count(data); i++)
		ok = add_string(data, module_path(data, i));
	for (size_t i = 0; ok && i < profile->process_count; i++)
		ok = add_string(data, profile->processes[i].name) &&
		     add_string(data, profile->processes[i].host) &&
		     add_string(data, profile->processes[i].rank);
	for (size_t i = 0; ok && i < profile->thread_count; i++)
		ok = add_string(data, profile->threads[i].name);
	for (size_t i = 0; ok && i < profile->context_count; i++)
		ok = add_string(data, profile->contexts[i].syscall) &&
		     add_string(data, profile->contexts[i].object) &&
		     add_string(data, profile->contexts[i].holder);
	return ok;
}

static bool write_strings(const struct data *data)
{
	sprof_out_puts(data->out, ",\n\"strings\":[");
	for (size_t i = 0; i < data->string_count; i++) {
		if (i)
			sprof_out_puts(data->out, ",\n");
		if (!put_string(data, data->strings[i]))
			return false;
	}
	sprof_out_puts(data->out, "]");
	return true;
}

static void write_functions(const struct data *data)
{
	sprof_out_puts(data->out, ",\n\"modules\":[");
	for (size_t i = 0; i < module_count(data); i++)
		put_number(data, i, string_of(data, module_path(data, i)));
	sprof_out_puts(data->out, "],\n\"functions\":[");
	for (size_t i = 0; i < data->profile->function_count; i++) {
		const struct sprof_profile_function *function = &data->profile->functions[i];

		put_number(data, i, string_of(data, function->name));
		put_index(data, true, function->module);
		put_index(data, true, string_of(data, function->file));
		put_number(data, true, function->line);
	}
	sprof_out_puts(data->out, "]");
}

/* The number under the key; the next one, *ret_new, if there is none yet. False: no memory. */
static bool number_of(struct sprof_idmap *map, uint64_t high, uint64_t low, uint32_t next,
	uint32_t *ret, bool *ret_new)
{
	uint32_t found = sprof_idmap_find(map, high, low);

	*ret_new = found == SPROF_IDMAP_NONE;
	*ret = *ret_new ? next : found;
	return !*ret_new || sprof_idmap_put(map, high, low, next);
}

static bool write_frames(struct data *data)
{
	const struct sprof_profile *profile = data->profile;
	uint32_t count = 0;
	bool is_new;

	sprof_out_puts(data->out, ",\n\"frames\":[");
	for (size_t i = 0; i < profile->line_count; i++) {
		const struct sprof_profile_line *line = &profile->lines[i];
		uint64_t low = (uint64_t)line->line * 2 + line->inlined;

		if (!number_of(&data->frame_ids, line->function, low, count, &data->frames[i],
			    &is_new))
			return false;
		if (!is_new)
			continue;
		put_number(data, count, line->function);
		put_number(data, true, low);
		count++;
	}
	sprof_out_puts(data->out, "]");
	return true;
}

/* The node below `parent` for a line of the profile; written when it is new. */
static bool child_of(struct data *data, uint32_t parent, size_t line, uint32_t *ret)
{
	uint32_t frame = data->frames[line];
	bool is_new;

	if (!number_of(&data->node_ids, parent, frame, data->node_count, ret, &is_new))
		return false;
	if (is_new) {
		put_number(data, data->node_count > 1, data->node_count - parent);
		put_number(data, true, frame);
		data->node_count++;
	}
	return true;
}

static bool write_nodes(struct data *data)
{
	const struct sprof_profile *profile = data->profile;

	sprof_out_puts(data->out, ",\n\"nodes\":[");
	data->node_count = 1;
	for (size_t i = 1; i < profile->stack_count; i++) {
		const struct sprof_profile_stack *stack = &profile->stacks[i];
		const struct sprof_profile_location *location =
			&profile->locations[stack->location];
		uint32_t node = data->nodes[stack->parent];

		for (uint32_t k = location->line_count; k-- > 0;) {
			if (!child_of(data, node, location->first_line + k, &node))
				return false;
		}
		data->nodes[i] = node;
	}
	sprof_out_puts(data->out, "]");
	return true;
}

static void write_threads(const struct data *data)
{
	const struct sprof_profile *profile = data->profile;

	sprof_out_puts(data->out, ",\n\"processes\":[");
	for (size_t i = 0; i < profile->process_count; i++) {
		const struct sprof_profile_process *process = &profile->processes[i];

		put_number(data, i, (uint64_t)process->pid);
		put_number(data, true, string_of(data, process->name));
		put_index(data, true, string_of(data, process->host));
		put_index(data, true, string_of(data, process->rank));
	}
	sprof_out_puts(data->out, "],\n\"threads\":[");
	for (size_t i = 0; i < profile->thread_count; i++) {
		put_number(data, i, profile->threads[i].process);
		put_number(data, true, (uint64_t)profile->threads[i].tid);
		put_number(data, true, string_of(data, profile->threads[i].name));
	}
	sprof_out_puts(data->out, "]");
}

static int by_place(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

static void sort_places(struct data *data)
{
	const struct sprof_profile *profile = data->profile;

	for (size_t i = 0; i < profile->row_count; i++)
		data->places[i] = (struct place){
			.thread = profile->rows[i].thread,
			.node = data->nodes[profile->rows[i].stack],
			.row = (uint32_t)i,
		};
	qsort(data->places, profile->row_count, sizeof(*data->places), by_place);
}

static void put_row(
	const struct data *data, bool comma, uint32_t distance, const struct sprof_metrics *metrics)
{
	put_number(data, comma, distance);
	put_number(data, true, metrics->samples);
	for (int i = 0; i < SPROF_WEIGHT_COLUMNS; i++)
		put_number(data, true, sprof_metrics_get(metrics, sprof_weight_columns[i]));
	if (data->profile->foreign.kind_count)
		put_number(data, true, metrics->other);
}

/* The rows of one thread, from the place at `next`; those of one node as one. Returns the place
 * behind them. */
static size_t write_thread_rows(const struct data *data, size_t next, uint32_t thread)
{
	const struct sprof_profile *profile = data->profile;
	uint32_t before = 0;
	bool comma = false;

	while (next < profile->row_count && data->places[next].thread == thread) {
		const struct place *place = &data->places[next];
		struct sprof_metrics sum = {0};

		for (; next < profile->row_count && by_place(place, &data->places[next]) == 0;
			next++)
			sprof_metrics_add(&sum, &profile->rows[data->places[next].row].metrics);
		put_row(data, comma, place->node - before, &sum);
		before = place->node;
		comma = true;
	}
	return next;
}

static void write_rows(struct data *data)
{
	size_t next = 0;

	sort_places(data);
	sprof_out_puts(data->out, ",\n\"rows\":[");
	for (uint32_t i = 0; i < data->profile->thread_count; i++) {
		sprof_out_puts(data->out, i ? ",\n[" : "[");
		next = write_thread_rows(data, next, i);
		sprof_out_puts(data->out, "]");
	}
	sprof_out_puts(data->out, "]");
}

/* Whether a row says what its thread was blocked on. */
static bool is_wait(const struct sprof_profile *profile, const struct sprof_profile_row *row)
{
	const struct sprof_profile_context *context = &profile->contexts[row->context];

	return sprof_times_wait(&row->metrics.times) &&
	       (context->syscall || context->object || context->holder);
}

static void put_wait(const struct data *data, bool comma, const struct sprof_profile_row *row)
{
	const struct sprof_profile_context *context = &data->profile->contexts[row->context];

	put_number(data, comma, row->thread);
	put_index(data, true, string_of(data, context->syscall));
	put_index(data, true, string_of(data, context->object));
	put_number(data, true, data->nodes[row->stack]);
	put_number(data, true, row->metrics.samples);
	put_number(data, true, sprof_times_wait(&row->metrics.times));
	put_index(data, true, string_of(data, context->holder));
}

static void write_waits(const struct data *data)
{
	const struct sprof_profile *profile = data->profile;
	bool any = false;

	for (size_t i = 0; profile->context_count && i < profile->row_count; i++) {
		if (!is_wait(profile, &profile->rows[i]))
			continue;
		if (!any)
			sprof_out_puts(data->out, ",\n\"waits\":[");
		put_wait(data, any, &profile->rows[i]);
		any = true;
	}
	if (any)
		sprof_out_puts(data->out, "]");
}

static bool put_advice(const struct data *data, const char *text)
{
	sprof_out_puts(data->out, ",");
	if (text)
		return put_string(data, text);
	sprof_out_puts(data->out, "null");
	return true;
}

static bool write_gaps(const struct data *data, struct sprof_error *err)
{
	struct sprof_gaps gaps;
	bool ok = true;

	if (!sprof_gaps_build(data->profile, &gaps, err))
		return false;
	sprof_out_puts(data->out, ",\n\"gaps\":[");
	for (size_t i = 0; ok && i < gaps.count; i++) {
		const struct sprof_gap *gap = &gaps.items[i];

		put_number(data, i, gap->module);
		put_number(data, true, gap->addresses);
		put_number(data, true, gap->samples);
		ok = put_advice(data, gap->why) && put_advice(data, gap->help);
	}
	sprof_out_puts(data->out, "]");
	sprof_gaps_finish(&gaps);
	return ok;
}

/* What another tool's file counts. */
static bool write_foreign(const struct data *data)
{
	const struct sprof_profile *profile = data->profile;

	if (!profile->foreign.kind_count)
		return true;
	sprof_out_puts(data->out, ",\n\"value\":[");
	if (!put_string(data, sprof_profile_weight_name(profile, SPROF_WEIGHT_OTHER)))
		return false;
	sprof_out_puts(data->out, ",");
	if (!put_string(data, sprof_profile_weight_unit(profile, SPROF_WEIGHT_OTHER)))
		return false;
	sprof_out_puts(data->out, "]");
	return true;
}

static bool write_facts(const struct data *data, const struct sprof_output_options *options)
{
	const struct sprof_profile *profile = data->profile;

	sprof_out_puts(data->out, "{\"version\":1,\n\"command\":");
	if (!profile->command)
		sprof_out_puts(data->out, "null");
	else if (!put_string(data, profile->command))
		return false;
	sprof_out_printf(data->out,
		",\n\"start_ms\":%" PRIu64 ",\n\"weight\":\"%s\",\n\"base_threads\":%" PRIu32
		",\n\"absolute\":%s,\n\"quality\":",
		profile->start_realtime_ns / SPROF_NS_PER_MS, sprof_weight_name(options->weight),
		options->base_threads, options->absolute ? "true" : "false");
	sprof_stats_write(&profile->quality, data->out);
	return true;
}

static bool allocate(struct data *data)
{
	const struct sprof_profile *profile = data->profile;

	data->frames = calloc(profile->line_count + 1, sizeof(*data->frames));
	data->nodes = calloc(profile->stack_count + 1, sizeof(*data->nodes));
	data->places = calloc(profile->row_count + 1, sizeof(*data->places));
	return data->frames && data->nodes && data->places;
}

static bool write_all(
	struct data *data, const struct sprof_output_options *options, struct sprof_error *err)
{
	if (!allocate(data) || !collect_strings(data) || !write_facts(data, options) ||
		!write_strings(data))
		return false;
	write_functions(data);
	if (!write_frames(data) || !write_nodes(data))
		return false;
	write_threads(data);
	write_rows(data);
	write_waits(data);
	if (!write_gaps(data, err) || !write_foreign(data))
		return false;
	sprof_out_puts(data->out, "}\n");
	return true;
}

bool sprof_html_write_data(const struct sprof_profile *profile,
	const struct sprof_output_options *options, struct sprof_out *out, struct sprof_error *err)
{
	struct data data = {.profile = profile, .out = out};
	bool ok = write_all(&data, options, err);

	finish(&data);
	return ok || sprof_error_no_memory(err);
}
