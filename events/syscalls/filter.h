/* A seccomp filter that selects system calls; all other calls run at nearly full speed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"

struct sock_fprog;

/* SECCOMP_RET_DATA of selected calls. */
enum { SPROF_CALL_FILTER_VALUE = 0x5350 };

/*
 * Creates a filter for these system call numbers of the native architecture; calls of other
 * architectures are not selected. The filter also selects rt_sigreturn(2) and restart_syscall(2),
 * because they show how an interrupted call continues. Free it with sprof_call_filter_free().
 */
SPROF_MUST_USE bool sprof_call_filter_create(
	const int64_t *numbers, size_t count, struct sock_fprog *ret, struct sprof_error *err);
void sprof_call_filter_free(struct sock_fprog *filter);
