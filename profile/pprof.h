/*
 * Reading a saved profile: a pprof file (profile.proto, with or without gzip), ours or another
 * tool's. https://github.com/google/pprof/blob/main/proto/profile.proto
 *
 * The files are hostile input: whatever is in them, the outcome is a profile or an error.
 */
#ifndef SPROF_PROFILE_PPROF_H
#define SPROF_PROFILE_PPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "profile/profile.h"

/* The first words of a comment of ours; what follows is NAME=VALUE. See sprof-pprof(5). */
#define SPROF_PPROF_COMMENT "sprof: "

/* The comment that says that samples have a label of their time, and to how many ns. */
#define SPROF_PPROF_SLICE "time_slice_ns"

/* The labels of a sample. */
#define SPROF_PPROF_PID "pid"
#define SPROF_PPROF_TID "tid"
#define SPROF_PPROF_PROCESS "process"
#define SPROF_PPROF_THREAD "thread"
#define SPROF_PPROF_STATE "state"
#define SPROF_PPROF_SYSCALL "syscall"
#define SPROF_PPROF_OBJECT "wait_object"
#define SPROF_PPROF_HOLDER "lock_holder"
#define SPROF_PPROF_HOLDER_FUNCTION "lock_holder_function"
#define SPROF_PPROF_WAIT_KIND "wait_kind"
#define SPROF_PPROF_HOST "host"
#define SPROF_PPROF_RANK "rank"
#define SPROF_PPROF_TIME "time" /* a number: when its slice begins, in ns since the start */
#define SPROF_PPROF_FORMER_NAMES "former_names" /* and the names of profile/facts.h */

struct sprof_pprof_options {
	const char *kind; /* of another tool's file: the kind of values to show; NULL: its default */
};

/* Reads what a descriptor holds; `name` is what errors call it. *ret is the caller's to destroy. */
bool sprof_pprof_read(int fd, const char *name, const struct sprof_pprof_options *options,
	struct sprof_profile **ret, struct sprof_error *err);

/* The same from memory. */
bool sprof_pprof_read_bytes(const uint8_t *bytes, size_t size, const char *name,
	const struct sprof_pprof_options *options, struct sprof_profile **ret,
	struct sprof_error *err);

#endif
