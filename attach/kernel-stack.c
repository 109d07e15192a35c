/*
 * The kernel's stack of a thread. Knows the two files that tell of it and how their lines look
 * (fs/proc/base.c); the outermost functions, which are the same for every system call, stay in.
 */
#include "attach/kernel-stack.h"

#include <stdio.h>
#include <string.h>

#include "attach/procfs.h"

void sprof_kernel_stack_parse(struct sprof_kernel_stack *ret)
{
	char *rest = ret->text, *line;

	ret->count = 0;
	while (ret->count < SPROF_KERNEL_FRAMES && (line = strsep(&rest, "\n"))) {
		char *name = strstr(line, "] ");

		if (!name)
			continue;
		name += 2;
		name[strcspn(name, "+ ")] = '\0';
		if (*name)
			ret->frames[ret->count++] = name;
	}
}

void sprof_kernel_stack_read(pid_t pid, pid_t tid, struct sprof_kernel_stack *ret)
{
	char path[96];

	ret->count = 0;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stack", pid, tid);
	if (sprof_proc_read_path(path, ret->text, sizeof(ret->text)) > 0)
		sprof_kernel_stack_parse(ret);
	if (ret->count)
		return;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/wchan", pid, tid);
	if (sprof_proc_read_path(path, ret->text, sizeof(ret->text)) > 0 &&
		strcmp(ret->text, "0") != 0)
		ret->frames[ret->count++] = ret->text;
}

bool sprof_kernel_stack_is_frozen(const struct sprof_kernel_stack *stack)
{
	/* kernel/freezer.c; kernel/signal.c, where the compiler may have inlined the first into the second */
	static const char *const names[] = {"__refrigerator", "do_freezer_trap", "get_signal"};

	for (size_t i = 0; i < stack->count; i++) {
		for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
			if (!strcmp(stack->frames[i], names[j]))
				return true;
		}
	}
	return false;
}
