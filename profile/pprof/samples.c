/*
 * The last pass over a pprof file: samples. Most samples repeat a stack and a set of labels, so
 * both are first looked up by a hash of the file's bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "profile/model/attributes.h"
#include "profile/model/index.h"
#include "profile/model/labels.h"
#include "profile/model/slices.h"
#include "profile/model/thread-facts.h"
#include "profile/pprof/file.h"

struct label {
	uint64_t key, text, number, unit;
};

/* The owner of a sample: the result of a set of labels. */
struct owner {
	uint32_t thread, context;
	uint64_t time_ns;
	bool has_time;
};

struct samples {
	struct sprof_pprof_file *file;
	uint64_t *locations; /* of the sample being read, innermost first */
	size_t location_count, location_capacity;
	uint64_t values[SPROF_KINDS_MAX];
	size_t value_count;
	struct label *labels;
	size_t label_count, label_capacity;
	struct sprof_idmap owner_ids; /* two hashes of the labels */
	struct owner *owners;
	size_t owner_count, owner_capacity;
	uint32_t *depths; /* frames of a stack, by stack */
	size_t depth_capacity;
	struct sprof_labels others; /* of the set being read: those without a meaning for sprof */
	uint64_t frames;            /* of all samples */
	bool broken;                /* packed numbers that make no sense */
};

static bool read_label(struct samples *samples, struct sprof_wire message, struct sprof_error *err)
{
	struct label label = {0};
	struct sprof_wire_field field;

	while (sprof_wire_next(&message, &field)) {
		if (field.number == 1)
			label.key = field.value;
		else if (field.number == 2)
			label.text = field.value;
		else if (field.number == 3)
			label.number = field.value;
		else if (field.number == 4)
			label.unit = field.value;
	}
	if (message.broken)
		return sprof_pprof_fail(samples->file, err, "damaged: a label");
	return SPROF_ARRAY_APPEND(
		       samples->labels, samples->label_count, samples->label_capacity, label) ||
		sprof_error_no_memory(err);
}

static bool add_location(struct samples *samples, uint64_t id)
{
	return SPROF_ARRAY_APPEND(
		samples->locations, samples->location_count, samples->location_capacity, id);
}

static bool add_value(struct samples *samples, uint64_t value)
{
	if (samples->value_count < SPROF_KINDS_MAX)
		samples->values[samples->value_count] = value;
	samples->value_count++;
	return true;
}

/* A repeated number: packed, or one by one. */
static bool for_numbers(struct samples *samples, const struct sprof_wire_field *field,
	bool (*take)(struct samples *, uint64_t))
{
	struct sprof_wire packed = field->bytes;
	uint64_t number;

	if (!field->is_bytes)
		return take(samples, field->value);
	while (sprof_wire_number(&packed, &number)) {
		if (!take(samples, number))
			return false;
	}
	samples->broken |= packed.broken;
	return true;
}

static bool read_fields(struct samples *samples, struct sprof_wire message, struct sprof_error *err)
{
	struct sprof_wire_field field;
	bool ok = true;

	samples->location_count = samples->value_count = samples->label_count = 0;
	while (ok && sprof_wire_next(&message, &field)) {
		if (field.number == 1)
			ok = for_numbers(samples, &field, add_location) ||
				sprof_error_no_memory(err);
		else if (field.number == 2)
			ok = for_numbers(samples, &field, add_value);
		else if (field.number == 3 && field.is_bytes)
			ok = read_label(samples, field.bytes, err);
	}
	if (ok && (message.broken || samples->broken))
		return sprof_pprof_fail(samples->file, err, "damaged: a sample");
	if (ok && samples->value_count != samples->file->kind_count)
		return sprof_pprof_fail(samples->file, err,
			"a sample has %zu values instead of %zu", samples->value_count,
			samples->file->kind_count);
	return ok;
}

static bool push_locations(struct samples *samples, uint32_t *ret_stack, struct sprof_error *err)
{
	struct sprof_pprof_file *file = samples->file;
	uint32_t stack = SPROF_PROFILE_ROOT;

	for (size_t i = samples->location_count; i-- > 0;) {
		uint32_t parent = stack;
		uint32_t location =
			sprof_pprof_ids_find(&file->location_ids, samples->locations[i]);

		if (location == SPROF_IDMAP_NONE)
			return sprof_pprof_fail(file, err, "a sample has no location %llu",
				(unsigned long long)samples->locations[i]);
		if (file->profile->stack_count > SPROF_PPROF_MAX_ITEMS)
			return sprof_pprof_fail(file, err, "more stacks than sprof reads");
		if (!sprof_profile_push(file->profile, parent, location, &stack) ||
			!sprof_array_reserve(&samples->depths, &samples->depth_capacity, stack + 1,
				sizeof(*samples->depths)))
			return sprof_error_no_memory(err);
		samples->depths[stack] =
			samples->depths[parent] + file->profile->locations[location].line_count;
	}
	*ret_stack = stack;
	return true;
}

static bool find_stack(struct samples *samples, uint32_t *ret_stack, struct sprof_error *err)
{
	struct sprof_profile_index *index = samples->file->profile->index;
	struct sprof_hash hash = sprof_hash_start(samples->location_count);
	uint32_t stack;

	for (size_t i = 0; i < samples->location_count; i++)
		sprof_hash_add(&hash, samples->locations[i]);
	stack = sprof_idmap_find(&index->whole, hash.high, hash.low);
	if (stack == SPROF_IDMAP_NONE) {
		if (!push_locations(samples, &stack, err))
			return false;
		if (!sprof_idmap_put(&index->whole, hash.high, hash.low, stack))
			return sprof_error_no_memory(err);
	}
	*ret_stack = stack;
	return true;
}

/* What a sample's labels say. */
struct said {
	struct sprof_build_thread thread;
	struct sprof_profile_context context;
	struct sprof_thread_facts facts;
	bool has_facts, has_time;
	uint64_t time_ns;
};

/* One label, looked up. */
struct words {
	const char *key, *text, *unit;
	uint64_t number;
};

/* Takes a valid process or thread id: 0 < id. */
static bool take_id(struct said *said, const struct words *words, pid_t *field)
{
	char *end;
	unsigned long long id = words->text[0] ? strtoull(words->text, &end, 10) : words->number;
	bool is_plain = words->text[0] ? words->text[0] > '0' && words->text[0] <= '9' && !*end
				       : !words->unit[0];

	if (!is_plain || !id || id > INT32_MAX || *field)
		return false;
	*field = (pid_t)id;
	said->thread.numeric_ids = !words->text[0];
	return true;
}

static bool take_fact(struct said *said, const struct words *words)
{
	const char *name;

	for (size_t i = 0; (name = sprof_fact_name(i)); i++) {
		if (strcmp(words->key, name) == 0) {
			sprof_fact_set(&said->facts, i, words->number);
			said->has_facts = true;
			return true;
		}
	}
	return false;
}

static bool take_attribute(
	struct said *said, const struct words *words, const struct sprof_attribute *attribute)
{
	void *owner = attribute->of == SPROF_ATTRIBUTE_OF_CONTEXT ? (void *)&said->context
								  : (void *)&said->thread;

	if (attribute->form == SPROF_ATTRIBUTE_ID)
		return take_id(said, words, sprof_attribute_id(attribute, owner));
	return sprof_attribute_set(attribute, owner, words->text);
}

/* Takes facts of a thread beyond its samples. */
static bool take_presence(struct said *said, const struct words *words)
{
	if (!words->text[0])
		return take_fact(said, words);
	if (said->thread.former_names || strcmp(words->key, SPROF_PPROF_FORMER_NAMES) != 0)
		return false;
	said->thread.former_names = words->text;
	return true;
}

/* Returns false if the label has no meaning for sprof. */
static bool take_label(
	const struct sprof_pprof_file *file, struct said *said, const struct words *words)
{
	const struct sprof_attribute *attribute = sprof_attribute_find(words->key);
	bool is_own = sprof_profile_counts_time(file->profile);

	if (attribute)
		return (is_own || attribute->is_common) && take_attribute(said, words, attribute);
	if (!words->text[0] && file->profile->slice_ns &&
		strcmp(words->key, SPROF_PPROF_TIME) == 0) {
		said->has_time = true;
		said->time_ns = words->number;
		return true;
	}
	return is_own && take_presence(said, words);
}

/* Like Go's reader: drops a label without a value. */
static bool keep_label(struct sprof_labels *others, const struct words *words)
{
	if (words->text[0])
		return sprof_labels_add_text(others, words->key, words->text);
	return (!words->number && !words->unit[0]) ||
		sprof_labels_add_number(others, words->key, (int64_t)words->number, words->unit);
}

static bool read_words(struct sprof_pprof_file *file, const struct label *label, struct words *ret,
	struct sprof_error *err)
{
	ret->number = label->number;
	return sprof_pprof_text(file, label->key, &ret->key, err) &&
		sprof_pprof_text(file, label->text, &ret->text, err) &&
		sprof_pprof_text(file, label->unit, &ret->unit, err);
}

static bool make_owner(struct samples *samples, struct owner *ret, struct sprof_error *err)
{
	struct sprof_pprof_file *file = samples->file;
	struct said said = {.context = {.state = SPROF_STATE_COUNT}, .facts = sprof_facts_none()};
	struct words words;

	samples->others.size = 0;
	for (size_t i = 0; i < samples->label_count; i++) {
		if (!read_words(file, &samples->labels[i], &words, err))
			return false;
		if (!take_label(file, &said, &words) && !keep_label(&samples->others, &words))
			return sprof_error_no_memory(err);
	}
	if (said.has_facts)
		said.thread.facts = &said.facts;
	if (samples->others.size)
		said.context.labels = samples->others.text;
	ret->has_time = said.has_time;
	ret->time_ns = said.time_ns;
	return (sprof_build_thread(file->profile, &said.thread, &ret->thread) &&
		       sprof_build_context(file->profile, &said.context, &ret->context)) ||
		sprof_error_no_memory(err);
}

static bool find_owner(struct samples *samples, struct owner *ret, struct sprof_error *err)
{
	const struct sprof_interned owners = SPROF_INTERNED(&samples->owner_ids, samples->owners,
		samples->owner_count, samples->owner_capacity);
	struct sprof_hash hash = sprof_hash_start(samples->label_count);
	uint32_t id;

	for (size_t i = 0; i < samples->label_count; i++) {
		const struct label *label = &samples->labels[i];

		sprof_hash_add_pair(&hash, label->key, label->text);
		sprof_hash_add_pair(&hash, label->number, label->unit);
	}
	id = sprof_idmap_find(&samples->owner_ids, hash.high, hash.low);
	if (id != SPROF_IDMAP_NONE) {
		*ret = samples->owners[id];
		return true;
	}
	return make_owner(samples, ret, err) &&
		(sprof_intern(&owners, hash, ret, &id) || sprof_error_no_memory(err));
}

static struct sprof_metrics metrics_of(const struct samples *samples)
{
	const struct sprof_pprof_file *file = samples->file;
	const enum sprof_weight shown = file->profile->kinds.shown;
	struct sprof_metrics metrics = {0};

	for (size_t i = 0; i < file->kind_count; i++) {
		if (file->columns[i] == SPROF_PPROF_COLUMN_SAMPLES)
			metrics.samples = samples->values[i];
		else if (file->columns[i] >= SPROF_PPROF_COLUMN_TIME)
			metrics.times.ns[file->columns[i] - SPROF_PPROF_COLUMN_TIME] =
				samples->values[i];
	}
	if (sprof_weight_is_further(shown))
		metrics.further = samples->values[file->further[shown - SPROF_WEIGHT_FURTHER]];
	return metrics;
}

/* The values of the profile's further kinds. NULL: there are none. */
static const uint64_t *further_of(const struct samples *samples, uint64_t values[SPROF_KINDS_MAX])
{
	const struct sprof_pprof_file *file = samples->file;
	const size_t count = file->profile->kinds.further_count;

	for (size_t i = 0; i < count; i++)
		values[i] = samples->values[file->further[i]];
	return count ? values : NULL;
}

static bool check_values(const struct samples *samples, struct sprof_error *err)
{
	for (size_t i = 0; i < samples->value_count; i++) {
		if (samples->values[i] <= INT64_MAX)
			continue;
		sprof_pprof_fail(samples->file, err, "holds negative values: a difference");
		return sprof_error_hint(err,
			"go tool pprof shows it; sprof diff compares the profiles "
			"that it was made of");
	}
	return true;
}

/* A sample without a stack becomes a frame in brackets. */
static bool push_nothing(struct sprof_profile *profile, uint32_t *ret_stack)
{
	uint32_t location;

	return sprof_profile_name_location(profile, "[no stack]", &location) &&
		sprof_profile_push(profile, SPROF_PROFILE_ROOT, location, ret_stack);
}

static bool read_sample(struct samples *samples, struct sprof_wire message, struct sprof_error *err)
{
	struct sprof_profile *profile = samples->file->profile;
	struct sprof_profile_row row = {0};
	uint64_t further[SPROF_KINDS_MAX];
	struct owner owner;

	if (!read_fields(samples, message, err) || !check_values(samples, err) ||
		!find_stack(samples, &row.stack, err) || !find_owner(samples, &owner, err))
		return false;
	row.thread = owner.thread;
	row.context = owner.context;
	row.metrics = metrics_of(samples);
	if (row.stack == SPROF_PROFILE_ROOT) {
		/* A thread without samples has one empty sample, so that it is known. */
		if (!row.metrics.samples && !row.metrics.further &&
			!sprof_times_wall(&row.metrics.times))
			return true;
		if (!push_nothing(profile, &row.stack))
			return sprof_error_no_memory(err);
	}
	samples->frames += row.stack < samples->depth_capacity ? samples->depths[row.stack] : 1;
	if (samples->frames > SPROF_PPROF_MAX_FRAMES)
		return sprof_pprof_fail(samples->file, err, "more frames than sprof reads");
	return (sprof_build_row(profile, &row, further_of(samples, further)) &&
		       (!owner.has_time || sprof_slices_add(profile, &row, owner.time_ns))) ||
		sprof_error_no_memory(err);
}

static void finish(struct samples *samples)
{
	free(samples->locations);
	free(samples->labels);
	free(samples->owners);
	free(samples->depths);
	sprof_labels_finish(&samples->others);
	sprof_idmap_finish(&samples->owner_ids);
}

bool sprof_pprof_read_samples(struct sprof_pprof_file *file, struct sprof_error *err)
{
	struct samples samples = {.file = file};
	struct sprof_wire all = file->all;
	struct sprof_wire_field field;
	bool ok = sprof_array_reserve(
			  &samples.depths, &samples.depth_capacity, 1, sizeof(*samples.depths)) ||
		sprof_error_no_memory(err);

	while (ok && sprof_wire_next(&all, &field)) {
		if (field.number == SPROF_PPROF_SAMPLE && field.is_bytes)
			ok = read_sample(&samples, field.bytes, err);
	}
	finish(&samples);
	sprof_slices_settle(file->profile);
	return ok;
}
