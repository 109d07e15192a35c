/*
 * A program for the kernel that selects system calls: the others run at nearly full speed.
 */
#ifndef SPROF_EVENTS_CALL_FILTER_H
#define SPROF_EVENTS_CALL_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"

struct sock_fprog;

/* What the filter says with the calls that it selects (SECCOMP_RET_DATA). */
enum { SPROF_CALL_FILTER_VALUE = 0x5350 };

/*
 * A filter for these numbers of this machine's own architecture; calls of others are not selected.
 * It selects also rt_sigreturn(2) and restart_syscall(2), which tell how a broken call goes on.
 * sprof_call_filter_free() frees it.
 */
SPROF_MUST_USE bool sprof_call_filter_create(
	const int64_t *numbers, size_t count, struct sock_fprog *ret, struct sprof_error *err);
void sprof_call_filter_free(struct sock_fprog *filter);

#endif
