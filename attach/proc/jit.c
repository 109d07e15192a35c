/*
 * Names code made at run time. A process has many regions of it, and an address means nothing in
 * the next run; so all of them are one module, called after the runtime that has most likely
 * written the code.
 */
#include "attach/proc/jit.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/maps-text.h"
#include "base/strings.h"

/* Libraries of runtimes that programs of any name load. The first one here wins. */
static const struct {
	const char *file; /* how its name starts */
	const char *called;
} runtimes[] = {
	{"libjvm.so", "java"},
	{"libcoreclr.so", ".NET"},
	{"libnode.so", "node"},
	{"nodejs", "node"},
	{"libmonosgen-", "mono"},
	{"libluajit-", "luajit"},
	{"libjavascriptcoregtk-", "JavaScriptCore"},
	{"libmozjs-", "SpiderMonkey"},
};

enum { RUNTIMES = sizeof(runtimes) / sizeof(runtimes[0]) };

static bool starts_with(const char *text, size_t length, const char *start)
{
	return length >= strlen(start) && memcmp(text, start, strlen(start)) == 0;
}

static bool starts_with_any(const struct sprof_maps_line *line, const char *const *starts)
{
	for (; *starts; starts++) {
		if (starts_with(line->path, line->path_length, *starts))
			return true;
	}
	return false;
}

/*
 * "[heap]" is what malloc() gave; code on "[stack]" is a trampoline. The names of files are those
 * of huge pages, shared memory, and the code of .NET, which maps it twice.
 */
bool sprof_jit_is_memory(const struct sprof_maps_line *line)
{
	static const char *const names[] = {"[anon", "[heap]", "[stack", "/", NULL};
	static const char *const like_files[] = {
		"/anon_hugepage", "/dev/zero (deleted)", "/memfd:doublemapper", NULL};

	if (line->inode)
		return starts_with_any(line, like_files);
	return !line->path_length || starts_with_any(line, names);
}

/* A file's name in a line of maps, without folders and the mark of a deleted file. */
struct name {
	const char *text;
	size_t length;
};

static struct name name_of(const struct sprof_maps_line *line)
{
	static const char mark[] = " (deleted)";
	const char *slash = memrchr(line->path, '/', line->path_length);
	const char *text = slash ? slash + 1 : line->path;
	size_t length = line->path_length - (size_t)(text - line->path);

	if (length > strlen(mark) && !memcmp(text + length - strlen(mark), mark, strlen(mark)))
		length -= strlen(mark);
	return (struct name){text, length};
}

static size_t runtime_of(const struct name *name)
{
	size_t i = 0;

	while (i < RUNTIMES && !starts_with(name->text, name->length, runtimes[i].file))
		i++;
	return i;
}

/* Not the dynamic linker, nor files in memory, in which generated code may be. */
static bool may_be_program(const struct name *name)
{
	char text[NAME_MAX + 1];

	snprintf(text, sizeof(text), "%.*s", (int)name->length, name->text);
	return !sprof_module_is_library(text) && !sprof_string_starts_with(text, "memfd:");
}

/* The runtime; without one, the program: the first file of code that may be it. */
static struct name find_runtime(const char *maps_text)
{
	size_t best = RUNTIMES;
	struct name program = {NULL, 0};
	struct sprof_maps_line line;

	while (sprof_maps_parse_line(&maps_text, &line)) {
		const struct name name = name_of(&line);

		if (!line.executable || !name.length || !line.inode || sprof_jit_is_memory(&line))
			continue;
		if (runtime_of(&name) < best)
			best = runtime_of(&name);
		if (!program.length && may_be_program(&name))
			program = name;
	}
	return best < RUNTIMES ? (struct name){runtimes[best].called, strlen(runtimes[best].called)}
			       : program;
}

uint32_t sprof_jit_module(const char *maps_text, pid_t pid, struct sprof_modules *modules)
{
	const struct name runtime = find_runtime(maps_text);
	char path[NAME_MAX + sizeof("[jit of ]")] = SPROF_MODULE_JIT;
	const struct sprof_module_key key = {
		.kind = SPROF_MODULE_ANONYMOUS,
		.path = path,
		.inode = (uint64_t)pid,
	};
	const struct sprof_module *module;
	bool is_new;

	if (runtime.length)
		snprintf(path, sizeof(path), "[jit of %.*s]", (int)runtime.length, runtime.text);
	module = sprof_modules_intern(modules, &key, &is_new);
	return module ? module->id : UINT32_MAX;
}
