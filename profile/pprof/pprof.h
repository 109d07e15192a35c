/*
 * Reads a saved profile: a pprof file (profile.proto, with or without gzip) of sprof or another
 * tool. https://github.com/google/pprof/blob/main/proto/profile.proto
 * Stacks in text are read as well (folded.h, perf-script.h).
 *
 * Input is untrusted: any content yields either a profile or an error.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/model/profile.h"

/* Prefix of sprof's comments, followed by NAME=VALUE. See sprof-pprof(5). */
#define SPROF_PPROF_COMMENT "sprof: "

/* Comment: the resolution of the samples' time labels in ns. */
#define SPROF_PPROF_SLICE "time_slice_ns"

/*
 * Comments about a mapping, followed by "." and its number: a segment as OFFSET SIZE ADDRESS
 * (link-time address); .gnu_debuglink as CRC NAME; the address where the file's first byte was
 * mapped.
 */
/* by function: the function that it has lines for, in another file */
#define SPROF_PPROF_INCLUDED "included"
#define SPROF_PPROF_SEGMENT "segment"
#define SPROF_PPROF_DEBUGLINK "debuglink"
#define SPROF_PPROF_MAPPED "mapped"
#define SPROF_PPROF_BUILD_OF "build_of" /* the mapping that is another build of this module */

/* Sample labels besides those of profile/model/attributes.c and profile/model/thread-facts.h. */
#define SPROF_PPROF_TIME "time" /* number: begin of the time slice, in ns since the start */
#define SPROF_PPROF_FORMER_NAMES "former_names"

struct sprof_pprof_options {
	/* for other tools' files: the kind of values to show; NULL: the file's default */
	const char *kind;
	bool head_only; /* what the file says of the whole, such as its start: no stacks, no rows */
};

/* Reads a descriptor; `name` is for messages. The caller destroys *ret. */
SPROF_MUST_USE bool sprof_pprof_read(int fd, const char *name,
	const struct sprof_pprof_options *options, struct sprof_profile **ret,
	struct sprof_error *err);

SPROF_MUST_USE bool sprof_pprof_read_bytes(const uint8_t *bytes, size_t size, const char *name,
	const struct sprof_pprof_options *options, struct sprof_profile **ret,
	struct sprof_error *err);
