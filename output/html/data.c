/*
 * The profile as the page's data block (output/html/html.h). Stacks that differ only in addresses
 * within a line are one path here: the profile's tree consists of locations, the page's of
 * (function, line), which merges most nodes of a hot loop. Nodes are written when first used; only
 * their numbers and one map stay in memory.
 */
#include "output/html/html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "output/comparison-words.h"
#include "output/stats.h"
#include "profile/names/gaps.h"

static void finish(struct sprof_html *html)
{
	free(html->strings);
	sprof_idmap_finish(&html->string_ids);
	sprof_idmap_finish(&html->frame_ids);
	free(html->frames);
	sprof_idmap_finish(&html->node_ids);
	free(html->nodes);
	free(html->places);
	free(html->rows);
}

/* Gives the text a place in the strings. NULL gets none. */
static bool add_string(struct sprof_html *html, const char *text)
{
	const struct sprof_interned strings = SPROF_INTERNED(
		&html->string_ids, html->strings, html->string_count, html->string_capacity);
	uint32_t id;

	return !text || sprof_intern(&strings, sprof_key(0, (uintptr_t)text), &text, &id);
}

static const char *module_path(const struct sprof_html *html, size_t index)
{
	return sprof_modules_get(html->profile->modules, (uint32_t)index)->path;
}

static bool collect_strings(struct sprof_html *html)
{
	const struct sprof_profile *profile = html->profile;
	bool ok = true;

	for (size_t i = 0; ok && i < profile->function_count; i++)
		ok = add_string(html, profile->functions[i].name) &&
			add_string(html, profile->functions[i].file);
	for (size_t i = 0; ok && i < profile->line_count; i++)
		ok = add_string(html, sprof_profile_included_file(profile, &profile->lines[i]));
	for (size_t i = 0; ok && i < sprof_modules_count(html->profile->modules); i++)
		ok = add_string(html, module_path(html, i));
	for (size_t i = 0; ok && i < profile->process_count; i++)
		ok = add_string(html, profile->processes[i].name) &&
			add_string(html, profile->processes[i].host) &&
			add_string(html, profile->processes[i].rank);
	for (size_t i = 0; ok && i < profile->thread_count; i++)
		ok = add_string(html, profile->threads[i].name);
	for (size_t i = 0; ok && i < profile->context_count; i++)
		ok = add_string(html, profile->contexts[i].syscall) &&
			add_string(html, profile->contexts[i].object) &&
			add_string(html, profile->contexts[i].holder);
	return ok;
}

static bool write_strings(const struct sprof_html *html)
{
	sprof_out_puts(html->out, ",\n\"strings\":[");
	for (size_t i = 0; i < html->string_count; i++) {
		if (i)
			sprof_out_puts(html->out, ",\n");
		if (!sprof_html_put_string(html, html->strings[i]))
			return false;
	}
	sprof_out_puts(html->out, "]");
	return true;
}

static void write_functions(const struct sprof_html *html)
{
	sprof_out_puts(html->out, ",\n\"modules\":[");
	for (size_t i = 0; i < sprof_modules_count(html->profile->modules); i++)
		sprof_html_number(html, i, sprof_html_string(html, module_path(html, i)));
	sprof_out_puts(html->out, "],\n\"functions\":[");
	for (size_t i = 0; i < html->profile->function_count; i++) {
		const struct sprof_profile_function *function = &html->profile->functions[i];

		sprof_html_number(html, i, sprof_html_string(html, function->name));
		sprof_html_index(html, true, function->module);
		sprof_html_index(html, true, sprof_html_string(html, function->file));
		sprof_html_number(html, true, function->line);
	}
	sprof_out_puts(html->out, "]");
}

/* The key's number; a new key gets `next` and sets *ret_new. Returns false if out of memory. */
static bool number_of(struct sprof_idmap *map, uint64_t high, uint64_t low, uint32_t next,
	uint32_t *ret, bool *ret_new)
{
	uint32_t found = sprof_idmap_find(map, high, low);

	*ret_new = found == SPROF_IDMAP_NONE;
	*ret = *ret_new ? next : found;
	return !*ret_new || sprof_idmap_put(map, high, low, next);
}

/* Pairs of a frame and its file, of frames that are not in their function's. */
static void write_included(const struct sprof_html *html, uint32_t count)
{
	uint32_t next = 0;
	bool has_any = false;

	for (size_t i = 0; i < html->profile->line_count && next < count; i++) {
		const char *file =
			sprof_profile_included_file(html->profile, &html->profile->lines[i]);

		if (html->frames[i] != next)
			continue;
		if (file) {
			sprof_out_puts(html->out, has_any ? "," : ",\n\"frame_files\":[");
			sprof_html_number(html, false, next);
			sprof_html_number(html, true, sprof_html_string(html, file));
			has_any = true;
		}
		next++;
	}
	sprof_out_puts(html->out, has_any ? "]" : "");
}

static bool write_frames(struct sprof_html *html)
{
	const struct sprof_profile *profile = html->profile;
	uint32_t count = 0;
	bool is_new;

	sprof_out_puts(html->out, ",\n\"frames\":[");
	for (size_t i = 0; i < profile->line_count; i++) {
		const struct sprof_profile_line *line = &profile->lines[i];
		const uint64_t low = (uint64_t)line->line * SPROF_MARK_COUNT + line->mark;
		struct sprof_hash key = sprof_hash_start(0);

		sprof_hash_add_pair(&key, line->function, low);
		sprof_hash_add_pointer(&key, sprof_profile_included_file(html->profile, line));
		if (!number_of(
			    &html->frame_ids, key.high, key.low, count, &html->frames[i], &is_new))
			return false;
		if (!is_new)
			continue;
		sprof_html_number(html, count, line->function);
		sprof_html_number(html, true, low);
		count++;
	}
	sprof_out_puts(html->out, "]");
	write_included(html, count);
	return true;
}

/* The node below `parent` for a line of the profile; a new one is written. */
static bool child_of(struct sprof_html *html, uint32_t parent, size_t line, uint32_t *ret)
{
	uint32_t frame = html->frames[line];
	bool is_new;

	if (!number_of(&html->node_ids, parent, frame, html->node_count, ret, &is_new))
		return false;
	if (is_new) {
		sprof_html_packed(html, html->node_count - parent);
		sprof_html_packed(html, frame);
		html->node_count++;
	}
	return true;
}

static bool write_nodes(struct sprof_html *html)
{
	const struct sprof_profile *profile = html->profile;

	sprof_out_puts(html->out, ",\n\"nodes\":\"");
	html->node_count = 1;
	for (size_t i = 1; i < profile->stack_count; i++) {
		const struct sprof_profile_stack *stack = &profile->stacks[i];
		const struct sprof_profile_location *location =
			&profile->locations[stack->location];
		uint32_t node = html->nodes[stack->parent];

		for (uint32_t k = location->line_count; k-- > 0;) {
			if (!child_of(html, node, location->first_line + k, &node))
				return false;
		}
		html->nodes[i] = node;
	}
	sprof_out_puts(html->out, "\"");
	return true;
}

static void write_threads(const struct sprof_html *html)
{
	const struct sprof_profile *profile = html->profile;

	sprof_out_puts(html->out, ",\n\"processes\":[");
	for (size_t i = 0; i < profile->process_count; i++) {
		const struct sprof_profile_process *process = &profile->processes[i];

		sprof_html_number(html, i, (uint64_t)process->pid);
		sprof_html_number(html, true, sprof_html_string(html, process->name));
		sprof_html_index(html, true, sprof_html_string(html, process->host));
		sprof_html_index(html, true, sprof_html_string(html, process->rank));
	}
	sprof_out_puts(html->out, "],\n\"threads\":[");
	for (size_t i = 0; i < profile->thread_count; i++) {
		sprof_html_number(html, i, profile->threads[i].process);
		sprof_html_number(html, true, (uint64_t)profile->threads[i].tid);
		sprof_html_number(html, true, sprof_html_string(html, profile->threads[i].name));
	}
	sprof_out_puts(html->out, "]");
}

static bool put_advice(const struct sprof_html *html, const char *text)
{
	sprof_out_puts(html->out, ",");
	if (text)
		return sprof_html_put_string(html, text);
	sprof_out_puts(html->out, "null");
	return true;
}

static bool write_gaps(const struct sprof_html *html, struct sprof_error *err)
{
	struct sprof_gaps gaps;
	bool ok = true;

	if (!sprof_gaps_build(html->profile, &gaps, err))
		return false;
	sprof_out_puts(html->out, ",\n\"gaps\":[");
	for (size_t i = 0; ok && i < gaps.count; i++) {
		const struct sprof_gap *gap = &gaps.items[i];

		sprof_html_number(html, i, gap->module);
		sprof_html_number(html, true, gap->addresses);
		sprof_html_number(html, true, gap->samples);
		ok = put_advice(html, gap->why) && put_advice(html, gap->help);
	}
	sprof_out_puts(html->out, "]");
	sprof_gaps_finish(&gaps);
	return ok;
}

/* Writes name and unit of the shown weight if another tool counted it. */
static bool write_further_kind(const struct sprof_html *html)
{
	const struct sprof_profile *profile = html->profile;

	if (!sprof_weight_is_further(html->weight))
		return true;
	sprof_out_puts(html->out, ",\n\"value\":[");
	if (!sprof_html_put_string(html, sprof_profile_weight_name(profile, html->weight)))
		return false;
	sprof_out_puts(html->out, ",");
	if (!sprof_html_put_string(html, sprof_profile_weight_unit(profile, html->weight)))
		return false;
	sprof_out_puts(html->out, "]");
	return true;
}

/* In a difference: a sentence about the change. */
static bool write_change(const struct sprof_html *html, const struct sprof_output_options *options,
	struct sprof_error *err)
{
	struct sprof_comparison comparison;
	SPROF_AUTO_FREE char *sentence = NULL;

	if (!options->base_threads)
		return true;
	if (!sprof_comparison_build(
		    html->profile, options->base_threads, options->weight, &comparison, err))
		return false;
	sentence = sprof_comparison_sentence(html->profile, options->weight, &comparison);
	sprof_comparison_finish(&comparison);
	sprof_out_puts(html->out, ",\n\"change\":");
	return sentence && sprof_html_put_string(html, sentence);
}

static bool write_facts(const struct sprof_html *html, const struct sprof_output_options *options)
{
	const struct sprof_profile *profile = html->profile;

	sprof_out_puts(html->out, "{\"version\":3,\n\"command\":");
	if (!profile->command)
		sprof_out_puts(html->out, "null");
	else if (!sprof_html_put_string(html, profile->command))
		return false;
	sprof_out_printf(html->out,
		",\n\"start_ms\":%" PRIu64 ",\n\"weight\":\"%s\",\n\"base_threads\":%" PRIu32
		",\n\"absolute\":%s,\n\"quality\":",
		profile->start_realtime_ns / SPROF_NS_PER_MS, sprof_weight_name(options->weight),
		options->base_threads, options->absolute ? "true" : "false");
	sprof_stats_write(&profile->quality, html->out);
	return true;
}

static bool allocate(struct sprof_html *html)
{
	const struct sprof_profile *profile = html->profile;

	html->frames = calloc(profile->line_count + 1, sizeof(*html->frames));
	html->nodes = calloc(profile->stack_count + 1, sizeof(*html->nodes));
	html->places = calloc(profile->row_count + 1, sizeof(*html->places));
	html->rows = calloc(profile->row_count + 1, sizeof(*html->rows));
	return html->frames && html->nodes && html->places && html->rows;
}

static bool write_all(struct sprof_html *html, const struct sprof_output_options *options,
	struct sprof_error *err)
{
	if (!allocate(html) || !collect_strings(html) || !write_facts(html, options) ||
		!write_strings(html))
		return false;
	write_functions(html);
	if (!write_change(html, options, err) || !write_frames(html) || !write_nodes(html))
		return false;
	write_threads(html);
	if (!sprof_html_write_rows(html) || !sprof_html_write_timeline(html) ||
		!sprof_html_write_answer(html, err) || !write_gaps(html, err) ||
		!write_further_kind(html))
		return false;
	sprof_out_puts(html->out, "}\n");
	return true;
}

bool sprof_html_write_data(const struct sprof_profile *profile,
	const struct sprof_output_options *options, struct sprof_out *out, struct sprof_error *err)
{
	struct sprof_html html = {.profile = profile, .weight = options->weight, .out = out};
	bool ok = write_all(&html, options, err);

	finish(&html);
	return ok || sprof_error_no_memory(err);
}
