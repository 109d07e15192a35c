/*
 * Parses a thread's kernel stack (fs/proc/base.c). Keeps the outermost functions, although they are
 * the same for every system call.
 */
#include "blocked/kernel-stack.h"

#include <string.h>

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

bool sprof_kernel_stack_is_frozen(const struct sprof_kernel_stack *stack)
{
	/* kernel/freezer.c and kernel/signal.c; the compiler may have inlined the first function
	 * into the second */
	static const char *const names[] = {"__refrigerator", "do_freezer_trap", "get_signal"};

	for (size_t i = 0; i < stack->count; i++) {
		for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
			if (!strcmp(stack->frames[i], names[j]))
				return true;
		}
	}
	return false;
}
