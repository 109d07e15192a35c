/*
 * Reading a saved profile: a pprof file (profile.proto, with or without gzip), ours or another
 * tool's. https://github.com/google/pprof/blob/main/proto/profile.proto
 *
 * The files are hostile input: whatever they contain, the outcome is a profile or an error.
 */
#ifndef SPROF_PROFILE_PPROF_H
#define SPROF_PROFILE_PPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/profile.h"

/* The first words of our comments, followed by NAME=VALUE. See sprof-pprof(5). */
#define SPROF_PPROF_COMMENT "sprof: "

/* The comment that says that samples have a time label, and its resolution in ns. */
#define SPROF_PPROF_SLICE "time_slice_ns"

/*
 * Comments of a mapping, followed by "." and its number: its part of the module's file as OFFSET
 * SIZE ADDRESS, where the address is the link-time one; .gnu_debuglink as CRC NAME; and where the
 * file's first byte was mapped.
 */
#define SPROF_PPROF_INCLUDED "included" /* by function: whose lines in another file it has */
#define SPROF_PPROF_SEGMENT "segment"
#define SPROF_PPROF_DEBUGLINK "debuglink"
#define SPROF_PPROF_MAPPED "mapped"
#define SPROF_PPROF_BUILD_OF "build_of" /* the mapping of another build of the module */

/* Labels of a sample, besides those of profile/attributes.c and profile/facts.h. */
#define SPROF_PPROF_TIME "time" /* a number: when its slice begins, in ns since the start */
#define SPROF_PPROF_FORMER_NAMES "former_names"

struct sprof_pprof_options {
	/* of another tool's file: the kind of values to show; NULL: its default */
	const char *kind;
};

/* Reads a descriptor; `name` is for errors. The caller destroys *ret. */
SPROF_MUST_USE bool sprof_pprof_read(int fd, const char *name,
	const struct sprof_pprof_options *options, struct sprof_profile **ret,
	struct sprof_error *err);

/* Reads from memory. */
SPROF_MUST_USE bool sprof_pprof_read_bytes(const uint8_t *bytes, size_t size, const char *name,
	const struct sprof_pprof_options *options, struct sprof_profile **ret,
	struct sprof_error *err);

#endif
