/*
 * Decides which functions of two profiles are the same. ARCHITECTURE.md, "Identity", has the rule;
 * profile/model/function-key.c has the key within one profile.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "profile/model/profile.h"

enum sprof_identity_suffixes {
	SPROF_IDENTITY_CLONES, /* only suffixes of clones and parts: "work.isra.0" */
	SPROF_IDENTITY_ALL,    /* also suffixes that make local names unique: "work.llvm.17" */
};

/* Strips suffixes added by compilers. */
void sprof_identity_plain_name(
	const char *name, enum sprof_identity_suffixes without, char *ret, size_t size);

/* Gives one name to the functions that compilers make of one constructor or destructor in C++. */
void sprof_identity_unify_structors(char *mangled);

/* A file's name independent of version: the last path component without version. */
void sprof_identity_role(const char *path, char *ret, size_t size);

/* How many parts, from the last one on, two paths have in common. */
size_t sprof_identity_common_parts(const char *one, const char *other);

enum sprof_identity_how {
	SPROF_IDENTITY_MERGE,
	/* Programs are matched even if their names differ, and clones are merged. */
	SPROF_IDENTITY_COMPARE,
};

/* Maps modules and functions of a source profile to a target. */
struct sprof_identity {
	uint32_t *modules;   /* by module: the target's; SPROF_PROFILE_NONE: no match */
	uint32_t *functions; /* by function: the target's, or NONE */
	/* by function: the first equal function of the source itself; often itself */
	uint32_t *firsts;
	/* by the target's function: the first target function equal to it now; often itself */
	uint32_t *target_firsts;
};

/* Returns false if out of memory. The caller finishes it in either case. */
SPROF_MUST_USE bool sprof_identity_match(struct sprof_identity *identity,
	const struct sprof_profile *target, const struct sprof_profile *source,
	enum sprof_identity_how how);
void sprof_identity_finish(struct sprof_identity *identity);

/*
 * The module to show for a module's functions: a merged profile may have several builds; this is
 * the first.
 */
uint32_t sprof_identity_module(const struct sprof_profile *profile, uint32_t module);
