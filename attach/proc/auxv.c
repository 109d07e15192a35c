/*
 * Reads /proc/PID/auxv (proc(5)). Not for 32-bit programs.
 */
#include "attach/proc/auxv.h"

#include <elf.h>
#include <stddef.h>

#include "base/proc.h"

enum { ITEMS = 64 };

uint64_t sprof_auxv_find(pid_t pid, uint64_t type)
{
	Elf64_auxv_t items[ITEMS];
	const ssize_t got = sprof_proc_read_file(pid, 0, "auxv", (char *)items, sizeof(items));

	for (size_t i = 0; got > 0 && i < (size_t)got / sizeof(items[0]); i++) {
		if (items[i].a_type == type)
			return items[i].a_un.a_val;
	}
	return 0;
}
