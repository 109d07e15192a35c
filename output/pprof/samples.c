/*
 * The samples and the comments of the saved profile. Samples are written thread by thread: a
 * thread's common labels are built once, and readers get the threads in order. A thread without
 * samples, or with facts besides its time, gets a sample without stack and values.
 */
#include "output/pprof/pprof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "profile/model/attributes.h"
#include "profile/model/by-thread.h"
#include "profile/model/labels.h"
#include "profile/model/quality.h"
#include "profile/model/thread-facts.h"
#include "profile/pprof/file.h"

/* The label that marks the base of a difference for `go tool pprof`. */
#define BASE_LABEL "pprof::base"

static void put_comment(struct sprof_pprof_writer *writer, const char *name, const char *value)
{
	SPROF_AUTO_FREE char *text = sprof_string_print(SPROF_PPROF_COMMENT "%s=%s", name, value);

	sprof_message_add_varint(&writer->packed, sprof_pprof_new_string(writer, text));
}

static void put_figure(struct sprof_pprof_writer *writer, const char *name, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	put_comment(writer, name, text);
}

static void put_quality(struct sprof_pprof_writer *writer)
{
	const struct sprof_quality *quality = &writer->profile->quality;
	char text[64];

	put_figure(writer, "target_pid", (uint64_t)quality->target_pid);
	snprintf(text, sizeof(text), "%.17g", quality->rate_hz);
	put_comment(writer, "rate_hz", text);
	put_comment(writer, "mode", sprof_mode_name(quality->mode));
	for (const struct sprof_quality_field *field = sprof_quality_fields; field->name; field++)
		put_figure(writer, field->name, sprof_quality_get(quality, field->offset));
	for (int i = 0; i < SPROF_END_COUNT; i++) {
		snprintf(text, sizeof(text), "stacks.%s", sprof_end_name((enum sprof_end)i));
		if (quality->stacks[i])
			put_figure(writer, text, quality->stacks[i]);
	}
	put_figure(writer, "schedstat_missing", quality->schedstat_missing);
}

/* Why frames of a module have no name. */
static void put_gaps(struct sprof_pprof_writer *writer)
{
	const struct sprof_profile *profile = writer->profile;

	for (size_t i = 0; i < profile->module_count && i < writer->layout.module_count; i++) {
		const struct sprof_profile_module *facts = &profile->module_facts[i];
		char name[32];

		if (writer->layout.first[i] == writer->layout.first[i + 1])
			continue;
		snprintf(name, sizeof(name), "gap.%u", writer->layout.first[i] + 1);
		if (facts->gap_why)
			put_comment(writer, name, facts->gap_why);
		snprintf(name, sizeof(name), "gap_help.%u", writer->layout.first[i] + 1);
		if (facts->gap_help)
			put_comment(writer, name, facts->gap_help);
	}
}

static void put_segment(
	struct sprof_pprof_writer *writer, size_t mapping, const struct sprof_segment *segment)
{
	char name[40], text[80];

	snprintf(name, sizeof(name), SPROF_PPROF_SEGMENT ".%zu", mapping);
	snprintf(text, sizeof(text), "0x%llx 0x%llx 0x%llx", (unsigned long long)segment->offset,
		(unsigned long long)segment->file_size, (unsigned long long)segment->address);
	put_comment(writer, name, text);
}

static void put_debuglink(struct sprof_pprof_writer *writer, const char *name,
	const struct sprof_profile_module *facts)
{
	SPROF_AUTO_FREE char *text =
		sprof_string_print("%08x %s", facts->debuglink_crc, facts->debuglink);

	if (text)
		put_comment(writer, name, text);
	else
		writer->failed = true;
}

static void put_mapped(struct sprof_pprof_writer *writer, uint32_t mapping, uint64_t address)
{
	char name[40], text[40];

	snprintf(name, sizeof(name), SPROF_PPROF_MAPPED ".%u", mapping);
	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)address);
	put_comment(writer, name, text);
}

static void put_build_of(struct sprof_pprof_writer *writer, uint32_t mapping,
	const struct sprof_profile_module *facts)
{
	const uint32_t of = facts->build_of - 1, *first = writer->layout.first;
	char name[40];

	if (!facts->build_of || of >= writer->layout.module_count || first[of] == first[of + 1])
		return;
	snprintf(name, sizeof(name), SPROF_PPROF_BUILD_OF ".%u", mapping);
	put_figure(writer, name, first[of] + 1);
}

/* Writes comments for late naming without the module's file, and mapping addresses. */
static void put_places(struct sprof_pprof_writer *writer)
{
	const struct sprof_profile *profile = writer->profile;

	for (size_t i = 0; i < profile->module_count && i < writer->layout.module_count; i++) {
		const struct sprof_profile_module *facts = &profile->module_facts[i];
		uint32_t first = writer->layout.first[i];
		char name[32];

		for (size_t k = 0; k < facts->segment_count; k++)
			put_segment(writer, first + k + 1, &facts->segments[k]);
		if (first == writer->layout.first[i + 1])
			continue;
		if (facts->mapped_at)
			put_mapped(writer, first + 1, facts->mapped_at);
		put_build_of(writer, first + 1, facts);
		if (!facts->debuglink)
			continue;
		snprintf(name, sizeof(name), SPROF_PPROF_DEBUGLINK ".%u", first + 1);
		put_debuglink(writer, name, facts);
	}
}

/* Which function the lines in a file that it includes are of. */
static void put_included(struct sprof_pprof_writer *writer)
{
	for (size_t i = 0; i < writer->included_count; i++) {
		const struct sprof_pprof_included *included = &writer->included[i];
		char name[48];

		snprintf(name, sizeof(name), SPROF_PPROF_INCLUDED ".%llu",
			(unsigned long long)sprof_pprof_included_id(writer->profile, i));
		put_figure(writer, name,
			sprof_pprof_function_id(
				writer->profile, included->function, included->mark));
	}
}

void sprof_pprof_write_comments(struct sprof_pprof_writer *writer)
{
	writer->packed.size = 0;
	if (sprof_profile_counts_time(writer->profile)) {
		if (writer->profile->command)
			put_comment(writer, "command", writer->profile->command);
		put_quality(writer);
		put_gaps(writer);
	}
	put_places(writer);
	put_included(writer);
	if (writer->profile->slice_ns && writer->profile->span_count)
		put_figure(writer, SPROF_PPROF_SLICE, writer->profile->slice_ns);
	for (size_t i = 0; i < writer->profile->comment_count; i++)
		sprof_message_add_varint(
			&writer->packed, sprof_pprof_string(writer, writer->profile->comments[i]));
	if (writer->packed.size)
		sprof_pprof_put(writer, SPROF_PPROF_COMMENT_FIELD, &writer->packed);
}

static void add_label(
	struct sprof_pprof_writer *writer, struct sprof_message *to, const char *key, uint32_t text)
{
	uint32_t number = sprof_pprof_string(writer, key);

	if (!text)
		return;
	writer->inner.size = 0;
	sprof_message_add_number(&writer->inner, 1, number);
	sprof_message_add_number(&writer->inner, 2, text);
	sprof_message_add_bytes(to, 3, writer->inner.data, writer->inner.size);
}

static void add_text(struct sprof_pprof_writer *writer, struct sprof_message *to, const char *key,
	const char *text)
{
	add_label(writer, to, key, sprof_pprof_string(writer, text));
}

static void add_number(struct sprof_pprof_writer *writer, struct sprof_message *to, uint32_t key,
	uint64_t number, uint32_t unit)
{
	writer->inner.size = 0;
	sprof_message_add_number(&writer->inner, 1, key);
	sprof_message_add_number(&writer->inner, 3, number);
	sprof_message_add_number(&writer->inner, 4, unit);
	sprof_message_add_bytes(to, 3, writer->inner.data, writer->inner.size);
}

static void add_id(
	struct sprof_pprof_writer *writer, const char *key, const char *digits, bool numeric)
{
	struct sprof_message *to = &writer->labels;

	if (numeric)
		add_number(
			writer, to, sprof_pprof_string(writer, key), strtoull(digits, NULL, 10), 0);
	else
		add_label(writer, to, key, sprof_pprof_new_string(writer, digits));
}

static void add_attribute(struct sprof_pprof_writer *writer, struct sprof_message *to,
	const struct sprof_attribute *attribute, const char *text)
{
	if (text || attribute->is_named)
		add_text(writer, to, attribute->name, text);
}

/* The labels that all rows of a thread have. */
static void describe_thread(struct sprof_pprof_writer *writer, uint32_t index)
{
	const struct sprof_profile *profile = writer->profile;
	struct sprof_build_thread thread = sprof_attributes_of_thread(profile, index);
	char id[SPROF_ATTRIBUTE_SIZE];

	if (sprof_profile_counts_time(profile))
		thread.process_name = profile->processes[profile->threads[index].process].name;
	writer->labels.size = 0;
	for (const struct sprof_attribute *attribute = sprof_attributes; attribute->name;
		attribute++) {
		const char *text;

		if (attribute->of == SPROF_ATTRIBUTE_OF_CONTEXT ||
			(!thread.process_name &&
				sprof_attribute_text(attribute, &thread) == &thread.process_name))
			continue;
		text = sprof_attribute_get(attribute, &thread, id);
		if (text && attribute->form == SPROF_ATTRIBUTE_ID)
			add_id(writer, attribute->name, text, thread.numeric_ids);
		else
			add_attribute(writer, &writer->labels, attribute, text);
	}
	if (index < writer->base_threads)
		add_text(writer, &writer->labels, BASE_LABEL, "true");
}

/* The number of a text in a set of labels, where texts have no NUL. */
static uint32_t text_of(struct sprof_pprof_writer *writer, const char *text, size_t length)
{
	SPROF_AUTO_FREE char *copy = length ? strndup(text, length) : NULL;

	if (length && !copy)
		writer->failed = true;
	return copy ? sprof_pprof_new_string(writer, copy) : 0;
}

static void encode_label(struct sprof_pprof_writer *writer, struct sprof_message *to,
	const struct sprof_label *label)
{
	uint32_t key = text_of(writer, label->key, label->key_length);
	uint32_t text = text_of(writer, label->text, label->text_length);

	if (label->is_number) {
		add_number(writer, to, key, (uint64_t)label->number, text);
		return;
	}
	writer->inner.size = 0;
	sprof_message_add_number(&writer->inner, 1, key);
	sprof_message_add_number(&writer->inner, 2, text);
	sprof_message_add_bytes(to, 3, writer->inner.data, writer->inner.size);
}

/* The set's index among the encoded ones, so that its strings are not written again. */
static uint32_t find_set(struct sprof_pprof_writer *writer, const char *set)
{
	const struct sprof_interned sets = SPROF_INTERNED(
		&writer->sets, writer->encoded, writer->set_count, writer->set_capacity);
	const struct sprof_message empty = {0};
	const size_t before = writer->set_count;
	struct sprof_label label;
	uint32_t found;

	if (!sprof_intern(&sets, sprof_key(0, (uintptr_t)set), &empty, &found)) {
		writer->failed = true;
		return SPROF_IDMAP_NONE;
	}
	while (found == before && sprof_labels_next(&set, &label))
		encode_label(writer, &writer->encoded[found], &label);
	return found;
}

static void add_others(struct sprof_pprof_writer *writer, const char *set)
{
	uint32_t found = set ? find_set(writer, set) : SPROF_IDMAP_NONE;

	if (found != SPROF_IDMAP_NONE)
		sprof_message_append(&writer->message, &writer->encoded[found]);
}

static void add_attributes(struct sprof_pprof_writer *writer, uint32_t index, bool late)
{
	const struct sprof_profile_context *context = &writer->profile->contexts[index];
	char id[SPROF_ATTRIBUTE_SIZE];

	for (const struct sprof_attribute *attribute = sprof_attributes; attribute->name;
		attribute++) {
		if (attribute->of == SPROF_ATTRIBUTE_OF_CONTEXT && attribute->is_late == late)
			add_attribute(writer, &writer->message, attribute,
				sprof_attribute_get(attribute, context, id));
	}
}

/* A part of a row: its samples from `before` up to `until`, out of `whole`. */
struct part {
	uint64_t before, until, whole;
	const uint64_t *time_ns; /* NULL: unknown */
};

/* Differences of a rounded running sum: the parts add up to the whole figure. */
static uint64_t share(const struct part *part, uint64_t value)
{
	if (part->until == part->whole && !part->before)
		return value;
	return (uint64_t)((__uint128_t)value * part->until / part->whole) -
		(uint64_t)((__uint128_t)value * part->before / part->whole);
}

static struct sprof_metrics part_of(const struct part *part, const struct sprof_metrics *whole)
{
	struct sprof_metrics metrics = {.samples = share(part, whole->samples)};

	for (int i = 0; i < SPROF_TIME_COUNT; i++)
		metrics.times.ns[i] = share(part, whole->times.ns[i]);
	return metrics;
}

static void add_values(struct sprof_pprof_writer *writer, size_t row, const struct part *part)
{
	const struct sprof_profile *profile = writer->profile;
	const struct sprof_metrics metrics = part_of(part, &profile->rows[row].metrics);
	const struct sprof_weights weights = sprof_profile_weights(profile);
	struct sprof_message *packed = &writer->packed;
	bool negative = profile->rows[row].thread < writer->base_threads;

	packed->size = 0;
	for (enum sprof_weight weight = weights.first; weight < weights.end; weight++) {
		uint64_t value = sprof_weight_is_further(weight)
			? share(part,
				  sprof_profile_further(
					  profile, row, weight - SPROF_WEIGHT_FURTHER))
			: sprof_metrics_get(&metrics, weight);

		/* The format's values are signed; a sum over several files may be larger. */
		if (value > INT64_MAX)
			value = INT64_MAX;
		sprof_message_add_varint(packed, negative ? -value : value);
	}
	sprof_message_add_bytes(&writer->message, 2, packed->data, packed->size);
	writer->failed |= packed->failed;
}

static void add_time(struct sprof_pprof_writer *writer, const struct part *part)
{
	if (part->time_ns)
		add_number(writer, &writer->message, sprof_pprof_string(writer, SPROF_PPROF_TIME),
			*part->time_ns, sprof_pprof_string(writer, "nanoseconds"));
}

static void write_part(struct sprof_pprof_writer *writer, size_t row, const struct part *part)
{
	const struct sprof_profile *profile = writer->profile;
	uint32_t stack = profile->rows[row].stack;
	struct sprof_message *packed = &writer->packed;

	packed->size = 0;
	for (; stack != SPROF_PROFILE_ROOT; stack = profile->stacks[stack].parent)
		sprof_message_add_varint(packed, (uint64_t)profile->stacks[stack].location + 1);
	sprof_message_add_bytes(&writer->message, 1, packed->data, packed->size);
	add_values(writer, row, part);
	sprof_message_append(&writer->message, &writer->labels);
	add_attributes(writer, profile->rows[row].context, false);
	add_attributes(writer, profile->rows[row].context, true);
	add_others(writer, writer->profile->contexts[profile->rows[row].context].labels);
	add_time(writer, part);
	sprof_pprof_put(writer, SPROF_PPROF_SAMPLE, &writer->message);
}

/* One sample per slice of time; time outside slices comes last. */
static void write_row(struct sprof_pprof_writer *writer, size_t row)
{
	uint64_t samples = writer->profile->rows[row].metrics.samples;
	struct part part = {.whole = samples ? samples : 1};
	const struct sprof_pprof_slice *slice;

	while ((slice = sprof_pprof_next_slice(&writer->slices, (uint32_t)row))) {
		part.before = part.until;
		part.until += slice->samples;
		part.time_ns = &slice->time_ns;
		if (part.until <= part.whole)
			write_part(writer, row, &part);
	}
	if (part.until >= part.whole)
		return;
	part = (struct part){.before = part.until, .until = part.whole, .whole = part.whole};
	write_part(writer, row, &part);
}

static void add_facts(struct sprof_pprof_writer *writer, uint32_t index)
{
	const struct sprof_profile_thread *thread = &writer->profile->threads[index];
	struct sprof_message *message = &writer->message;
	const char *name;
	uint64_t value;

	add_text(writer, message, SPROF_PPROF_FORMER_NAMES, thread->former_names);
	for (size_t i = 0; thread->has_facts && (name = sprof_fact_name(i)); i++) {
		uint32_t number = sprof_pprof_string(writer, name);

		if (sprof_fact_get(&thread->facts, i, &value))
			add_number(writer, message, number, value, 0);
	}
}

/* Marks the thread as present, with its facts besides time. */
static void write_presence(struct sprof_pprof_writer *writer, uint32_t thread)
{
	const struct sprof_weights weights = sprof_profile_weights(writer->profile);

	writer->packed.size = 0;
	for (enum sprof_weight weight = weights.first; weight < weights.end; weight++)
		sprof_message_add_varint(&writer->packed, 0);
	sprof_message_add_bytes(&writer->message, 2, writer->packed.data, writer->packed.size);
	sprof_message_append(&writer->message, &writer->labels);
	add_facts(writer, thread);
	sprof_pprof_put(writer, SPROF_PPROF_SAMPLE, &writer->message);
}

void sprof_pprof_write_samples(struct sprof_pprof_writer *writer)
{
	const struct sprof_profile *profile = writer->profile;
	struct sprof_by_thread order;

	if (!sprof_by_thread_build(profile, &order)) {
		writer->failed = true;
		return;
	}
	writer->failed |= !sprof_pprof_slices_init(&writer->slices, profile);
	for (uint32_t i = 0; i < profile->thread_count && !writer->failed; i++) {
		describe_thread(writer, i);
		if (order.first[i] == order.first[i + 1] || profile->threads[i].has_facts ||
			profile->threads[i].former_names)
			write_presence(writer, i);
		writer->failed |= !sprof_pprof_slices_of(&writer->slices, i);
		for (size_t k = order.first[i]; k < order.first[i + 1] && !writer->failed; k++)
			write_row(writer, order.rows[k]);
	}
	sprof_pprof_slices_finish(&writer->slices);
	sprof_by_thread_finish(&order);
}
