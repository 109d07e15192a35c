/* A blocked thread's kernel stack, as far as the kernel shows it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { SPROF_KERNEL_FRAMES = 32, SPROF_KERNEL_TEXT = 4096 };

struct sprof_kernel_stack {
	char text[SPROF_KERNEL_TEXT];
	const char *frames[SPROF_KERNEL_FRAMES]; /* innermost first; pointers into the text */
	size_t count;
};

/* Splits ret->text, from /proc/PID/task/TID/stack, into names: "[<0>] pipe_read+0x1a/0x3b". */
void sprof_kernel_stack_parse(struct sprof_kernel_stack *ret);

/*
 * Whether a thread blocked outside a system call is in a frozen control group. No file of /proc
 * shows that. Its state is "sleeping" or, in older control groups, "disk sleep".
 */
bool sprof_kernel_stack_is_frozen(const struct sprof_kernel_stack *stack);
