/* Reads the files with the kernel stack. kernel-stack.c parses them. */
#include "blocked/kernel-stack-read.h"

#include <string.h>

#include "base/proc.h"

void sprof_kernel_stack_read(pid_t pid, pid_t tid, struct sprof_kernel_stack *ret)
{
	ret->count = 0;
	if (sprof_proc_read_file(pid, tid, "stack", ret->text, sizeof(ret->text)) > 0)
		sprof_kernel_stack_parse(ret);
	if (ret->count)
		return;
	if (sprof_proc_read_file(pid, tid, "wchan", ret->text, sizeof(ret->text)) > 0 &&
		strcmp(ret->text, "0") != 0)
		ret->frames[ret->count++] = ret->text;
}
