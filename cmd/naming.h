/*
 * The options about names, which most commands have, and the session of names that they lead to.
 */
#ifndef SPROF_CMD_NAMING_H
#define SPROF_CMD_NAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/module.h"
#include "cmd/command.h"
#include "elfsym/debugfile.h"
#include "elfsym/symbols.h"

enum { SPROF_MAX_NAMING_ITEMS = 16 };

/* The default of --debuginfod-limit. */
#define SPROF_DEBUGINFOD_LIMIT_NS (60ull * SPROF_NS_PER_S)

/* Zeroed is valid, but for the limit. */
struct sprof_naming {
	bool no_inlines, no_demangle;
	bool short_names; /* text reports only */
	struct sprof_naming_folders {
		const char *items[SPROF_MAX_NAMING_ITEMS];
		size_t count;
	} folders;
	struct sprof_naming_sysmaps {
		struct sprof_sysmap items[SPROF_MAX_NAMING_ITEMS];
		size_t count;
	} sysmaps;
	const char *debuginfod; /* its servers; NULL: it is not to be asked */
	uint64_t debuginfod_limit_ns;
};

/* What the options of a command with these rows begin with. */
struct sprof_naming_command {
	struct sprof_common_options common;
	struct sprof_naming naming;
};

extern const struct sprof_option sprof_naming_table[];

/* Everything that names are asked from. */
struct sprof_namer {
	struct sprof_symbols *symbols;
	struct sprof_debuginfod *debuginfod; /* NULL: not asked */
};

/*
 * A session of names for the modules; with_network allows debuginfod, if the options ask for it. What
 * is missing for that is said on stderr, and the session goes on without. False: no memory.
 */
bool sprof_namer_create(const struct sprof_naming *options, const struct sprof_modules *modules,
	bool with_network, struct sprof_namer *ret, struct sprof_error *err);
void sprof_namer_finish(struct sprof_namer *namer);

/* Where debug files may be, for those who look for them without a session. */
struct sprof_debug_places sprof_naming_places(const struct sprof_naming *options);

#endif
