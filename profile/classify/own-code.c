/*
 * Classifies functions by facts about languages and systems, in tables. A static C program without
 * debug information gives no hint where libc begins: all its code counts as its own.
 */
#include "profile/classify/own-code.h"

#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "elfsym/elf/demangle.h"
#include "elfsym/names/symbols.h"
#include "profile/classify/boundaries.h"
#include "profile/model/match.h"

static bool has_any(const char *text, const char *const parts[])
{
	for (; *parts; parts++) {
		if (strstr(text, *parts))
			return true;
	}
	return false;
}

/* "python3.11" is an interpreter, "perlin" and "node_exporter" are not. */
static bool is_runtime_name(const char *name)
{
	static const char *const names[] = {"python", "pypy", "libpython", "node", "nodejs",
		"libnode", "java", "libjvm", "ruby", "libruby", "perl", "libperl", "php", "libphp",
		"lua", "luajit", "guile", "mono", "dotnet", "libcoreclr", ".NET", "emacs",
		"beam.smp", "JavaScriptCore", "SpiderMonkey"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const size_t length = strlen(names[i]);

		if (sprof_string_starts_with(name, names[i]) &&
			!isalpha((unsigned char)name[length]) && name[length] != '_')
			return true;
	}
	return false;
}

/* The interpreters and virtual machines, whose functions run other programs, and their code. */
static bool is_runtime(const struct sprof_module *module)
{
	static const char generated[] = "[jit of ";
	const char *name = sprof_module_name(module);

	if (module->kind == SPROF_MODULE_ANONYMOUS && sprof_string_starts_with(name, generated))
		return is_runtime_name(name + strlen(generated));
	return module->kind == SPROF_MODULE_FILE && is_runtime_name(name);
}

/* A program's own libraries and plug-ins are in other folders. */
static bool is_of_system(const struct sprof_module *module)
{
	static const char *const folders[] = {"/lib/", "/lib32/", "/lib64/", "/usr/lib/",
		"/usr/lib32/", "/usr/lib64/", "/usr/libx32/", "/usr/local/lib/", NULL};
	static const char *const packages[] = {
		"/site-packages/", "/dist-packages/", "/lib-dynload/", "/node_modules/", NULL};
	const char *name = sprof_module_name(module);

	if (module->kind != SPROF_MODULE_FILE || (!strstr(name, ".so") && !strstr(name, ".node")))
		return false;
	return sprof_string_starts_with_any(module->path, folders) ||
		has_any(module->path, packages);
}

/* Lisp functions that Emacs has compiled: its own, and those of installed packages. */
static bool is_lisp(const struct sprof_module *module)
{
	return module->kind == SPROF_MODULE_FILE && sprof_string_ends_with(module->path, ".eln");
}

/* The first parts of import paths of Go's standard library, which it keeps for itself. */
static bool is_package_of_go(const char *path)
{
	static const char *const packages[] = {"archive", "bufio", "bytes", "cmp", "compress",
		"container", "context", "crypto", "database", "debug", "embed", "encoding",
		"errors", "expvar", "flag", "fmt", "go", "hash", "html", "image", "index",
		"internal", "io", "iter", "log", "maps", "math", "mime", "net", "os", "path",
		"plugin", "reflect", "regexp", "runtime", "slices", "sort", "strconv", "strings",
		"sync", "syscall", "testing", "text", "time", "unicode", "unique", "vendor", "weak",
		NULL};
	/*
	 * "go.company.org/x.Run" is not of the package go: dots before a slash belong to the path.
	 */
	size_t length = strcspn(path, "/[(");

	if (path[length] != '/')
		length = strcspn(path, ".");
	for (size_t i = 0; packages[i]; i++) {
		if (path[length] && sprof_string_is(path, length, packages[i]))
			return true;
	}
	return false;
}

/* "example.org/module@v1.2.3/file.go" */
static bool has_version(const char *file)
{
	const char *version = strstr(file, "@v");

	return version && version[2] >= '0' && version[2] <= '9';
}

/*
 * The import path that a function's name begins with: "encoding/json.Marshal". Names of assembly
 * code may lack it; then it is the file's folder below that of Go, with which -trimpath lets the
 * file begin.
 */
static const char *import_path(const struct sprof_profile_function *function)
{
	static const char source[] = "/src/";
	const char *below = strstr(function->file, source), *folder = below;

	if (strchr(function->name, '.'))
		return function->name;
	while (folder && folder > function->file && folder[-1] != '/')
		folder--;
	return folder && sprof_string_starts_with(folder, "go") ? below + strlen(source)
								: function->file;
}

/* The standard library, and modules of others. */
static bool is_of_go(const struct sprof_profile_function *function)
{
	static const char *const dependencies[] = {"/pkg/mod/", "/vendor/", NULL};
	const char *file = function->file;

	if (!sprof_string_ends_with(file, ".go") && !sprof_string_ends_with(file, ".s"))
		return false;
	return has_any(file, dependencies) || has_version(file) ||
		is_package_of_go(import_path(function));
}

/* Headers of the system and of compilers' libraries, which belong to no program. */
static bool is_foreign_file(const char *file)
{
	static const char *const folders[] = {"/usr/include/", "/usr/local/include/", "/usr/lib/",
		"/rustc/", "/rust/deps/", NULL};
	/* Distributions build Rust in folders such as /usr/src/rustc-1.63.0. */
	static const char *const parts[] = {"cargo/registry/", "cargo/git/", "/.rustup/", "/rustc-",
		"/libstdc++-v3/", "/include/c++/", "/lib/gcc/", "/lib/clang/", NULL};

	return sprof_string_starts_with_any(file, folders) || has_any(file, parts) ||
		strcmp(file, "<autogenerated>") == 0;
}

static bool is_package_file(const char *path)
{
	static const char *const parts[] = {
		"/lib/python", "/site-packages/", "/dist-packages/", "/lib/pypy", NULL};
	/* Code that packages make: NumPy's, of the package attrs, of the package decorator. */
	static const char *const made[] = {"<frozen", "<__array_function__ internals>",
		"<attrs generated", "<decorator-gen-", NULL};

	return path[0] == '<' ? sprof_string_starts_with_any(path, made) : has_any(path, parts);
}

/*
 * The name without the type that the function returns: "void std::sort<T>(T)" -> "std::sort<T>(T)".
 */
static const char *without_type(const char *name)
{
	const char *start = name;
	int depth = 0;

	for (const char *at = name; *at; at++) {
		if (sprof_string_starts_with(at, "operator") || (*at == '(' && !depth))
			break;
		depth += (*at == '<') - (*at == '>' && at > name && at[-1] != '-');
		if (*at == ' ' && !depth)
			start = at + 1;
	}
	return start;
}

/*
 * Whether no part of the name is in the program's crates: "<alloc::vec::Vec<T> as
 * core::ops::Drop>::drop".
 */
static bool is_rust_library(const char *name)
{
	static const char *const crates[] = {"core::", "std::", "alloc::", "hashbrown::", "__rust",
		"compiler_builtins::", "rust_", "std_detect::", NULL};
	const char *trait = name[0] == '<' ? strstr(name, " as ") : NULL;
	size_t length;

	name += strspn(name, "<&*[( ");
	for (length = strlen("mut "); sprof_string_starts_with(name, "mut "); name += length)
		;
	if (sprof_string_starts_with_any(name, crates))
		return true;
	length = strcspn(name, " <>&");
	return trait && !memmem(name, length, "::", 2) &&
		sprof_string_starts_with_any(trait + strlen(" as "), crates);
}

static bool is_library_name(const struct sprof_profile_function *function)
{
	static const char *const spaces[] = {
		"std::", "__gnu_cxx::", "__cxxabiv1::", "operator new", "operator delete", NULL};
	const char *name = function->name, *plt = strstr(name, SPROF_PLT_ENDING);

	if (plt && !plt[strlen(SPROF_PLT_ENDING)])
		return true;
	if (function->linkage && sprof_rust_length(function->linkage))
		return is_rust_library(name);
	return sprof_string_starts_with_any(without_type(name), spaces);
}

/*
 * Names of code that a virtual machine generated, in its perf map. Other programs' code is theirs.
 */
static enum sprof_code_class code_of_generated(
	const struct sprof_profile_function *function, const struct sprof_module *module)
{
	static const char *const machine[] = {"Builtin",
		"BytecodeHandler:", "Stub:", "RegExp:", "Interpreter", "StubRoutine", "I2C/C2I",
		"vtable stub", "itable stub", NULL};
	static const char *const packages[] = {"java.", "javax.", "jdk.", "sun.", "com.sun.",
		"Ljava/", "Ljdk/", "Lsun/", "java/", "jdk/", NULL};

	if (function->unresolved)
		return !sprof_module_is_generated(module) || is_runtime(module) ? SPROF_CODE_RUNTIME
										: SPROF_CODE_OWN;
	if (sprof_string_starts_with_any(function->name, machine))
		return SPROF_CODE_RUNTIME;
	return sprof_string_starts_with_any(function->name, packages) ||
			strstr(function->name, " node:") || strstr(function->name, "/node_modules/")
		? SPROF_CODE_PACKAGE
		: SPROF_CODE_OWN;
}

/* "[read]", or a kernel function. */
static bool is_kernel(
	const struct sprof_profile_function *function, const struct sprof_module *module)
{
	if (module)
		return strcmp(module->path, SPROF_MODULE_KERNEL) == 0;
	return function->name[0] == '[' && strcmp(function->name, SPROF_PROFILE_UNSAMPLED) != 0 &&
		strcmp(function->name, SPROF_PROFILE_OTHER) != 0;
}

static enum sprof_code_class compute(const struct sprof_profile *profile, uint32_t index)
{
	const struct sprof_profile_function *function = &profile->functions[index];
	const struct sprof_module *module =
		function->module == SPROF_PROFILE_NONE || !profile->modules
		? NULL
		: sprof_modules_get(profile->modules, function->module);

	if (sprof_profile_is_libc(profile, index) || is_kernel(function, module))
		return SPROF_CODE_LIBC;
	if (module && module->kind == SPROF_MODULE_SCRIPT)
		return is_package_file(module->path) ? SPROF_CODE_PACKAGE : SPROF_CODE_OWN;
	if (module && (module->kind == SPROF_MODULE_ANONYMOUS || module->path[0] == '['))
		return code_of_generated(function, module);
	if (module && is_lisp(module))
		return SPROF_CODE_PACKAGE;
	if (module && is_runtime(module))
		return SPROF_CODE_RUNTIME;
	if (module && is_of_system(module))
		return SPROF_CODE_LIBRARY;
	if (function->file ? is_foreign_file(function->file) || is_of_go(function)
			   : is_library_name(function))
		return SPROF_CODE_LIBRARY;
	return SPROF_CODE_OWN;
}

enum sprof_code_class sprof_code_of(const struct sprof_profile *profile, uint32_t function)
{
	const enum sprof_code_class code = profile->functions[function].code;

	return code == SPROF_CODE_UNKNOWN ? compute(profile, function) : code;
}

/*
 * By module: whether one of its functions has a source file that is its own code. Returns NULL if
 * out of memory.
 */
static bool *find_documented(const struct sprof_profile *profile)
{
	size_t count = 0;
	bool *documented;

	for (size_t i = 0; i < profile->function_count; i++) {
		const uint32_t module = profile->functions[i].module;

		if (module != SPROF_PROFILE_NONE && module >= count)
			count = module + 1;
	}
	documented = calloc(count + 1, sizeof(*documented));
	for (size_t i = 0; documented && i < profile->function_count; i++) {
		const struct sprof_profile_function *function = &profile->functions[i];

		if (function->module != SPROF_PROFILE_NONE && function->file &&
			function->code == SPROF_CODE_OWN)
			documented[function->module] = true;
	}
	return documented;
}

static bool mark_found(struct sprof_profile *profile)
{
	SPROF_AUTO_FREE bool *documented = NULL;

	for (uint32_t i = 0; i < profile->function_count; i++)
		profile->functions[i].code = compute(profile, i);
	documented = find_documented(profile);
	for (size_t i = 0; documented && i < profile->function_count; i++) {
		struct sprof_profile_function *function = &profile->functions[i];

		if (function->code == SPROF_CODE_OWN && !function->file &&
			function->module != SPROF_PROFILE_NONE && documented[function->module])
			function->code = SPROF_CODE_LIBRARY;
	}
	return documented;
}

static bool matches(const struct sprof_profile *profile,
	const struct sprof_profile_function *function, const regex_t *own)
{
	const char *path = function->module == SPROF_PROFILE_NONE || !profile->modules
		? NULL
		: sprof_modules_get(profile->modules, function->module)->path;

	return regexec(own, function->name, 0, NULL, 0) == 0 ||
		(function->file && regexec(own, function->file, 0, NULL, 0) == 0) ||
		(path && regexec(own, path, 0, NULL, 0) == 0);
}

static bool mark_matching(
	struct sprof_profile *profile, const char *pattern, struct sprof_error *err)
{
	regex_t own;

	if (!sprof_match_compile(pattern, &own, err))
		return false;
	for (size_t i = 0; i < profile->function_count; i++) {
		struct sprof_profile_function *function = &profile->functions[i];

		if (matches(profile, function, &own))
			function->code = SPROF_CODE_OWN;
		else if (function->code > SPROF_CODE_LIBRARY)
			function->code = SPROF_CODE_LIBRARY;
	}
	regfree(&own);
	return true;
}

bool sprof_own_code_mark(struct sprof_profile *profile, const struct sprof_own_choice *choice,
	struct sprof_error *err)
{
	if (!mark_found(profile))
		return sprof_error_no_memory(err);
	for (size_t i = 0; choice->all && i < profile->function_count; i++)
		profile->functions[i].code = SPROF_CODE_OWN;
	return !choice->own || mark_matching(profile, choice->own, err);
}
