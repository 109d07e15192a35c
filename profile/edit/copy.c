/*
 * Copies from one profile to another: each index is translated once and cached, so the cost depends
 * on what is used of the source. filter.c, merge.c and profile/compare/diff.c choose the rows.
 */
#include "profile/edit/copy.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/model/attributes.h"
#include "profile/model/build.h"
#include "profile/model/index.h"
#include "profile/model/spans.h"

/* The frame for stacks that --hide empties. */
#define HIDDEN "[hidden]"

static bool make_map(uint32_t **map, size_t count)
{
	*map = malloc((count + 1) * sizeof(**map));
	if (*map)
		memset(*map, 0xff, (count + 1) * sizeof(**map));
	return *map;
}

bool sprof_copy_init(
	struct sprof_copy *copy, struct sprof_profile *target, const struct sprof_profile *source)
{
	*copy = (struct sprof_copy){.source = source, .target = target};
	return make_map(&copy->modules, sprof_modules_count(source->modules)) &&
		make_map(&copy->functions, source->function_count) &&
		make_map(&copy->locations, source->location_count) &&
		make_map(&copy->stacks, source->stack_count) &&
		make_map(&copy->threads, source->thread_count) &&
		make_map(&copy->contexts, source->context_count) &&
		make_map(&copy->rows, source->row_count);
}

void sprof_copy_finish(struct sprof_copy *copy)
{
	sprof_identity_finish(&copy->identity);
	free(copy->modules);
	free(copy->functions);
	free(copy->locations);
	free(copy->stacks);
	free(copy->threads);
	free(copy->contexts);
	free(copy->rows);
	free(copy->chain);
	free(copy->lines);
}

static bool copy_kind(
	struct sprof_profile *target, const struct sprof_kind *kind, struct sprof_kind *ret)
{
	ret->fold = kind->fold;
	return sprof_build_text(target, kind->name, &ret->name) &&
		sprof_build_text(target, kind->unit, &ret->unit);
}

bool sprof_copy_head(struct sprof_copy *copy)
{
	const struct sprof_kinds *kinds = &copy->source->kinds;
	const struct sprof_profile_head *from = &copy->source->head;
	struct sprof_profile_head *to = &copy->target->head;

	for (size_t i = 0; i < kinds->further_count; i++) {
		if (!copy_kind(copy->target, &kinds->further[i], &copy->target->kinds.further[i]))
			return false;
	}
	copy->target->kinds.has_times = kinds->has_times;
	copy->target->kinds.further_count = kinds->further_count;
	copy->target->kinds.shown = kinds->shown;
	copy->target->checksum = copy->source->checksum;
	to->period = from->period;
	return sprof_build_text(copy->target, from->drop_frames, &to->drop_frames) &&
		sprof_build_text(copy->target, from->keep_frames, &to->keep_frames) &&
		sprof_build_text(copy->target, from->url, &to->url) &&
		copy_kind(copy->target, &from->period_kind, &to->period_kind) &&
		(!copy->source->command ||
			sprof_profile_describe(copy->target, copy->source->command,
				copy->source->start_realtime_ns));
}

static bool copy_facts(struct sprof_copy *copy, const struct sprof_profile_module *facts,
	struct sprof_profile_module *to)
{
	if (!to->gap_why &&
		(!sprof_build_text(copy->target, facts->gap_why, &to->gap_why) ||
			!sprof_build_text(copy->target, facts->gap_help, &to->gap_help)))
		return false;
	if (!to->mapped_at)
		to->mapped_at = facts->mapped_at;
	if (!to->debuglink) {
		to->debuglink_crc = facts->debuglink_crc;
		if (!sprof_build_text(copy->target, facts->debuglink, &to->debuglink))
			return false;
	}
	if (to->segments || !facts->segment_count)
		return true;
	to->segments = calloc(facts->segment_count, sizeof(*to->segments));
	if (!to->segments)
		return false;
	memcpy(to->segments, facts->segments, facts->segment_count * sizeof(*to->segments));
	to->segment_count = facts->segment_count;
	return true;
}

static bool copy_module(struct sprof_copy *copy, uint32_t id, uint32_t *ret);

/* Copies which module this one is another build of: by the target's match, or the source. */
static bool copy_build(struct sprof_copy *copy, uint32_t id)
{
	const uint32_t own = copy->modules[id], first = sprof_identity_module(copy->source, id);
	uint32_t of = copy->identity.modules ? copy->identity.modules[id] : SPROF_PROFILE_NONE;

	if (of == SPROF_PROFILE_NONE && first != id && !copy_module(copy, first, &of))
		return false;
	if (of != SPROF_PROFILE_NONE && of != own && !copy->target->module_facts[own].build_of)
		copy->target->module_facts[own].build_of = of + 1;
	return true;
}

static bool copy_module(struct sprof_copy *copy, uint32_t id, uint32_t *ret)
{
	const struct sprof_profile *source = copy->source;

	if (id == SPROF_PROFILE_NONE) {
		*ret = SPROF_PROFILE_NONE;
		return true;
	}
	if (copy->modules[id] == SPROF_PROFILE_NONE) {
		const struct sprof_profile_module *facts = sprof_profile_module_facts(source, id);
		const char *path = sprof_modules_get(source->modules, id)->path;

		if (!sprof_build_module(copy->target, path, facts->build_id, &copy->modules[id]) ||
			!copy_facts(copy, facts, &copy->target->module_facts[copy->modules[id]]) ||
			!copy_build(copy, id))
			return false;
	}
	*ret = copy->modules[id];
	return true;
}

bool sprof_copy_modules(struct sprof_copy *copy)
{
	const struct sprof_modules *modules = copy->source->modules;
	size_t count = sprof_modules_count(modules);
	uint32_t ignored;

	for (size_t i = 0; i < count; i++) {
		if (!copy_module(copy, (uint32_t)i, &ignored))
			return false;
	}
	return true;
}

static bool copy_function(struct sprof_copy *copy, uint32_t id, uint32_t *ret)
{
	if (copy->functions[id] == SPROF_PROFILE_NONE && copy->identity.functions)
		copy->functions[id] = copy->identity.functions[id];
	if (copy->functions[id] == SPROF_PROFILE_NONE) {
		const uint32_t first = copy->identity.firsts ? copy->identity.firsts[id] : id;
		struct sprof_profile_function function = copy->source->functions[first];

		if (!copy_module(copy, function.module, &function.module))
			return false;
		if (!function.unresolved && function.module != SPROF_PROFILE_NONE)
			function.module = sprof_identity_module(copy->target, function.module);
		if (!sprof_build_function(copy->target, &function, &copy->functions[id]))
			return false;
	}
	*ret = sprof_profile_joined_function(copy->target, copy->functions[id]);
	return true;
}

/* If the line that it was inlined into is hidden, it may no longer be inlined. */
static void settle_mark(struct sprof_profile_line *line, const struct sprof_profile_line *next)
{
	if (line->mark == SPROF_MARK_INLINED && (!next || next->mark == SPROF_MARK_TAIL_CALL))
		line->mark = SPROF_MARK_CALLED;
}

/*
 * A line without a file is in the file of its function, which may have another file in the target.
 * The same file in another folder is the same.
 */
static const char *file_of(
	const struct sprof_copy *copy, const struct sprof_profile_line *line, uint32_t function)
{
	const char *own = copy->source->functions[line->function].file;
	const char *now = copy->target->functions[function].file;
	const bool is_one = !own || (now && sprof_identity_common_parts(own, now));

	return line->file || is_one ? line->file : own;
}

/* Copies the lines that are not hidden; the last of them is no longer inlined. */
static bool copy_lines(
	struct sprof_copy *copy, const struct sprof_profile_location *location, size_t *ret_count)
{
	size_t count = 0;

	if (!sprof_array_reserve(&copy->lines, &copy->line_capacity, location->line_count + 1,
		    sizeof(*copy->lines)))
		return false;
	for (uint32_t i = 0; i < location->line_count; i++) {
		const struct sprof_profile_line *from =
			&copy->source->lines[location->first_line + i];
		struct sprof_profile_line line = *from;

		if (copy->hidden && copy->hidden[line.function])
			continue;
		if (!copy_function(copy, line.function, &line.function) ||
			!sprof_build_text(
				copy->target, file_of(copy, from, line.function), &line.file))
			return false;
		copy->lines[count++] = line;
	}
	for (size_t i = 0; i < count; i++)
		settle_mark(&copy->lines[i], i + 1 < count ? &copy->lines[i + 1] : NULL);
	*ret_count = count;
	return true;
}

/* The target's stack: `parent` with one location of the source on top. */
static bool push(struct sprof_copy *copy, uint32_t parent, uint32_t id, uint32_t *ret_stack)
{
	const struct sprof_profile_location *location = &copy->source->locations[id];
	struct sprof_frame frame = location->frame;
	size_t count;

	if (copy->locations[id] == SPROF_PROFILE_NONE) {
		if (!copy_lines(copy, location, &count))
			return false;
		if (!count) {
			*ret_stack = parent;
			return true;
		}
		if (!copy_module(copy, frame.module, &frame.module) ||
			!sprof_build_location(
				copy->target, &frame, copy->lines, count, &copy->locations[id]))
			return false;
	}
	return sprof_profile_push(copy->target, parent, copy->locations[id], ret_stack);
}

static bool copy_stack(struct sprof_copy *copy, uint32_t id, uint32_t *ret_stack)
{
	uint32_t stack = id;
	size_t count = 0;

	copy->stacks[SPROF_PROFILE_ROOT] = SPROF_PROFILE_ROOT;
	for (; copy->stacks[stack] == SPROF_PROFILE_NONE;
		stack = copy->source->stacks[stack].parent) {
		if (!sprof_array_reserve(
			    &copy->chain, &copy->chain_capacity, count + 1, sizeof(*copy->chain)))
			return false;
		copy->chain[count++] = stack;
	}
	while (count) {
		uint32_t next = copy->chain[--count];

		if (!push(copy, copy->stacks[stack], copy->source->stacks[next].location,
			    &copy->stacks[next]))
			return false;
		stack = next;
	}
	*ret_stack = copy->stacks[id];
	return true;
}

bool sprof_copy_comments(struct sprof_copy *copy)
{
	for (size_t i = 0; i < copy->source->comment_count; i++) {
		if (!sprof_build_comment(copy->target, copy->source->comments[i]))
			return false;
	}
	return true;
}

bool sprof_copy_thread(struct sprof_copy *copy, uint32_t id)
{
	const struct sprof_build_thread build = sprof_attributes_of_thread(copy->source, id);

	return copy->threads[id] != SPROF_PROFILE_NONE ||
		sprof_build_thread(copy->target, &build, &copy->threads[id]);
}

static bool name_hidden(struct sprof_copy *copy, uint32_t *ret_stack)
{
	uint32_t location;

	return sprof_profile_name_location(copy->target, HIDDEN, &location) &&
		sprof_profile_push(copy->target, SPROF_PROFILE_ROOT, location, ret_stack);
}

static uint64_t part_of(const struct sprof_copy *copy, size_t row, uint64_t value)
{
	uint64_t samples = copy->source->rows[row].metrics.samples;

	if (!copy->inside || copy->inside[row] == samples)
		return value;
	return samples ? (uint64_t)((__uint128_t)value * copy->inside[row] / samples) : 0;
}

static void take_part(struct sprof_copy *copy, size_t index, struct sprof_metrics *metrics,
	uint64_t values[SPROF_KINDS_MAX])
{
	metrics->samples = part_of(copy, index, metrics->samples);
	for (int i = 0; i < SPROF_TIME_COUNT; i++)
		metrics->times.ns[i] = part_of(copy, index, metrics->times.ns[i]);
	for (size_t i = 0; i < copy->source->kinds.further_count; i++)
		values[i] = part_of(copy, index, sprof_profile_further(copy->source, index, i));
}

/* The stack that a row counts for. */
static uint32_t charged_stack(const struct sprof_copy *copy, uint32_t leaf)
{
	const struct sprof_profile *source = copy->source;

	for (uint32_t stack = leaf; copy->charged && stack != SPROF_PROFILE_ROOT;
		stack = source->stacks[stack].parent) {
		if (copy->charged[source->stacks[stack].location])
			return stack;
	}
	return leaf;
}

static bool copy_as_unsampled(struct sprof_copy *copy, const struct sprof_profile_row *from)
{
	struct sprof_profile_row row = {.metrics = from->metrics};
	uint32_t id;

	if (!sprof_copy_thread(copy, from->thread) ||
		!sprof_profile_unsampled_row(copy->target, copy->threads[from->thread], &id))
		return false;
	row.thread = copy->target->rows[id].thread;
	row.stack = copy->target->rows[id].stack;
	row.context = copy->target->rows[id].context;
	return sprof_build_row(copy->target, &row, NULL);
}

bool sprof_copy_row(struct sprof_copy *copy, size_t index)
{
	const struct sprof_profile *source = copy->source;
	struct sprof_profile_row row = source->rows[index];
	uint32_t *context = &copy->contexts[row.context];
	uint64_t values[SPROF_KINDS_MAX];

	if (copy->drops_estimates && source->contexts[row.context].estimate)
		return copy_as_unsampled(copy, &row);
	row.stack = charged_stack(copy, row.stack);
	if (!sprof_copy_thread(copy, row.thread) || !copy_stack(copy, row.stack, &row.stack) ||
		(row.stack == SPROF_PROFILE_ROOT && !name_hidden(copy, &row.stack)))
		return false;
	if (*context == SPROF_PROFILE_NONE &&
		!sprof_build_context(copy->target, &source->contexts[row.context], context))
		return false;
	row.thread = copy->threads[row.thread];
	row.context = *context;
	take_part(copy, index, &row.metrics, values);
	return sprof_build_row(copy->target, &row, source->kinds.further_count ? values : NULL) &&
		(!source->span_count ||
			sprof_profile_intern_row(copy->target, &row, &copy->rows[index]));
}

static bool add_span(struct sprof_profile *target, const struct sprof_profile_span *span)
{
	return SPROF_ARRAY_APPEND(target->spans, target->span_count, target->span_capacity, *span);
}

/* Times of the target count from 0, the start of its run. */
static bool copy_span(struct sprof_copy *copy, const struct sprof_span *span)
{
	uint32_t first = 0, end = span->samples;

	if (copy->inside) {
		first = sprof_span_samples_before(span, copy->from_ns);
		end = sprof_span_samples_before(span, copy->to_ns);
	}
	return first >= end ||
		add_span(copy->target,
			&(struct sprof_profile_span){
				.begin_ns = sprof_span_sample_ns(span, first),
				.end_ns = sprof_span_sample_ns(span, end - 1),
				.row = copy->rows[span->row],
				.samples = end - first,
			});
}

bool sprof_copy_spans(struct sprof_copy *copy)
{
	const struct sprof_profile *source = copy->source;
	struct sprof_profile *target = copy->target;
	struct sprof_spans spans;
	bool ok = true;

	if (!source->span_count)
		return true;
	if (!sprof_spans_build(source, &spans))
		return false;
	for (size_t i = 0; ok && i < source->span_count; i++) {
		struct sprof_span span = sprof_spans_get(&spans, i);

		ok = copy->rows[span.row] == SPROF_PROFILE_NONE || copy_span(copy, &span);
	}
	sprof_spans_finish(&spans);
	if (target->slice_ns < source->slice_ns)
		target->slice_ns = source->slice_ns;
	sprof_profile_sort_spans(target);
	return ok;
}
