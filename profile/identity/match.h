/* Private to profile/: matches the modules of two profiles, as a base for matching functions. */
#pragma once

#include "base/strtab.h"
#include "profile/identity/identity.h"

/* A function of either side. */
struct sprof_identity_entry {
	uint32_t id, module; /* the target's module, or a number after the target's modules */
	bool of_source;
	bool is_exact;        /* the source has the same build: nothing can have moved */
	const char *plain;    /* interned, as is `local`: what functions are matched by */
	const char *local;    /* without a file: the name with what makes it unique */
	const char *instance; /* interned; of Rust: with the hash */
	const char *file;     /* NULL: unknown */
	uint32_t line;
	const char *name;
};

struct sprof_module_match {
	const struct sprof_profile *target, *source;
	size_t target_count, source_count;
	bool *target_taken, *source_taken; /* by module; owned by the caller */
	uint32_t *modules;                 /* by source module: the target module, or NONE */
};

void sprof_identity_match_modules(struct sprof_module_match *match, enum sprof_identity_how how);

/* Whether both modules are the same build, so that addresses mean the same code. */
bool sprof_identity_is_same_build(const struct sprof_profile *target, uint32_t one,
	const struct sprof_profile *source, uint32_t other);

/* Chooses the plain names of Rust's functions. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_identity_name_rust(struct sprof_identity_entry *entries, size_t count,
	struct sprof_strtab *texts, enum sprof_identity_how how);

/* Matches functions that have no match yet. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_identity_match_lambdas(struct sprof_identity *identity,
	const struct sprof_profile *target, const struct sprof_profile *source);

/*
 * Whether another run can have the same function. A name made of an address means another function
 * in each build; a function without module has only its name. Nameless code of a runtime is one
 * function in every run.
 */
bool sprof_identity_exists(
	const struct sprof_profile *profile, const struct sprof_profile_function *function);
