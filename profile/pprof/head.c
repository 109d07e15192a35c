/*
 * The first pass over a pprof file: strings, kinds of values, times. Decides whether the file is
 * sprof's (its values are samples and the classes of time) or another tool's, which is shown one
 * kind at a time.
 */
#include <string.h>

#include "base/array.h"
#include "profile/pprof/file.h"

/* Counts the tables and keeps the strings: all other parts may refer to them. */
static bool take_strings(struct sprof_pprof_file *file, struct sprof_error *err)
{
	struct sprof_wire all = file->all;
	struct sprof_wire_field field;
	size_t mappings = 0;

	while (sprof_wire_next(&all, &field)) {
		file->function_count += field.number == SPROF_PPROF_FUNCTION;
		file->location_count += field.number == SPROF_PPROF_LOCATION;
		mappings += field.number == SPROF_PPROF_MAPPING;
		if (field.number != SPROF_PPROF_STRING || !field.is_bytes)
			continue;
		if (!SPROF_ARRAY_APPEND(file->strings, file->string_count, file->string_capacity,
			    (struct sprof_pprof_string){.text = field.bytes.at,
				    .length = (size_t)(field.bytes.end - field.bytes.at)}))
			return sprof_error_no_memory(err);
		if (file->string_count > SPROF_PPROF_MAX_ITEMS)
			break;
	}
	if (all.broken)
		return sprof_pprof_fail(file, err, "not a pprof file, or a damaged one");
	if (file->string_count > SPROF_PPROF_MAX_ITEMS ||
		file->function_count > SPROF_PPROF_MAX_ITEMS ||
		file->location_count > SPROF_PPROF_MAX_ITEMS || mappings > SPROF_PPROF_MAX_ITEMS)
		return sprof_pprof_fail(file, err, "more entries than sprof reads");
	if (!file->string_count || file->strings[0].length)
		return sprof_pprof_fail(
			file, err, "not a pprof file: its first string is not empty");
	return (sprof_pprof_ids_init(&file->mapping_ids, mappings) &&
		       sprof_pprof_ids_init(&file->function_ids, file->function_count) &&
		       sprof_pprof_ids_init(&file->location_ids, file->location_count)) ||
		sprof_error_no_memory(err);
}

static bool read_kind(struct sprof_pprof_file *file, struct sprof_wire message,
	struct sprof_kind *ret, struct sprof_error *err)
{
	struct sprof_wire_field field;

	ret->name = ret->unit = "";
	while (sprof_wire_next(&message, &field)) {
		if (field.number > 2 || field.is_bytes)
			continue;
		if (!sprof_pprof_text(
			    file, field.value, field.number == 1 ? &ret->name : &ret->unit, err))
			return false;
	}
	return !message.broken || sprof_pprof_fail(file, err, "damaged: a kind of values");
}

static bool read_field(struct sprof_pprof_file *file, const struct sprof_wire_field *field,
	struct sprof_error *err)
{
	struct sprof_profile *profile = file->profile;

	switch (field->number) {
	case SPROF_PPROF_SAMPLE_TYPE:
		if (!field->is_bytes)
			break;
		if (file->kind_count == SPROF_KINDS_MAX)
			return sprof_pprof_fail(
				file, err, "more than %d kinds of values", SPROF_KINDS_MAX);
		return read_kind(file, field->bytes, &file->kinds[file->kind_count++], err);
	case SPROF_PPROF_DROP_FRAMES:
		return sprof_pprof_text(file, field->value, &profile->head.drop_frames, err);
	case SPROF_PPROF_KEEP_FRAMES:
		return sprof_pprof_text(file, field->value, &profile->head.keep_frames, err);
	case SPROF_PPROF_URL:
		return sprof_pprof_text(file, field->value, &profile->head.url, err);
	case SPROF_PPROF_TIME_NANOS:
		profile->start_realtime_ns = field->value;
		break;
	case SPROF_PPROF_DURATION_NANOS:
		profile->quality.duration_ns = field->value;
		break;
	case SPROF_PPROF_PERIOD_TYPE:
		return !field->is_bytes ||
			read_kind(file, field->bytes, &profile->head.period_kind, err);
	case SPROF_PPROF_PERIOD:
		profile->head.period = field->value;
		break;
	case SPROF_PPROF_DEFAULT_TYPE:
		file->default_type = field->value;
		break;
	default:
		break;
	}
	return true;
}

static size_t find_kind(const struct sprof_pprof_file *file, const char *name)
{
	size_t i = 0;

	while (i < file->kind_count && strcmp(file->kinds[i].name, name) != 0)
		i++;
	return i;
}

static bool has_time(const struct sprof_pprof_file *file, enum sprof_weight weight)
{
	size_t kind = find_kind(file, sprof_weight_name(weight));

	return kind < file->kind_count && strcmp(file->kinds[kind].unit, "nanoseconds") == 0;
}

/* Ours has samples and the columns of time, in ns. */
static bool is_own(const struct sprof_pprof_file *file)
{
	for (int i = 0; i < SPROF_WEIGHT_COLUMNS; i++) {
		if (!has_time(file, sprof_weight_columns[i]))
			return false;
	}
	return find_kind(file, sprof_weight_name(SPROF_WEIGHT_SAMPLES)) < file->kind_count;
}

static void add_further(struct sprof_pprof_file *file, size_t kind)
{
	struct sprof_kinds *kinds = &file->profile->kinds;

	file->further[kinds->further_count] = (uint32_t)kind;
	kinds->further[kinds->further_count++] = file->kinds[kind];
}

/* Blocked time without a class is sleep. */
static void set_own_columns(struct sprof_pprof_file *file)
{
	enum sprof_weight weight;

	file->columns[find_kind(file, sprof_weight_name(SPROF_WEIGHT_SAMPLES))] =
		SPROF_PPROF_COLUMN_SAMPLES;
	if (!has_time(file, SPROF_WEIGHT_SLEEP))
		file->columns[find_kind(file, sprof_weight_name(SPROF_WEIGHT_WAIT))] =
			(enum sprof_pprof_column)(SPROF_PPROF_COLUMN_TIME + SPROF_TIME_SLEEP);
	for (int i = 0; i < SPROF_TIME_COUNT; i++) {
		weight = sprof_weight_of_class((enum sprof_time_class)i);
		if (has_time(file, weight))
			file->columns[find_kind(file, sprof_weight_name(weight))] =
				(enum sprof_pprof_column)(SPROF_PPROF_COLUMN_TIME + i);
	}
	for (size_t i = 0; i < file->kind_count; i++) {
		if (!sprof_weight_find(file->kinds[i].name, &weight))
			add_further(file, i);
	}
	file->profile->head = (struct sprof_profile_head){0};
}

static bool unknown_kind(
	const struct sprof_pprof_file *file, const char *kind, struct sprof_error *err)
{
	char list[256] = "";
	size_t used = 0;

	for (size_t i = 0; i < file->kind_count && used + 64 < sizeof(list); i++) {
		used += strlen(strcpy(list + used, i ? ", " : ""));
		used += strlen(strncpy(list + used, file->kinds[i].name, 60));
	}
	sprof_error_set(err, SPROF_ERROR_USAGE, "%s has no values called %s", file->name, kind);
	return sprof_error_hint(err, "it has: %s", list);
}

/* As `go tool pprof`: the file's default, else the last kind. */
static bool set_other_columns(
	struct sprof_pprof_file *file, const char *wanted, struct sprof_error *err)
{
	size_t samples = find_kind(file, sprof_weight_name(SPROF_WEIGHT_SAMPLES)), shown;
	const char *type;

	if (!sprof_pprof_text(file, file->default_type, &type, err))
		return false;
	shown = find_kind(file, wanted ? wanted : type);
	if (shown == file->kind_count && wanted)
		return unknown_kind(file, wanted, err);
	if (shown == file->kind_count)
		shown = file->kind_count - 1;
	for (size_t i = 0; i < file->kind_count; i++)
		add_further(file, i);
	file->profile->kinds.has_times = false;
	file->profile->kinds.shown = (enum sprof_weight)(SPROF_WEIGHT_FURTHER + shown);
	if (samples < file->kind_count)
		file->columns[samples] = SPROF_PPROF_COLUMN_SAMPLES;
	return true;
}

/* Shows a further kind if requested, or if it is the file's default. */
static bool choose_own(struct sprof_pprof_file *file, const char *wanted, struct sprof_error *err)
{
	struct sprof_profile *profile = file->profile;
	enum sprof_weight weight;

	if (!wanted && !sprof_pprof_text(file, file->default_type, &wanted, err))
		return false;
	if (wanted && sprof_profile_find_weight(profile, wanted, &weight) &&
		sprof_weight_is_further(weight))
		profile->kinds.shown = weight;
	return true;
}

bool sprof_pprof_read_head(struct sprof_pprof_file *file, const struct sprof_pprof_options *options,
	struct sprof_error *err)
{
	struct sprof_wire all = file->all;
	struct sprof_wire_field field;

	if (!take_strings(file, err))
		return false;
	while (sprof_wire_next(&all, &field)) {
		if (!read_field(file, &field, err))
			return false;
	}
	if (!file->kind_count)
		return sprof_pprof_fail(file, err, "not a pprof file: it counts nothing");
	if (!is_own(file))
		return set_other_columns(file, options->kind, err);
	set_own_columns(file);
	return choose_own(file, options->kind, err);
}
