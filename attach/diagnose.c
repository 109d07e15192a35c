/*
 * Why an attach was refused. Follows the order of the kernel's own checks (kernel/ptrace.c,
 * ptrace_attach and __ptrace_may_access; Documentation/admin-guide/LSM/Yama.rst), so that the cause
 * it names is the one that has to be removed first.
 */
#include "attach/diagnose.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/procfs.h"

/* include/uapi/linux/capability.h */
enum { CAP_SYS_PTRACE_BIT = 19 };

enum { STATUS_SIZE = 8192 };

static bool read_status(const char *root, const char *pid, char *text)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s/status", root, pid);
	return sprof_proc_read_path(path, text, STATUS_SIZE) > 0;
}

static unsigned long long capabilities(const char *status, const char *field)
{
	char value[32];

	if (!sprof_proc_status_field(status, field, value, sizeof(value)))
		return 0;
	return strtoull(value, NULL, 16);
}

static bool has_flag(const char *root, pid_t pid, uint64_t flag)
{
	char path[PATH_MAX], text[1024];
	struct sprof_proc_stat stat;

	snprintf(path, sizeof(path), "%s/%d/stat", root, pid);
	return sprof_proc_read_path(path, text, sizeof(text)) > 0 &&
		sprof_proc_parse_stat(text, &stat) && (stat.flags & flag);
}

static bool is_ending(const char *status)
{
	char state[32];

	return sprof_proc_status_field(status, "State", state, sizeof(state)) &&
		(state[0] == 'Z' || state[0] == 'X');
}

static int yama_scope(const char *root)
{
	char path[PATH_MAX], text[16];

	snprintf(path, sizeof(path), "%s/sys/kernel/yama/ptrace_scope", root);
	return sprof_proc_read_path(path, text, sizeof(text)) > 0 ? atoi(text) : 0;
}

/*
 * The kernel gives the files of a process that is not dumpable to root, but not its folder (proc(5);
 * fs/proc/base.c, task_dump_owner).
 */
static bool is_dumpable(const char *root, pid_t pid, long owner)
{
	char path[PATH_MAX];
	struct stat status;

	snprintf(path, sizeof(path), "%s/%d/status", root, pid);
	return stat(path, &status) || owner == 0 || status.st_uid != 0;
}

static bool find_tracer(const char *root, const char *status, struct sprof_denial_facts *ret)
{
	char name[32], text[STATUS_SIZE];
	long tracer;

	if (!sprof_proc_status_number(status, "TracerPid", &tracer) || !tracer)
		return false;
	ret->tracer = (pid_t)tracer;
	snprintf(name, sizeof(name), "%ld", tracer);
	if (!read_status(root, name, text))
		return true;
	/* The process, not the thread of it that traces. */
	if (sprof_proc_status_number(text, "Tgid", &tracer))
		ret->tracer = (pid_t)tracer;
	if (!sprof_proc_status_field(text, "Name", ret->tracer_name, sizeof(ret->tracer_name)))
		ret->tracer_name[0] = '\0';
	return true;
}

/*
 * Whether the process lives in another user namespace than we. Its link in /proc tells that only to those
 * who may trace it; what its ids stand for, as seen from here, everybody may read (user_namespaces(7)).
 */
static bool is_in_other_namespace(const char *root, pid_t pid)
{
	char path[PATH_MAX], theirs[4096], ours[4096];

	snprintf(path, sizeof(path), "%s/%d/uid_map", root, pid);
	if (sprof_proc_read_path(path, theirs, sizeof(theirs)) < 0)
		return false;
	snprintf(path, sizeof(path), "%s/self/uid_map", root);
	return sprof_proc_read_path(path, ours, sizeof(ours)) >= 0 && strcmp(theirs, ours) != 0;
}

/* An id that has none in our namespace is shown as this one. */
static long overflow_uid(const char *root)
{
	char path[PATH_MAX], text[32];

	snprintf(path, sizeof(path), "%s/sys/kernel/overflowuid", root);
	return sprof_proc_read_path(path, text, sizeof(text)) > 0 ? atol(text) : 65534;
}

/* Who we are against who the target is. */
static enum sprof_denial compare_rights(const char *root, pid_t pid, const char *theirs,
	const char *ours, struct sprof_denial_facts *ret)
{
	unsigned long long capable = capabilities(ours, "CapEff");
	long our_uid = 0, seccomp = 0;
	bool is_foreign;

	sprof_proc_status_number(theirs, "Uid", &ret->owner);
	sprof_proc_status_number(ours, "Uid", &our_uid);
	sprof_proc_status_number(ours, "Seccomp", &seccomp);
	ret->yama_scope = yama_scope(root);
	if (ret->yama_scope >= 3)
		return SPROF_DENIAL_YAMA;
	is_foreign = is_in_other_namespace(root, pid);
	if (is_foreign && (capable >> CAP_SYS_PTRACE_BIT & 1 || ret->owner == overflow_uid(root)))
		return SPROF_DENIAL_NAMESPACE;
	if (capable >> CAP_SYS_PTRACE_BIT & 1)
		return seccomp ? SPROF_DENIAL_SECCOMP : SPROF_DENIAL_UNKNOWN;
	if (ret->owner != our_uid)
		return SPROF_DENIAL_OTHER_USER;
	if (!is_dumpable(root, pid, ret->owner))
		return SPROF_DENIAL_NOT_DUMPABLE;
	if (capabilities(theirs, "CapPrm") & ~capable)
		return is_foreign ? SPROF_DENIAL_NAMESPACE : SPROF_DENIAL_CAPABILITIES;
	if (ret->yama_scope)
		return SPROF_DENIAL_YAMA;
	return seccomp ? SPROF_DENIAL_SECCOMP : SPROF_DENIAL_UNKNOWN;
}

void sprof_denial_find(
	const char *root, pid_t pid, int errnum, struct sprof_denial_facts *ret)
{
	char name[32], theirs[STATUS_SIZE], ours[STATUS_SIZE];

	*ret = (struct sprof_denial_facts){.cause = SPROF_DENIAL_GONE};
	snprintf(name, sizeof(name), "%d", pid);
	if (!read_status(root, name, theirs) || is_ending(theirs) ||
		has_flag(root, pid, SPROF_PF_EXITING))
		return;
	ret->cause = SPROF_DENIAL_UNKNOWN;
	if (pid == getpid())
		ret->cause = SPROF_DENIAL_SELF;
	else if (has_flag(root, pid, SPROF_PF_KTHREAD))
		ret->cause = SPROF_DENIAL_KERNEL_THREAD;
	else if (find_tracer(root, theirs, ret))
		ret->cause = SPROF_DENIAL_TRACED;
	else if ((errnum == EPERM || errnum == EACCES) && read_status(root, "self", ours))
		ret->cause = compare_rights(root, pid, theirs, ours, ret);
}

static void explain_yama(int scope, struct sprof_error *err)
{
	if (scope >= 3)
		sprof_error_hint(err, "kernel.yama.ptrace_scope is 3: nobody may attach until the next boot");
	else if (scope == 2)
		sprof_error_hint(err, "kernel.yama.ptrace_scope is 2: attach as root");
	else
		sprof_error_hint(err, "kernel.yama.ptrace_scope is 1: attach as root, start the program "
			"with 'sprof run', or set it to 0 with sysctl");
}

static void explain(const struct sprof_denial_facts *facts, struct sprof_error *err)
{
	switch (facts->cause) {
	case SPROF_DENIAL_TRACED:
		sprof_error_hint(err, "it is traced by process %d (%s), and a process has one tracer only",
			facts->tracer, facts->tracer_name[0] ? facts->tracer_name : "?");
		break;
	case SPROF_DENIAL_NAMESPACE:
		sprof_error_hint(err, "it lives in another user namespace, a container's or that of the "
			"host: attach from in there, or as root of the host");
		break;
	case SPROF_DENIAL_OTHER_USER:
		sprof_error_hint(err, "it belongs to the user with id %ld: attach as that user or as root",
			facts->owner);
		break;
	case SPROF_DENIAL_NOT_DUMPABLE:
		sprof_error_hint(err, "it made itself undumpable, or its program is set-user-ID or not "
			"readable: attach as root");
		break;
	case SPROF_DENIAL_CAPABILITIES:
		sprof_error_hint(err, "it has capabilities that you lack: attach as root or with CAP_SYS_PTRACE");
		break;
	case SPROF_DENIAL_YAMA:
		explain_yama(facts->yama_scope, err);
		break;
	case SPROF_DENIAL_SECCOMP:
		sprof_error_hint(err, "a seccomp filter of this container or sandbox forbids ptrace: "
			"add the SYS_PTRACE capability or profile from outside");
		break;
	case SPROF_DENIAL_UNKNOWN:
		sprof_error_hint(err, "a security module or a sandbox may be in the way: attach as root of the host");
		break;
	case SPROF_DENIAL_GONE:
	case SPROF_DENIAL_KERNEL_THREAD:
	case SPROF_DENIAL_SELF:
		break;
	}
}

bool sprof_denial_error(const struct sprof_denial_facts *facts, pid_t pid, int errnum,
	struct sprof_error *err)
{
	switch (facts->cause) {
	case SPROF_DENIAL_GONE:
		return sprof_error_set(err, SPROF_ERROR_TARGET_GONE, "attach to %d: no such process", pid);
	case SPROF_DENIAL_KERNEL_THREAD:
		return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
			"attach to %d: it is a kernel thread and has no user code", pid);
	case SPROF_DENIAL_SELF:
		return sprof_error_set(err, SPROF_ERROR_USAGE, "attach to %d: that is sprof itself", pid);
	case SPROF_DENIAL_TRACED:
	case SPROF_DENIAL_NAMESPACE:
	case SPROF_DENIAL_OTHER_USER:
	case SPROF_DENIAL_NOT_DUMPABLE:
	case SPROF_DENIAL_CAPABILITIES:
	case SPROF_DENIAL_YAMA:
	case SPROF_DENIAL_SECCOMP:
	case SPROF_DENIAL_UNKNOWN:
		break;
	}
	sprof_error_errno(err, errnum, "attach to %d", pid);
	explain(facts, err);
	return false;
}

bool sprof_diagnose(pid_t pid, int errnum, struct sprof_error *err)
{
	struct sprof_denial_facts facts;

	sprof_denial_find("/proc", pid, errnum, &facts);
	return sprof_denial_error(&facts, pid, errnum, err);
}
