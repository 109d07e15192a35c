/*
 * Private to profile/: stacks that are lines of text. All their frames are names. They have one
 * kind of values, which counts something unknown.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/model/build.h"
#include "profile/pprof/pprof.h"

/* Set the first members; the rest zeroed is empty. */
struct sprof_text_lines {
	const char *name;        /* of the file, for messages */
	const char *kind;        /* of text, for messages: "folded stacks" */
	const uint8_t *at, *end; /* what is left */
	struct sprof_profile *profile;

	struct sprof_profile_row row; /* the format sets its thread; the stack grows */
	char *line;
	size_t capacity, number;
};

/* Prepares the empty profile. Returns false if the user wants another kind of values. */
SPROF_MUST_USE bool sprof_text_lines_begin(struct sprof_text_lines *lines,
	const struct sprof_pprof_options *options, struct sprof_error *err);

/*
 * The next line with its length, without its end, to be changed at will. *ret is NULL after the
 * last.
 */
SPROF_MUST_USE bool sprof_text_lines_next(
	struct sprof_text_lines *lines, char **ret, size_t *ret_length, struct sprof_error *err);

/* Sets an error about the line. Returns false. */
SPROF_MUST_USE bool sprof_text_lines_fail(
	const struct sprof_text_lines *lines, const char *what, struct sprof_error *err);

/* Adds a frame to the stack; the outermost one comes first. */
SPROF_MUST_USE bool sprof_text_lines_push(
	struct sprof_text_lines *lines, const char *frame, struct sprof_error *err);

/* Adds the value to the stack, and begins a new one. */
SPROF_MUST_USE bool sprof_text_lines_add(
	struct sprof_text_lines *lines, uint64_t value, struct sprof_error *err);

void sprof_text_lines_finish(struct sprof_text_lines *lines);

size_t sprof_text_lines_length(const uint8_t *bytes, size_t size);
