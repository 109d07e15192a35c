/*
 * Explains unresolved addresses. Uses only what was found when the module was opened, and dpkg's
 * lists for the Debian package with the debug file.
 */
#include "elfsym/names/explain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/module.h"
#include "base/strings.h"
#include "elfsym/debug-files/package.h"

enum { FIRST_WITH_PERF = 12 /* first Python 3.X that writes a perf map */ };

/* How runtimes are made to write their perf map; details in brackets. */
static const struct {
	const char *module; /* how attach/proc/jit.c calls their code, up to a version */
	const char *help;
} writers[] = {
	{"[jit of node", "node --perf-basic-prof (writes a perf map)"},
	{"[jit of .NET", "DOTNET_PerfMapEnabled=1 (in its environment)"},
	{"[jit of ruby", "ruby --yjit-perf (writes a perf map)"},
};

/* The file's name may end with a version: "ruby3.1", "node-20". */
static bool is_code_of(const char *module, const char *runtime)
{
	const char *behind = module + strlen(runtime);

	return sprof_string_starts_with(module, runtime) && *behind &&
		strchr("0123456789-]", *behind);
}

static bool is_python_with_perf(const char *module)
{
	static const char start[] = "[jit of python3.";

	return sprof_string_starts_with(module, start) &&
		strtol(module + strlen(start), NULL, 10) >= FIRST_WITH_PERF;
}

/* The remedy for unnamed code that a process has made. */
static void jit_hint_write(const struct sprof_module *module, char *buffer, size_t size)
{
	for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++) {
		if (is_code_of(module->path, writers[i].module)) {
			snprintf(buffer, size, "%s", writers[i].help);
			return;
		}
	}
	if (strcmp(module->path, "[jit of java]") == 0)
		snprintf(buffer, size,
			"jcmd %llu Compiler.perfmap (while it runs; Java 17 and later), or "
			"java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit",
			(unsigned long long)module->inode);
	else if (is_python_with_perf(module->path))
		snprintf(buffer, size, "python3 -X perf (writes a perf map)");
	else if (strcmp(module->path, SPROF_MODULE_JIT) == 0)
		snprintf(buffer, size, "run it unpacked (if it is packed, as by UPX)");
	else
		snprintf(buffer, size,
			"have it write /tmp/perf-PID.map (lines of ADDRESS SIZE NAME)");
}

static void explain_anonymous(const struct sprof_names *names, struct sprof_symbols_gap *ret)
{
	if (strcmp(names->module->path, SPROF_MODULE_KERNEL) == 0) {
		snprintf(ret->why, sizeof(ret->why), "%s",
			names->list && !names->list->all_zero ? "no symbol there"
							      : "/proc/kallsyms hides addresses");
		if (!names->list || names->list->all_zero)
			snprintf(ret->help, sizeof(ret->help),
				"--sysmap /boot/System.map-VERSION=" SPROF_MODULE_KERNEL
				", or sysctl kernel.kptr_restrict=0");
		return;
	}
	if (names->list) {
		snprintf(ret->why, sizeof(ret->why), "not in the perf map of the process");
		return;
	}
	snprintf(ret->why, sizeof(ret->why), "code without a file, and no /tmp/perf-PID.map");
	jit_hint_write(names->module, ret->help, sizeof(ret->help));
}

static void explain_unreadable(const struct sprof_module *module, struct sprof_symbols_gap *ret)
{
	if (module->kind == SPROF_MODULE_FILE && module->open_errno == ESTALE)
		snprintf(ret->why, sizeof(ret->why), "replaced: another file is at its path now");
	else if (sprof_module_is_overwritten(module))
		snprintf(ret->why, sizeof(ret->why), "overwritten while in use");
	else if (module->deleted)
		snprintf(ret->why, sizeof(ret->why), "deleted while in use");
	else if (module->open_errno)
		snprintf(
			ret->why, sizeof(ret->why), "unreadable: %s", strerror(module->open_errno));
	else
		snprintf(ret->why, sizeof(ret->why), "not a readable ELF file");
	if (module->deleted || module->open_errno == ESTALE)
		snprintf(ret->help, sizeof(ret->help), "start the program again with the new file");
}

static void suggest_package(const char *path, struct sprof_symbols_gap *ret)
{
	char package[128], archive[160] = "";
	size_t length = strlen(ret->help);

	if (!sprof_package_of_debug_file(SPROF_PACKAGE_LISTS, path, package, sizeof(package)))
		return;
	snprintf(ret->help + length, sizeof(ret->help) - length, "install %s%s%s, or ", package,
		sprof_package_archive(SPROF_PACKAGE_RELEASE, package, archive, sizeof(archive))
			? " from "
			: "",
		archive);
}

static void explain_stripped(const struct sprof_names *names, struct sprof_symbols_gap *ret)
{
	char id[SPROF_BUILD_ID_TEXT];

	if (!sprof_build_id_text(names->image, id)) {
		snprintf(ret->why, sizeof(ret->why), "stripped, and without a build id");
		snprintf(
			ret->help, sizeof(ret->help), "build it without -s and strip, or --sysmap");
		return;
	}
	snprintf(ret->why, sizeof(ret->why), "stripped, no debug file for build id %.40s", id);
	suggest_package(names->module->path, ret);
	snprintf(ret->help + strlen(ret->help), sizeof(ret->help) - strlen(ret->help),
		"%s--debug-dir DIR%s", names->places->debuginfod ? "" : "--debuginfod, or ",
		names->places->debuginfod ? " (the debuginfod servers don't have it)" : "");
}

/* For a saved profile, whose files may be missing here. */
static void explain_saved(const struct sprof_names *names, struct sprof_symbols_gap *ret)
{
	const char *id = names->saved->build_id;

	if (names->wrong_file)
		snprintf(ret->why, sizeof(ret->why), "not used, another build id: %.120s",
			names->wrong_file);
	else if (id)
		snprintf(ret->why, sizeof(ret->why), "no debug file for build id %.40s", id);
	else
		snprintf(ret->why, sizeof(ret->why), "saved without a build id");
	if (id)
		snprintf(ret->help, sizeof(ret->help), "%s--debug-dir DIR for build id %.40s",
			names->places->debuginfod ? "" : "--debuginfod, or ", id);
	else
		snprintf(ret->help, sizeof(ret->help), "--trust-paths, or --sysmap FILE=%.200s",
			sprof_module_name(names->module));
}

void sprof_names_explain(const struct sprof_names *names, struct sprof_symbols_gap *ret)
{
	*ret = (struct sprof_symbols_gap){0};
	if (names->module->kind == SPROF_MODULE_ANONYMOUS)
		explain_anonymous(names, ret);
	else if (names->saved && !names->image)
		explain_saved(names, ret);
	else if (!names->image)
		explain_unreadable(names->module, ret);
	else if (names->image->from_memory && !names->debug)
		snprintf(ret->why, sizeof(ret->why),
			"%s; read from memory, where only exported "
			"functions have names",
			names->module->open_errno == ESTALE ? "replaced while in use"
				: names->module->deleted    ? "deleted while in use"
							    : "file unreadable");
	else if (!sprof_symtab_is_full(names->symtab) && !names->dwarf)
		explain_stripped(names, ret);
	else
		snprintf(ret->why, sizeof(ret->why), "its symbols don't cover these places");
}
