/*
 * Guesses the JIT compiler of code without a file from the mapped files. In a run with several
 * processes, all their files count. For other runtimes, the hint is a list.
 */
#include "elfsym/names/jit-hint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void sprof_jit_hint_write(
	const struct sprof_modules *modules, uint64_t pid, char *buffer, size_t size)
{
	const struct runtimes found = look(modules);

	if (found.java)
		snprintf(buffer, size,
			"jcmd %llu Compiler.perfmap while it runs writes one (Java 17 and later), or "
			"java -XX:+DumpPerfMapAtExit",
			(unsigned long long)pid);
	else if (found.node)
		snprintf(buffer, size, "node --perf-basic-prof writes one");
	else if (found.python)
		snprintf(buffer, size, "python3 -X perf writes one");
	else
		snprintf(buffer, size,
			"have the JIT compiler write a perf map: node --perf-basic-prof, "
			"python3 -X perf, java -XX:+DumpPerfMapAtExit");
}
