/*
 * Any text as each of the other files of /proc: parsed or refused, never read beyond its end, and
 * the strings that come out are whole.
 */
#include "attach/proc/procfs.h"
#include "tests/fuzz/fuzz.h"

static void try_stat(const char *text)
{
	struct sprof_proc_stat stat;

	if (sprof_proc_parse_stat(text, &stat)) {
		fuzz_require(memchr(stat.comm, '\0', sizeof(stat.comm)) != NULL);
		fuzz_require(stat.state != '\0');
	}
}

static void try_syscall(const char *text)
{
	struct sprof_proc_syscall call;

	if (!sprof_proc_parse_syscall(text, &call))
		return;
	fuzz_require((call.kind == SPROF_PROC_SYSCALL_INSIDE) == (call.number >= 0));
}

/* The first line is the name of the field that is looked for in the others. */
static void try_status(char *text)
{
	char *rest = strchr(text, '\n'), value[16];
	long number;

	if (!rest)
		return;
	*rest++ = '\0';
	if (sprof_proc_status_field(rest, text, value, sizeof(value)))
		fuzz_require(memchr(value, '\0', sizeof(value)) && !strchr(value, '\n'));
	if (sprof_proc_status_number(rest, text, &number))
		fuzz_require(*rest);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *text = fuzz_text(bytes, size);
	struct sprof_proc_schedstat schedstat;
	struct sprof_proc_loadavg loadavg;
	struct sprof_proc_cpus cpus;

	try_stat(text);
	try_syscall(text);
	if (sprof_proc_parse_schedstat(text, &schedstat) ||
		sprof_proc_parse_loadavg(text, &loadavg) || sprof_proc_parse_cpus(text, &cpus))
		fuzz_require(*text);
	try_status(text);
	free(text);
	return 0;
}
