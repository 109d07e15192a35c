/* Private to profile/: state while reading a pprof file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "base/interned.h"
#include "profile/model/build.h"
#include "profile/pprof/pprof.h"
#include "profile/pprof/wire.h"

enum {
	/* limit for strings, functions, locations, ... each */
	SPROF_PPROF_MAX_ITEMS = 16 * 1024 * 1024,
	SPROF_PPROF_MAX_LINES = 1000,               /* per location */
	SPROF_PPROF_MAX_FRAMES = 256 * 1024 * 1024, /* over all stacks */
};

/* Field numbers of the message Profile. */
enum sprof_pprof_field {
	SPROF_PPROF_SAMPLE_TYPE = 1,
	SPROF_PPROF_SAMPLE = 2,
	SPROF_PPROF_MAPPING = 3,
	SPROF_PPROF_LOCATION = 4,
	SPROF_PPROF_FUNCTION = 5,
	SPROF_PPROF_STRING = 6,
	SPROF_PPROF_DROP_FRAMES = 7,
	SPROF_PPROF_KEEP_FRAMES = 8,
	SPROF_PPROF_TIME_NANOS = 9,
	SPROF_PPROF_DURATION_NANOS = 10,
	SPROF_PPROF_PERIOD_TYPE = 11,
	SPROF_PPROF_PERIOD = 12,
	SPROF_PPROF_COMMENT_FIELD = 13,
	SPROF_PPROF_DEFAULT_TYPE = 14,
	SPROF_PPROF_URL = 15,
};

/* What a sample's value means. */
enum sprof_pprof_column {
	SPROF_PPROF_COLUMN_NONE, /* ignored: derived from others; or a further kind */
	SPROF_PPROF_COLUMN_SAMPLES,
	SPROF_PPROF_COLUMN_TIME, /* + enum sprof_time_class */
};

struct sprof_pprof_string {
	const uint8_t *text;
	size_t length;
	const char *interned; /* NULL until first used */
};

struct sprof_pprof_mapping {
	uint64_t start, offset;
	uint32_t module;
};

/* Maps the ids of a table to our indices. */
struct sprof_pprof_ids {
	uint32_t *dense; /* for ids up to the number of entries: nearly all */
	size_t dense_count;
	struct sprof_idmap sparse;
};

struct sprof_pprof_file {
	const char *name;
	struct sprof_wire all;
	struct sprof_profile *profile;
	struct sprof_pprof_string *strings;
	size_t string_count, string_capacity;
	struct sprof_kind kinds[SPROF_KINDS_MAX];
	size_t kind_count;
	enum sprof_pprof_column columns[SPROF_KINDS_MAX];
	/* by further kind: its column in the file */
	uint32_t further[SPROF_KINDS_MAX];
	uint64_t default_type; /* a string index; 0: none */
	struct sprof_pprof_mapping *mappings;
	size_t mapping_count, mapping_capacity;
	struct sprof_pprof_ids mapping_ids, function_ids, location_ids;
	size_t function_count, location_count;    /* number in the file */
	struct sprof_profile_function *functions; /* their modules are not known yet */
	size_t functions_read;
	/*
	 * by function: the function that it has lines for, in another file; SPROF_IDMAP_NONE: an
	 * ordinary function
	 */
	uint32_t *included_by;
	struct sprof_profile_line *lines; /* of the current location */
	size_t line_capacity;
};

/* Sets the error "NAME: ..." and returns false. */
bool sprof_pprof_fail(const struct sprof_pprof_file *file, struct sprof_error *err,
	const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The interned string; "" for 0. Returns false if out of range, or out of memory. */
SPROF_MUST_USE bool sprof_pprof_text(
	struct sprof_pprof_file *file, uint64_t index, const char **ret, struct sprof_error *err);

bool sprof_pprof_ids_init(struct sprof_pprof_ids *ids, size_t count);
/* Returns false if out of memory. The id must be new. */
bool sprof_pprof_ids_put(struct sprof_pprof_ids *ids, uint64_t id, uint32_t index);
/* SPROF_IDMAP_NONE if there is no such id. */
uint32_t sprof_pprof_ids_find(const struct sprof_pprof_ids *ids, uint64_t id);

void sprof_pprof_ids_finish(struct sprof_pprof_ids *ids);

/*
 * Handles a comment NAME.n=TEXT about a mapping's module; ignores others. Returns false if out of
 * memory.
 */
SPROF_MUST_USE bool sprof_pprof_read_place(
	struct sprof_pprof_file *file, const char *comment, const char *text);

/* The passes over the file, in this order. */
SPROF_MUST_USE bool sprof_pprof_read_head(struct sprof_pprof_file *file,
	const struct sprof_pprof_options *options, struct sprof_error *err);
SPROF_MUST_USE bool sprof_pprof_read_names(struct sprof_pprof_file *file, struct sprof_error *err);
SPROF_MUST_USE bool sprof_pprof_read_comments(
	struct sprof_pprof_file *file, struct sprof_error *err);
SPROF_MUST_USE bool sprof_pprof_read_locations(
	struct sprof_pprof_file *file, struct sprof_error *err);
SPROF_MUST_USE bool sprof_pprof_read_samples(
	struct sprof_pprof_file *file, struct sprof_error *err);
