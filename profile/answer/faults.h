/* Page faults in a profile: their kinds of values, and a summary. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "profile/model/profile.h"

/* Indices of the further kinds, from the first fault kind on. */
enum sprof_faults_kind {
	SPROF_FAULTS_ALL,
	SPROF_FAULTS_MAJOR,   /* waited for a disk */
	SPROF_FAULTS_TOUCHED, /* bytes: one page per fault */
	SPROF_FAULTS_KINDS,
};

/* Frames for faults without a stack: faults without a record; records without a stack. */
#define SPROF_FAULTS_UNSEEN "[not seen]"
#define SPROF_FAULTS_NO_STACK "[no stack]"

/*
 * Adds the kinds after existing ones, before the first row. The profile shows all faults by
 * default.
 */
void sprof_faults_begin_profile(struct sprof_profile *profile);

struct sprof_faults_place {
	uint32_t thread;   /* the sampler's thread id */
	uint32_t stack;    /* the sink's stack id */
	const char *frame; /* used instead of `stack` if not NULL */
};
/* Adds faults while recording. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_faults_add(struct sprof_profile *profile,
	const struct sprof_faults_place *place, const uint64_t added[SPROF_FAULTS_KINDS]);

/* Whether recordings with faults have a kind of that name. */
bool sprof_faults_has_kind(const char *name);

struct sprof_faults {
	uint64_t all, major, touched; /* `touched` in bytes */
	uint64_t unseen;              /* part of `all` */
	/* the function with most of them in its own code; NONE: none */
	uint32_t function;
	uint64_t function_all;
	uint32_t caller; /* the most frequent caller in these faults; NONE: none */
	uint64_t caller_all;
};

/* Returns false if the profile has no faults, or out of memory. Locations must be named. */
SPROF_MUST_USE bool sprof_faults_find(
	const struct sprof_profile *profile, struct sprof_faults *ret);
