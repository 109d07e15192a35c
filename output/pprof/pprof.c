/*
 * The saved profile: pprof's profile.proto, compressed. Labels and comments hold what its fields
 * can't; sprof-pprof(5) lists them. A protocol buffers library would need the whole file as a tree
 * of messages in memory. Here one message is in memory at a time, and a string is written when a
 * field first refers to it: the fields of a message may come in any order. A caller's address is
 * the address of its call, because readers use addresses unchanged.
 */
#include "output/pprof/pprof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "output/format.h"
#include "profile/pprof/file.h"

/* Field numbers that the reader doesn't use. */
enum {
	MAPPING_HAS_FUNCTIONS = 7, /* and file names, line numbers, inlined functions: 8, 9, 10 */
	MAPPING_LAST = 10,
};

static void put_number(struct sprof_pprof_writer *writer, uint32_t field, uint64_t value)
{
	struct sprof_message *frame = &writer->frame;

	frame->size = 0;
	sprof_message_add_number(frame, field, value);
	writer->failed |= frame->failed;
	if (!writer->failed)
		sprof_gzip_write(writer->gzip, frame->data, frame->size);
}

static void write_kind(
	struct sprof_pprof_writer *writer, uint32_t field, const char *type, const char *unit)
{
	uint32_t type_number = sprof_pprof_string(writer, type);
	uint32_t unit_number = sprof_pprof_string(writer, unit);

	sprof_message_add_number(&writer->message, 1, type_number);
	sprof_message_add_number(&writer->message, 2, unit_number);
	sprof_pprof_put(writer, field, &writer->message);
}

/* The period of time is the sampling rate's. */
static void write_period(struct sprof_pprof_writer *writer)
{
	const struct sprof_profile *profile = writer->profile;
	const double rate_hz = profile->quality.rate_hz;
	struct sprof_kind kind = profile->head.period_kind;
	uint64_t period = profile->head.period;

	if (sprof_profile_counts_time(profile) && rate_hz >= 1e-9) {
		kind = (struct sprof_kind){
			.name = sprof_weight_name(SPROF_WEIGHT_WALL), .unit = "nanoseconds"};
		period = (uint64_t)(1e9 / rate_hz + 0.5);
	}
	if (kind.name)
		write_kind(writer, SPROF_PPROF_PERIOD_TYPE, kind.name, kind.unit);
	put_number(writer, SPROF_PPROF_PERIOD, period);
}

/* Go's tool compares only files with the same kinds, so all are written, even if 0. */
static void write_kinds(struct sprof_pprof_writer *writer)
{
	const struct sprof_profile *profile = writer->profile;
	const struct sprof_profile_head *head = &profile->head;
	const struct sprof_weights weights = sprof_profile_weights(profile);

	for (enum sprof_weight weight = weights.first; weight < weights.end; weight++)
		write_kind(writer, SPROF_PPROF_SAMPLE_TYPE,
			sprof_profile_weight_name(profile, weight),
			sprof_profile_weight_unit(profile, weight));
	put_number(writer, SPROF_PPROF_DEFAULT_TYPE,
		sprof_pprof_string(
			writer, sprof_profile_weight_name(profile, profile->kinds.shown)));
	write_period(writer);
	put_number(writer, SPROF_PPROF_DROP_FRAMES, sprof_pprof_string(writer, head->drop_frames));
	put_number(writer, SPROF_PPROF_KEEP_FRAMES, sprof_pprof_string(writer, head->keep_frames));
	put_number(writer, SPROF_PPROF_URL, sprof_pprof_string(writer, head->url));
}

static void write_head(struct sprof_pprof_writer *writer)
{
	const struct sprof_profile *profile = writer->profile;

	sprof_pprof_begin_strings(writer);
	write_kinds(writer);
	put_number(writer, SPROF_PPROF_TIME_NANOS, profile->start_realtime_ns);
	put_number(writer, SPROF_PPROF_DURATION_NANOS, profile->quality.duration_ns);
}

static void write_mapping(struct sprof_pprof_writer *writer, size_t index)
{
	const struct sprof_layout_mapping *mapping = &writer->layout.mappings[index];
	const struct sprof_profile *profile = writer->profile;
	const char *path = sprof_modules_get(profile->modules, mapping->module)->path;
	const char *build_id = sprof_profile_module_facts(profile, mapping->module)->build_id;
	uint32_t path_number = sprof_pprof_string(writer, path);
	uint32_t id_number = sprof_pprof_string(writer, build_id);
	struct sprof_message *message = &writer->message;

	sprof_message_add_number(message, 1, index + 1);
	sprof_message_add_number(message, 2, mapping->start);
	sprof_message_add_number(message, 3, mapping->start + mapping->size);
	sprof_message_add_number(message, 4, mapping->offset);
	sprof_message_add_number(message, 5, path_number);
	sprof_message_add_number(message, 6, id_number);
	for (uint32_t has = MAPPING_HAS_FUNCTIONS; has <= MAPPING_LAST; has++)
		sprof_message_add_number(message, has, 1);
	sprof_pprof_put(writer, SPROF_PPROF_MAPPING, message);
}

/* Returns false if the line is in the function's own file. */
static bool find_included(const struct sprof_pprof_writer *writer,
	const struct sprof_profile_line *line, uint64_t *high)
{
	*high = (uint64_t)line->function << 32 | line->mark;
	return sprof_profile_included_file(writer->profile, line);
}

static bool collect_included(struct sprof_pprof_writer *writer)
{
	const struct sprof_interned table = SPROF_INTERNED(&writer->included_ids, writer->included,
		writer->included_count, writer->included_capacity);
	uint32_t id;
	uint64_t high;

	for (size_t i = 0; i < writer->profile->line_count; i++) {
		const struct sprof_profile_line *line = &writer->profile->lines[i];
		const struct sprof_pprof_included included = {
			line->function, line->mark, line->file};

		if (find_included(writer, line, &high) &&
			!sprof_intern(
				&table, sprof_key(high, (uintptr_t)line->file), &included, &id))
			return false;
	}
	return true;
}

static uint64_t id_of_line(
	const struct sprof_pprof_writer *writer, const struct sprof_profile_line *line)
{
	uint64_t high;

	if (!find_included(writer, line, &high))
		return sprof_pprof_function_id(writer->profile, line->function, line->mark);
	return sprof_pprof_included_id(writer->profile,
		sprof_idmap_find(&writer->included_ids, high, (uintptr_t)line->file));
}

static uint32_t name_of(
	struct sprof_pprof_writer *writer, const char *function, enum sprof_mark mark)
{
	SPROF_AUTO_FREE char *name = NULL;

	if (!mark)
		return sprof_pprof_string(writer, function);
	name = sprof_string_print("%s%s", function, sprof_mark_text(mark));
	return sprof_pprof_new_string(writer, name);
}

static void write_function(
	struct sprof_pprof_writer *writer, uint64_t id, const struct sprof_pprof_included *written)
{
	const struct sprof_profile_function *function =
		&writer->profile->functions[written->function];
	uint32_t name = name_of(writer, function->name, written->mark);
	uint32_t linkage =
		sprof_pprof_string(writer, function->unresolved ? NULL : function->linkage);
	uint32_t file = sprof_pprof_string(writer, written->file);
	struct sprof_message *message = &writer->message;

	sprof_message_add_number(message, 1, id);
	sprof_message_add_number(message, 2, name);
	sprof_message_add_number(message, 3, linkage);
	sprof_message_add_number(message, 4, file);
	sprof_message_add_number(message, 5, function->line);
	sprof_pprof_put(writer, SPROF_PPROF_FUNCTION, message);
}

static void write_own(struct sprof_pprof_writer *writer, uint32_t function, enum sprof_mark mark)
{
	const struct sprof_pprof_included own = {
		function, mark, writer->profile->functions[function].file};

	write_function(writer, sprof_pprof_function_id(writer->profile, function, mark), &own);
}

static void write_included(struct sprof_pprof_writer *writer)
{
	for (size_t i = 0; i < writer->included_count; i++)
		write_function(
			writer, sprof_pprof_included_id(writer->profile, i), &writer->included[i]);
}

/* Each function that is marked in a line, once. */
static void write_marked(struct sprof_pprof_writer *writer)
{
	const struct sprof_profile *profile = writer->profile;
	struct sprof_idmap written = {0};

	for (size_t i = 0; i < profile->line_count; i++) {
		const struct sprof_profile_line *line = &profile->lines[i];
		uint64_t id = sprof_pprof_function_id(profile, line->function, line->mark);

		if (id <= profile->function_count ||
			sprof_idmap_find(&written, 0, id) != SPROF_IDMAP_NONE)
			continue;
		write_own(writer, line->function, line->mark);
		writer->failed |= !sprof_idmap_put(&written, 0, id, 0);
	}
	sprof_idmap_finish(&written);
}

static void write_location(struct sprof_pprof_writer *writer, size_t index)
{
	const struct sprof_profile *profile = writer->profile;
	const struct sprof_profile_location *location = &profile->locations[index];
	struct sprof_message *message = &writer->message, *inner = &writer->inner;
	uint64_t address;

	sprof_message_add_number(message, 1, index + 1);
	if (location->frame.module != SPROF_PROFILE_NONE) {
		size_t mapping = sprof_layout_find(&writer->layout, location, &address);

		sprof_message_add_number(message, 2, mapping + 1);
		sprof_message_add_number(message, 3, address);
	}
	for (uint32_t i = 0; i < location->line_count; i++) {
		const struct sprof_profile_line *line = &profile->lines[location->first_line + i];

		inner->size = 0;
		sprof_message_add_number(inner, 1, id_of_line(writer, line));
		sprof_message_add_number(inner, 2, line->line);
		sprof_message_add_bytes(message, 4, inner->data, inner->size);
		writer->failed |= inner->failed;
	}
	sprof_pprof_put(writer, SPROF_PPROF_LOCATION, message);
}

static void write_all(struct sprof_pprof_writer *writer)
{
	const struct sprof_profile *profile = writer->profile;

	write_head(writer);
	sprof_pprof_write_comments(writer);
	for (size_t i = 0; i < writer->layout.count; i++)
		write_mapping(writer, i);
	for (size_t i = 0; i < profile->function_count; i++)
		write_own(writer, (uint32_t)i, SPROF_MARK_CALLED);
	write_marked(writer);
	write_included(writer);
	for (size_t i = 0; i < profile->location_count; i++)
		write_location(writer, i);
	sprof_pprof_write_samples(writer);
}

static bool write_pprof(const struct sprof_profile *profile,
	const struct sprof_output_options *options, struct sprof_out *out, struct sprof_error *err)
{
	struct sprof_pprof_writer writer = {
		.profile = profile, .base_threads = options->base_threads};
	bool ok = sprof_layout_build(profile, &writer.layout) && collect_included(&writer);

	writer.gzip = ok ? sprof_gzip_create(out) : NULL;
	if (writer.gzip)
		write_all(&writer);
	ok = writer.gzip && !writer.failed;
	sprof_gzip_finish(writer.gzip);
	sprof_layout_finish(&writer.layout);
	sprof_idmap_finish(&writer.strings);
	sprof_message_finish(&writer.message);
	sprof_message_finish(&writer.inner);
	sprof_message_finish(&writer.packed);
	sprof_message_finish(&writer.frame);
	sprof_message_finish(&writer.labels);
	for (size_t i = 0; i < writer.set_count; i++)
		sprof_message_finish(&writer.encoded[i]);
	free(writer.encoded);
	sprof_idmap_finish(&writer.sets);
	sprof_idmap_finish(&writer.included_ids);
	free(writer.included);
	return ok || sprof_error_no_memory(err);
}

const struct sprof_format sprof_format_pprof = {
	.name = "pprof",
	.suffix = ".pb.gz",
	.summary = "the saved profile, for sprof report, diff and merge, and for go tool pprof",
	.compares = true,
	.write = write_pprof,
};
