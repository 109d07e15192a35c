/*
 * The option rows about names. Checks their values before sampling starts: after an hour of
 * recording it would be too late. Does not resolve names.
 */
#include "cmd/saved/naming.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/strings.h"
#include "cmd/cli/option-values.h"
#include "cmd/ui.h"
#include "elfsym/debug-files/debuginfod.h"
#include "elfsym/symlist/symlist.h"

#define FIELD(name) offsetof(struct sprof_naming, name)

static bool set_kind(void *field, const char *text, struct sprof_error *err)
{
	return sprof_value_either("full", "short", text, field, err);
}

/* The row's offset leads to the whole struct, because each word sets another field. */
static bool set_names(void *field, const char *text, struct sprof_error *err)
{
	struct sprof_naming *naming = field;
	static const char *const names[] = {"full", "short", "mangled", "no-inlines", NULL};
	SPROF_AUTO_FREE char *copy = strdup(text);
	char *rest = copy, *name;
	unsigned kind;

	if (!copy)
		return sprof_error_no_memory(err);
	while ((name = strsep(&rest, ","))) {
		if (!sprof_value_choice(names, name, &kind, err))
			return false;
		if (kind <= 1)
			naming->short_names = kind == 1;
		naming->no_demangle |= kind == 2;
		naming->no_inlines |= kind == 3;
	}
	return true;
}

static bool add_folder(void *field, const char *text, struct sprof_error *err)
{
	struct sprof_naming_folders *folders = field;
	struct stat status;

	if (stat(text, &status) != 0)
		return sprof_error_set(err, SPROF_ERROR_USAGE, "%s", strerror(errno));
	if (!S_ISDIR(status.st_mode))
		return sprof_error_set(err, SPROF_ERROR_USAGE, "not a folder");
	if (folders->count == SPROF_MAX_NAMING_ITEMS)
		return sprof_error_set(
			err, SPROF_ERROR_USAGE, "more than %d folders", SPROF_MAX_NAMING_ITEMS);
	folders->items[folders->count++] = text;
	return true;
}

/* Reads the list before sampling starts, to detect an unusable one early. */
static bool check_sysmap(const char *path, struct sprof_naming_loaded *ret, struct sprof_error *err)
{
	struct sprof_symlist *list;
	bool ok = false;

	if (!sprof_symlist_open(SPROF_SYMLIST_SYSMAP, path, &list, err))
		return false;
	if (!list->functions) {
		sprof_error_set(err, SPROF_ERROR_USAGE, "no functions in '%s'", path);
		sprof_error_hint(err,
			"it reads the output of nm, objdump -t, readelf -s or sprof symbols, and "
			"System.map");
	} else if (list->all_zero) {
		sprof_error_set(err, SPROF_ERROR_USAGE, "all addresses in '%s' are 0", path);
		sprof_error_hint(err, "only root sees the addresses of /proc/kallsyms");
	} else {
		ok = true;
	}
	*ret = (struct sprof_naming_loaded){list->functions, list->skipped};
	sprof_symlist_destroy(list);
	return ok;
}

/* FILE[=MODULE]; FILE may contain '='. */
static bool add_sysmap(void *field, const char *text, struct sprof_error *err)
{
	struct sprof_naming_sysmaps *sysmaps = field;
	/* The text lies in argv, so cutting it is allowed. */
	char *equals = strrchr((char *)text, '=');
	struct sprof_sysmap *sysmap = &sysmaps->items[sysmaps->count];

	if (sysmaps->count == SPROF_MAX_NAMING_ITEMS)
		return sprof_error_set(
			err, SPROF_ERROR_USAGE, "more than %d lists", SPROF_MAX_NAMING_ITEMS);
	*sysmap = (struct sprof_sysmap){.path = text};
	if (equals && access(text, F_OK) != 0) {
		*equals = '\0';
		sysmap->module = equals + 1;
	}
	if (access(text, R_OK) != 0)
		return sprof_error_set(err, SPROF_ERROR_USAGE, "%s", strerror(errno));
	if (!check_sysmap(text, &sysmaps->loaded[sysmaps->count], err))
		return false;
	sysmaps->count++;
	return true;
}

/*
 * The offset leads to the whole struct, for the time limit. Options are read before the environment
 * loses DEBUGINFOD_URLS.
 */
static bool set_debuginfod(void *field, const char *text, struct sprof_error *err)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct sprof_naming *naming = field;

	if (!urls || !urls[0]) {
		sprof_error_set(err, SPROF_ERROR_USAGE, "DEBUGINFOD_URLS names no server");
		return sprof_error_hint(
			err, "export DEBUGINFOD_URLS=https://debuginfod.debian.net");
	}
	naming->debuginfod = urls;
	return !text || sprof_value_duration(&naming->debuginfod_limit_ns, text, err);
}

const struct sprof_option sprof_naming_kind_table[] = {
	{"names", NULL, "KIND",
		"text: full, or short: without template arguments and parameters\n"
		"(full)",
		set_kind, 0},
	{0},
};

const struct sprof_option sprof_naming_table[] = {
	{"names", NULL, "LIST",
		"how to show functions, a list. full, or short: in text, without\n"
		"template arguments and parameters; mangled: names as the linker\n"
		"knows them; no-inlines: no inlined functions, which is faster (full)",
		set_names, 0},
	{"no-inlines", NULL, NULL, "don't show inlined functions; faster", sprof_value_flag,
		FIELD(no_inlines)},
	{"no-demangle", NULL, NULL, "show C++, Rust and D names as the linker knows them",
		sprof_value_flag, FIELD(no_demangle)},
	{"debug-dir", NULL, "DIR",
		"look for debug files in DIR before /usr/lib/debug; may be given\n"
		"several times",
		add_folder, FIELD(folders)},
	{"sysmap", NULL, "FILE[=MODULE]",
		"read functions of the program, or of MODULE, from the output of\n"
		"nm, objdump -t or readelf -s, or from a System.map; may be given\n"
		"several times",
		add_sysmap, FIELD(sysmaps)},
	{"debuginfod", NULL, "[=TIME]",
		"fetch debug files from the servers in DEBUGINFOD_URLS, for at most\n"
		"TIME (60s)",
		set_debuginfod, 0},
	{"debuginfod-limit", NULL, "TIME", "time limit for all fetches together (60s)",
		sprof_value_duration, FIELD(debuginfod_limit_ns), .needs = "debuginfod"},
	{0},
};

const struct sprof_option sprof_naming_late_table[] = {
	{"debug-dir", NULL, "DIR",
		"name a saved profile with the debug files in DIR or\n"
		"/usr/lib/debug; may be given several times",
		add_folder, FIELD(folders)},
	{"sysmap", NULL, "FILE[=MODULE]",
		"read functions of the program, or of MODULE, from a System.map or\n"
		"the output of nm; may be given several times",
		add_sysmap, FIELD(sysmaps)},
	{"debuginfod", NULL, "[=TIME]",
		"fetch debug files from the servers in DEBUGINFOD_URLS, for at most\n"
		"TIME (60s)",
		set_debuginfod, 0},
	{"debuginfod-limit", NULL, "TIME", "time limit for all fetches together (60s)",
		sprof_value_duration, FIELD(debuginfod_limit_ns), .needs = "debuginfod"},
	{"trust-paths", NULL, NULL,
		"use the file at the path of a module that was saved without a\n"
		"build id",
		sprof_value_flag, FIELD(trust_paths)},
	{0},
};

/* The library calls this often; once a second is enough. */
static void show_progress(void *data, const char *module, uint64_t done, uint64_t total)
{
	static uint64_t last_ns;
	uint64_t now = sprof_clock_now_ns();

	if (now - last_ns < SPROF_NS_PER_S)
		return;
	last_ns = now;
	if (total)
		sprof_ui_progress("fetching the debug file of %s: %llu of %llu MB", module,
			(unsigned long long)(done >> 20), (unsigned long long)(total >> 20));
	else
		sprof_ui_progress("asking for the debug file of %s", module);
}

static void connect(const struct sprof_naming *options, struct sprof_namer *namer)
{
	const struct sprof_debuginfod_options wanted = {
		.urls = options->debuginfod,
		.limit_ns = options->debuginfod_limit_ns,
		.progress = show_progress,
	};
	struct sprof_error err;

	if (!sprof_debuginfod_create(&wanted, &namer->debuginfod, &err)) {
		namer->debuginfod = NULL;
		sprof_ui_error(&err);
	}
}

struct sprof_debug_places sprof_naming_places(const struct sprof_naming *options)
{
	return (struct sprof_debug_places){
		.folders = options->folders.items,
		.folder_count = options->folders.count,
	};
}

/* Once: a run that writes several times opens several sessions. */
static void note_loaded(const struct sprof_naming_sysmaps *sysmaps)
{
	static bool was_noted;

	for (size_t i = 0; i < sysmaps->count && !was_noted; i++) {
		const struct sprof_naming_loaded *loaded = &sysmaps->loaded[i];

		sprof_ui_note("%s: loaded %zu function%s, %zu line%s skipped",
			sysmaps->items[i].path, loaded->functions,
			sprof_string_plural(loaded->functions), loaded->skipped,
			sprof_string_plural(loaded->skipped));
	}
	was_noted = true;
}

static bool create(const struct sprof_naming *options, const struct sprof_modules *modules,
	const struct sprof_saved_modules *saved, struct sprof_namer *namer, struct sprof_error *err)
{
	const struct sprof_symbols_options wanted = {
		.no_inlines = options->no_inlines,
		.no_demangle = options->no_demangle,
		.with_variables = options->with_variables,
		.debug_folders = options->folders.items,
		.debug_folder_count = options->folders.count,
		.sysmaps = options->sysmaps.items,
		.sysmap_count = options->sysmaps.count,
		.debuginfod = namer->debuginfod,
		.saved = saved,
	};

	note_loaded(&options->sysmaps);
	if (sprof_symbols_create(modules, &wanted, &namer->symbols, err))
		return true;
	sprof_namer_finish(namer);
	return false;
}

bool sprof_namer_create(const struct sprof_naming *options, const struct sprof_modules *modules,
	bool with_network, struct sprof_namer *ret, struct sprof_error *err)
{
	*ret = (struct sprof_namer){0};
	if (with_network && options->debuginfod)
		connect(options, ret);
	return create(options, modules, NULL, ret, err);
}

bool sprof_namer_create_saved(const struct sprof_naming *options,
	const struct sprof_modules *modules, const struct sprof_saved_modules *saved,
	struct sprof_namer *ret, struct sprof_error *err)
{
	*ret = (struct sprof_namer){0};
	if (options->debuginfod)
		connect(options, ret);
	return create(options, modules, saved, ret, err);
}

/* Prints a note once, about the module that lacks the most. */
static void note_lost(const struct sprof_symbols *symbols)
{
	static bool was_noted;
	size_t units;
	const struct sprof_module *module = sprof_symbols_lost_units(symbols, &units);
	char package[PATH_MAX];
	bool has_package;

	if (was_noted || !module)
		return;
	was_noted = true;
	snprintf(package, sizeof(package), "%s.dwp", module->path);
	has_package = access(package, F_OK) == 0;
	sprof_ui_note("%s: no inlined functions of %zu unit%s, whose .dwo file is missing%s%s; %s",
		sprof_module_name(module), units, sprof_string_plural(units),
		has_package ? "; elfutils before 0.191 does not read " : "",
		has_package ? package : "", "keep the .dwo files where the compiler wrote them");
}

void sprof_namer_finish(struct sprof_namer *namer)
{
	if (namer->symbols)
		note_lost(namer->symbols);
	sprof_symbols_destroy(namer->symbols);
	sprof_debuginfod_destroy(namer->debuginfod);
	*namer = (struct sprof_namer){0};
}
