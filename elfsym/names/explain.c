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
#include "elfsym/debug-files/package.h"

enum { FIRST_WITH_PERF = 12 /* first Python 3.X that writes a perf map */ };

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* "python3.12", "libpython3.12.so.1.0". */
static bool is_python_with_perf(const char *name)
{
	const char *version = strstr(name, "python3.");

	return version && strtol(version + strlen("python3."), NULL, 10) >= FIRST_WITH_PERF;
}

struct runtimes {
	bool java, node, python;
};

static struct runtimes look(const struct sprof_modules *modules)
{
	struct runtimes found = {0};

	for (uint32_t id = 0; id < sprof_modules_count(modules); id++) {
		const char *name = sprof_module_name(sprof_modules_get(modules, id));

		found.java |= starts_with(name, "libjvm.so");
		found.node |= strcmp(name, "node") == 0 || strcmp(name, "nodejs") == 0 ||
			starts_with(name, "libnode.so");
		found.python |= is_python_with_perf(name);
	}
	return found;
}

/* The remedy for unnamed code in a process's anonymous memory. */
static void jit_hint_write(
	const struct sprof_modules *modules, uint64_t pid, char *buffer, size_t size)
{
	const struct runtimes found = look(modules);

	if (found.java)
		snprintf(buffer, size,
			"jcmd %llu Compiler.perfmap while it runs writes one (Java 17 and later), or "
			"java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit",
			(unsigned long long)pid);
	else if (found.node)
		snprintf(buffer, size, "node --perf-basic-prof writes one");
	else if (found.python)
		snprintf(buffer, size, "python3 -X perf writes one");
	else
		snprintf(buffer, size,
			"have the JIT compiler write a perf map: node --perf-basic-prof, "
			"python3 -X perf, java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit");
}

static void explain_anonymous(const struct sprof_names *names, const struct sprof_modules *modules,
	struct sprof_symbols_gap *ret)
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
	jit_hint_write(modules, names->module->inode, ret->help, sizeof(ret->help));
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

void sprof_names_explain(const struct sprof_names *names, const struct sprof_modules *modules,
	struct sprof_symbols_gap *ret)
{
	*ret = (struct sprof_symbols_gap){0};
	if (names->module->kind == SPROF_MODULE_ANONYMOUS)
		explain_anonymous(names, modules, ret);
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
