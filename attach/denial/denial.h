/* Why an attach was refused: the cause, and its remedy. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/error.h"

enum sprof_denial {
	SPROF_DENIAL_GONE, /* no such process, or it is ending */
	SPROF_DENIAL_KERNEL_THREAD,
	SPROF_DENIAL_SELF,
	SPROF_DENIAL_TRACED,    /* already traced, such as by gdb or strace */
	SPROF_DENIAL_NAMESPACE, /* in another user namespace, where sprof has no privileges */
	SPROF_DENIAL_OTHER_USER,
	SPROF_DENIAL_NOT_DUMPABLE, /* PR_SET_DUMPABLE 0, or an unreadable or set-user-ID program */
	SPROF_DENIAL_CAPABILITIES, /* the target has capabilities that sprof lacks */
	SPROF_DENIAL_YAMA,         /* kernel.yama.ptrace_scope */
	SPROF_DENIAL_SECCOMP,      /* ptrace is denied by a seccomp filter, as in many containers */
	SPROF_DENIAL_UNKNOWN,
};

struct sprof_denial_facts {
	enum sprof_denial cause;
	pid_t tracer;         /* TRACED */
	char tracer_name[64]; /* TRACED; empty if not visible */
	long owner;           /* OTHER_USER: the target's user id */
	int yama_scope;       /* YAMA */
};

/* Finds the cause in the files under `root` ("/proc"; tests use another). errnum is ptrace's. */
void sprof_denial_find(const char *root, pid_t pid, int errnum, struct sprof_denial_facts *ret);

/* Sets an error with a hint from the facts. Returns false. */
SPROF_MUST_USE bool sprof_denial_error(
	const struct sprof_denial_facts *facts, pid_t pid, int errnum, struct sprof_error *err);

/* Sets the error for a process that ptrace refused with errnum, with a hint if there is a remedy.
 * Returns false. */
SPROF_MUST_USE bool sprof_diagnose(pid_t pid, int errnum, struct sprof_error *err);
