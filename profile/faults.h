/*
 * Page faults in a profile: their kinds of values, and what they say in one sentence.
 */
#ifndef SPROF_PROFILE_FAULTS_H
#define SPROF_PROFILE_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/clock.h"
#include "profile/profile.h"

/* The system time of a page fault is some 1 us, up to so much where a huge page is zeroed or a host is slow. */
enum { SPROF_MOST_FAULT_NS = 100 * SPROF_NS_PER_US };

/* The further kinds of a profile with faults, from the first on. */
enum sprof_faults_kind {
	SPROF_FAULTS_ALL,
	SPROF_FAULTS_MAJOR,   /* that waited for a disk */
	SPROF_FAULTS_TOUCHED, /* bytes: a page for each */
	SPROF_FAULTS_KINDS,
};

/* Frames in place of a stack: of faults without a record; of records without a stack. */
#define SPROF_FAULTS_UNSEEN "[not seen]"
#define SPROF_FAULTS_NO_STACK "[no stack]"

/* The profile gets the kinds behind those that it has, before its first row. It shows all faults. */
void sprof_faults_begin_profile(struct sprof_profile *profile);

struct sprof_faults_place {
	uint32_t thread;   /* the sampler's id */
	uint32_t stack;    /* that the sink has given; or */
	const char *frame; /* in its place; NULL: the stack is known */
};
/* Adds to the figures of a place in such a profile, while it is recorded. False: no memory. */
SPROF_MUST_USE bool sprof_faults_add(struct sprof_profile *profile,
	const struct sprof_faults_place *place, const uint64_t added[SPROF_FAULTS_KINDS]);

/* Whether a recording with faults has a kind of that name. */
bool sprof_faults_has_kind(const char *name);

struct sprof_faults {
	uint64_t all, major, touched; /* touched: bytes */
	uint64_t unseen;              /* part of all */
	uint32_t function;            /* has most of them itself; NONE: there is none */
	uint64_t function_all;
	uint32_t caller; /* of the function in most of these; NONE: there is none */
	uint64_t caller_all;
};

/* False: the profile has no faults, or there is no memory. Locations have names. */
SPROF_MUST_USE bool sprof_faults_find(
	const struct sprof_profile *profile, struct sprof_faults *ret);

#endif
