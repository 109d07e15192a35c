/*
 * The kernel's end of a blocked thread's stack, as far as the kernel tells.
 */
#ifndef SPROF_ATTACH_KERNEL_STACK_H
#define SPROF_ATTACH_KERNEL_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum {
	SPROF_KERNEL_FRAMES = 32,
	SPROF_KERNEL_TEXT = 4096
};

struct sprof_kernel_stack {
	char text[SPROF_KERNEL_TEXT];
	const char *frames[SPROF_KERNEL_FRAMES]; /* innermost first; in the text */
	size_t count;
};

/* Cuts ret->text, the text of /proc/PID/task/TID/stack, into names: "[<0>] pipe_read+0x1a/0x3b". */
void sprof_kernel_stack_parse(struct sprof_kernel_stack *ret);

/* All of it where that is permitted (root), else the one function of wchan, else nothing. */
void sprof_kernel_stack_read(pid_t pid, pid_t tid, struct sprof_kernel_stack *ret);

/*
 * Whether a thread that is blocked outside of any system call stands there because its control group is frozen. No
 * file of /proc says so; its state is that of a sleeper or, in the older kind of groups, of a wait for a disk.
 */
bool sprof_kernel_stack_is_frozen(const struct sprof_kernel_stack *stack);

#endif
