/* The options about names, and the symbol session opened with them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/module.h"
#include "cmd/cli/command.h"
#include "elfsym/debug-files/debugfile.h"
#include "elfsym/names/symbols.h"

enum { SPROF_MAX_NAMING_ITEMS = 16 };

/* The default time limit of --debuginfod. */
#define SPROF_DEBUGINFOD_LIMIT_NS (60ull * SPROF_NS_PER_S)

/* Set the limit; the rest zeroed is valid. */
struct sprof_naming {
	bool no_inlines, no_demangle, short_names;
	struct sprof_naming_folders {
		const char *items[SPROF_MAX_NAMING_ITEMS];
		size_t count;
	} folders;
	struct sprof_naming_sysmaps {
		struct sprof_sysmap items[SPROF_MAX_NAMING_ITEMS];
		/* contents of the files */
		struct sprof_naming_loaded {
			size_t functions, skipped;
		} loaded[SPROF_MAX_NAMING_ITEMS];
		size_t count;
	} sysmaps;
	const char *debuginfod; /* its servers; NULL: don't use debuginfod */
	uint64_t debuginfod_limit_ns;
	bool trust_paths;    /* for saved profiles */
	bool with_variables; /* for --locals */
};

/* Commands that resolve no names: at the offset of a bool (short names). */
extern const struct sprof_option sprof_naming_kind_table[];
/* Groups of a command's table, at the offset of the struct. */
extern const struct sprof_option sprof_naming_table[];
/* Sources of names for saved profiles, at the offset of the struct. */
extern const struct sprof_option sprof_naming_late_table[];

/* Options of the groups that are folded into others, and accepted without documentation. */
#define SPROF_NAMING_HIDDEN "no-inlines no-demangle debuginfod-limit"

/* All sources of names. */
struct sprof_namer {
	struct sprof_symbols *symbols;
	struct sprof_debuginfod *debuginfod; /* NULL: not used */
};

/*
 * Opens a symbol session for the modules. with_network permits debuginfod if the options request
 * it. If debuginfod can't be used, a message on stderr gives the reason, and the session works
 * without it. Returns false if out of memory.
 */
bool sprof_namer_create(const struct sprof_naming *options, const struct sprof_modules *modules,
	bool with_network, struct sprof_namer *ret, struct sprof_error *err) SPROF_MUST_USE;
/* The same for the modules of a saved profile, with files that are not open. */
bool sprof_namer_create_saved(const struct sprof_naming *options,
	const struct sprof_modules *modules, const struct sprof_saved_modules *saved,
	struct sprof_namer *ret, struct sprof_error *err) SPROF_MUST_USE;
void sprof_namer_finish(struct sprof_namer *namer);

/* Where to look for debug files, for callers without a session. */
struct sprof_debug_places sprof_naming_places(const struct sprof_naming *options);
