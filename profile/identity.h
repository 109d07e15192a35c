/*
 * What is the same function: the one answer for all of sprof. ARCHITECTURE.md, "Identity", says the
 * rule.
 */
#ifndef SPROF_PROFILE_IDENTITY_H
#define SPROF_PROFILE_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/hash.h"
#include "profile/profile.h"

/*
 * Within a profile, functions with the same key are one. The strings must be the profile's own. Its
 * line is no part of it, nor are detours in the file's path ("src/../inc/list.h").
 */
struct sprof_hash sprof_identity_key(const struct sprof_profile_function *function);

enum sprof_identity_suffixes {
	SPROF_IDENTITY_CLONES, /* only those of copies and parts: "work.isra.0" */
	SPROF_IDENTITY_ALL,    /* those that make local names unique, too: "work.llvm.17" */
};

/* The name without what compilers append. */
void sprof_identity_plain_name(
	const char *name, enum sprof_identity_suffixes without, char *ret, size_t size);

/* Whether a linkage name is Rust's, so that its hash is another one in each build. */
bool sprof_identity_is_rust(const char *linkage);

/* What a file is in every build and version of it: the last part of its path, without version. */
void sprof_identity_role(const char *path, char *ret, size_t size);

/* How many parts, from the last one on, two paths have in common. */
size_t sprof_identity_common_parts(const char *one, const char *other);

enum sprof_identity_how {
	SPROF_IDENTITY_MERGE,
	/* The programs are one, whatever they are called, and so are a function's copies. */
	SPROF_IDENTITY_COMPARE,
};

/* What the modules and functions of a profile are in another one. */
struct sprof_identity {
	uint32_t *modules;   /* by module: the same one of the target; SPROF_PROFILE_NONE: none */
	uint32_t *functions; /* by function: the same one of the target, or NONE */
	/* by function: the first one of the profile itself that is the same; often itself */
	uint32_t *firsts;
};

/* False: no memory; the caller finishes it either way. */
SPROF_MUST_USE bool sprof_identity_match(struct sprof_identity *identity,
	const struct sprof_profile *target, const struct sprof_profile *source,
	enum sprof_identity_how how);
void sprof_identity_finish(struct sprof_identity *identity);

/*
 * The module that a module's functions are said to be of: the first build of it in the profile, for
 * a merged one may have several.
 */
uint32_t sprof_identity_module(const struct sprof_profile *profile, uint32_t module);

#endif
