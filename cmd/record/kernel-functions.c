/*
 * Names for kernel stacks of running threads, from /proc/kallsyms (proc(5)). For blocked threads
 * the kernel provides names: blocked/kernel-stack-read.c. Does not handle code loaded after the
 * list was read: modules, BPF programs.
 */
#include "cmd/record/kernel-functions.h"

#include <inttypes.h>
#include <stdio.h>

#include "elfsym/symlist/symlist.h"

struct sprof_symlist *sprof_kernel_functions_open(void)
{
	struct sprof_symlist *functions;
	struct sprof_error err;

	if (!sprof_symlist_open(SPROF_SYMLIST_SYSMAP, "/proc/kallsyms", &functions, &err))
		return NULL;
	if (functions->functions && !functions->all_zero)
		return functions;
	sprof_symlist_destroy(functions);
	return NULL;
}

void sprof_kernel_functions_name(const void *functions, uint64_t address, char *buffer, size_t size)
{
	const struct sprof_symlist_line *found = sprof_symlist_find(functions, address);

	if (found)
		snprintf(buffer, size, "%.*s", (int)found->name_length, found->name);
	else
		snprintf(buffer, size, "0x%" PRIx64, address);
}
