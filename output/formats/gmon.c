/*
 * gmon.out, for gprof: a histogram of link-time addresses in one object, and its call graph.
 * glibc: gmon/sys/gmon_out.h
 *
 * The file covers one object: the program. Time in other objects is left out; inlined functions
 * count for the function that they are inlined into. Each sampled address gets a separate two-byte
 * histogram, so the file's size depends on the profile, not the program. A bin has 16 bits; larger
 * values take several histograms of the same range, which gprof adds up. The call graph's counts
 * are ticks, not calls: gprof distributes a callee's time to its callers in proportion.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/interned.h"
#include "base/numbers.h"
#include "output/format.h"
#include "profile/model/addresses.h"

enum {
	TAG_HISTOGRAM = 0,
	TAG_ARC = 1,
	BIN = 2, /* bytes of code: with one byte, gprof counts half as much again */
	MAX_TICKS = 65535,
	MAX_RATE = 1000,        /* ticks per second: gprof shows hundredths of a second */
	MAX_HISTOGRAMS = 20000, /* for times: as fine a unit as this number allows */
};

struct point {
	uint64_t from, at; /* `from`: 0 for self time at `at`, else the address of the call */
	uint64_t weight;
};

struct gmon {
	const struct sprof_profile *profile;
	enum sprof_weight weight;
	uint32_t module;
	struct sprof_out *out;
	uint64_t *addresses;      /* by location: link-time; 0: in another object */
	uint64_t *entries;        /* by function: one of its addresses; 0: none */
	struct sprof_idmap index; /* (from, at) -> point */
	struct point *points;
	size_t count, capacity;
	uint32_t *last_row; /* by point: the last row that counted it, plus one */
	size_t last_capacity;
	uint64_t whole;
};

/* The program. SPROF_PROFILE_NONE: the modules have no file. */
static uint32_t find_program(const struct sprof_profile *profile)
{
	uint32_t program;

	if (!profile->modules)
		return SPROF_PROFILE_NONE;
	program = sprof_modules_program(profile->modules);
	return program < sprof_modules_count(profile->modules) ? program : SPROF_PROFILE_NONE;
}

/* The function that a location's code belongs to. */
static uint32_t function_at(
	const struct gmon *writer, const struct sprof_profile_location *location)
{
	return sprof_profile_owner(writer->profile, location);
}

static bool prepare(struct gmon *writer)
{
	const struct sprof_profile *profile = writer->profile;

	writer->addresses = calloc(profile->location_count + 1, sizeof(*writer->addresses));
	writer->entries = calloc(profile->function_count + 1, sizeof(*writer->entries));
	if (!writer->addresses || !writer->entries)
		return false;
	for (size_t i = 0; i < profile->location_count; i++) {
		const struct sprof_profile_location *location = &profile->locations[i];
		uint64_t *entry = &writer->entries[function_at(writer, location)];

		if (location->frame.module != writer->module ||
			!sprof_profile_link_address(profile, location, &writer->addresses[i]))
			continue;
		if (!*entry)
			*entry = writer->addresses[i];
	}
	return true;
}

static bool add_point(struct gmon *writer, size_t row, uint64_t from, uint64_t at, uint64_t weight)
{
	const struct sprof_interned points =
		SPROF_INTERNED(&writer->index, writer->points, writer->count, writer->capacity);
	const struct point point = {.from = from, .at = at};
	uint32_t id;

	if (!sprof_array_reserve(&writer->last_row, &writer->last_capacity, writer->count + 1,
		    sizeof(*writer->last_row)) ||
		!sprof_intern(&points, sprof_key(from, at), &point, &id))
		return false;
	if (writer->last_row[id] == row + 1)
		return true;
	writer->last_row[id] = (uint32_t)row + 1;
	writer->points[id].weight = sprof_plus(writer->points[id].weight, weight);
	return true;
}

/* Adds each call of a stack once: from function to function, by one address of each. */
static bool add_row(struct gmon *writer, size_t row)
{
	const struct sprof_profile *profile = writer->profile;
	uint64_t weight = sprof_metrics_get(&profile->rows[row].metrics, writer->weight);
	uint32_t stack = profile->rows[row].stack;
	uint32_t leaf = profile->stacks[stack].location;
	uint64_t callee = 0;

	if (!weight || !writer->addresses[leaf])
		return true;
	writer->whole = sprof_plus(writer->whole, weight);
	if (!add_point(writer, row, 0, writer->addresses[leaf] & ~(uint64_t)(BIN - 1), weight))
		return false;
	for (; stack != SPROF_PROFILE_ROOT; stack = profile->stacks[stack].parent) {
		uint32_t id = profile->stacks[stack].location;
		uint64_t entry = writer->addresses[id]
			? writer->entries[function_at(writer, &profile->locations[id])]
			: 0;

		if (entry && callee && !add_point(writer, row, entry, callee, weight))
			return false;
		callee = entry;
	}
	return true;
}

/* The ticks per second in the file, and the weight of a tick. */
struct scale {
	uint32_t rate;
	uint64_t unit;
};

/*
 * Counts stay counts. Times are whole seconds or finer, as long as the file stays small. gprof adds
 * ticks up in an int; larger sums are scaled down, and then only the shares are right.
 */
static struct scale choose_scale(const struct gmon *writer)
{
	bool is_time = sprof_weight_is_time(writer->weight);
	struct scale scale = {.rate = 1, .unit = is_time ? SPROF_NS_PER_S : 1};

	while (writer->whole / scale.unit > INT32_MAX)
		scale.unit *= 10;
	while (is_time && scale.rate < MAX_RATE &&
		writer->whole / (scale.unit / 10) < (uint64_t)MAX_TICKS * MAX_HISTOGRAMS) {
		scale.rate *= 10;
		scale.unit /= 10;
	}
	return scale;
}

static void put_histogram(struct gmon *writer, uint64_t at, uint32_t rate, uint64_t ticks)
{
	const uint8_t tag = TAG_HISTOGRAM;
	const uint64_t range[2] = {at, at + BIN};
	const uint32_t numbers[2] = {1, rate};
	const char dimension[15] = "seconds", letter = 's';
	uint16_t bin = (uint16_t)(ticks > MAX_TICKS ? MAX_TICKS : ticks);

	sprof_out_write(writer->out, &tag, sizeof(tag));
	sprof_out_write(writer->out, range, sizeof(range));
	sprof_out_write(writer->out, numbers, sizeof(numbers));
	sprof_out_write(writer->out, dimension, sizeof(dimension));
	sprof_out_write(writer->out, &letter, sizeof(letter));
	sprof_out_write(writer->out, &bin, sizeof(bin));
}

static void put_arc(struct gmon *writer, const struct point *arc, uint64_t ticks)
{
	const uint8_t tag = TAG_ARC;
	const uint64_t addresses[2] = {arc->from, arc->at};
	int32_t count = ticks > INT32_MAX ? INT32_MAX : (int32_t)ticks;

	sprof_out_write(writer->out, &tag, sizeof(tag));
	sprof_out_write(writer->out, addresses, sizeof(addresses));
	sprof_out_write(writer->out, &count, sizeof(count));
}

static int compare(const void *left, const void *right)
{
	const struct point *a = left, *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

/* Ticks are differences of a rounded running sum, so their sum is exact. */
static void write_histograms(struct gmon *writer, const struct scale *scale)
{
	uint64_t sum = scale->unit / 2, given = 0;

	for (size_t i = 0; i < writer->count && !writer->points[i].from; i++) {
		uint64_t ticks;

		sum = sprof_plus(sum, writer->points[i].weight);
		ticks = sum / scale->unit - given;
		given = sum / scale->unit;
		do {
			put_histogram(writer, writer->points[i].at, scale->rate, ticks);
			ticks -= ticks > MAX_TICKS ? MAX_TICKS : ticks;
		} while (ticks && !sprof_out_failed(writer->out));
	}
}

static void write_all(struct gmon *writer)
{
	const char magic[4] = {'g', 'm', 'o', 'n'}, spare[12] = {0};
	const uint32_t version = 1;
	struct scale scale = choose_scale(writer);

	if (writer->count)
		qsort(writer->points, writer->count, sizeof(*writer->points), compare);
	sprof_out_write(writer->out, magic, sizeof(magic));
	sprof_out_write(writer->out, &version, sizeof(version));
	sprof_out_write(writer->out, spare, sizeof(spare));
	write_histograms(writer, &scale);
	for (size_t i = 0; i < writer->count; i++) {
		uint64_t ticks = (writer->points[i].weight + scale.unit / 2) / scale.unit;

		if (writer->points[i].from && ticks)
			put_arc(writer, &writer->points[i], ticks);
	}
}

static void finish(struct gmon *writer)
{
	sprof_idmap_finish(&writer->index);
	free(writer->points);
	free(writer->last_row);
	free(writer->addresses);
	free(writer->entries);
}

static bool write_gmon(const struct sprof_profile *profile,
	const struct sprof_output_options *options, struct sprof_out *out, struct sprof_error *err)
{
	struct gmon writer = {
		.profile = profile,
		.weight = options->weight,
		.out = out,
		.module = find_program(profile),
	};
	bool ok = prepare(&writer);

	for (size_t i = 0; ok && i < profile->row_count; i++)
		ok = add_row(&writer, i);
	if (!ok) {
		sprof_error_no_memory(err);
	} else if (!writer.count) {
		ok = false;
		sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
			"gmon: nothing was spent in the program itself, or its file can't be read");
		sprof_error_hint(err,
			"gprof needs the program's own file: it has to be where it "
			"was when the profile was made");
	} else {
		write_all(&writer);
	}
	finish(&writer);
	return ok;
}

const struct sprof_format sprof_format_gmon = {
	.name = "gmon",
	.suffix = "gmon.out",
	.other_suffix = ".gmon",
	.summary = "for gprof: the program's own functions",
	.note = "what gprof shows as calls are shares of time: no call is counted",
	.wants_files = true,
	.write = write_gmon,
};
