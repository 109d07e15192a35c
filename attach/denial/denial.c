/*
 * Finds why an attach was refused. Follows the order of the kernel's checks (kernel/ptrace.c,
 * ptrace_attach and __ptrace_may_access; Documentation/admin-guide/LSM/Yama.rst), so it names the
 * cause that must be removed first.
 */
#include "attach/denial/denial.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/proc/procfs.h"
#include "base/cleanup.h"

/* include/uapi/linux/capability.h */
enum { CAP_SYS_PTRACE_BIT = 19 };

/* Reads a file under the root of /proc. Returns false if it can't be read. */
static bool read_under(const char *root, const char *name, char *text, size_t size)
{
	SPROF_AUTO_CLOSE int fd = -1;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 && sprof_proc_status_read_open(fd, text, size) >= 0;
}

/* Reads a file of a process. */
static bool read_of(const char *root, long pid, const char *name, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "%ld/%s", pid, name);
	return read_under(root, path, text, size);
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
	char text[1024];
	struct sprof_proc_stat stat;

	return read_of(root, pid, "stat", text, sizeof(text)) &&
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
	char text[16];

	return read_under(root, "sys/kernel/yama/ptrace_scope", text, sizeof(text)) ? atoi(text)
										    : 0;
}

/*
 * For a process that is not dumpable, the kernel gives the files to root, but not the folder
 * (proc(5); fs/proc/base.c, task_dump_owner).
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
	char text[SPROF_PROC_STATUS_MAX];
	long tracer;

	if (!sprof_proc_status_number(status, "TracerPid", &tracer) || !tracer)
		return false;
	ret->tracer = (pid_t)tracer;
	if (!read_of(root, tracer, "status", text, sizeof(text)))
		return true;
	/* TracerPid is a thread; we want its process. */
	if (sprof_proc_status_number(text, "Tgid", &tracer))
		ret->tracer = (pid_t)tracer;
	if (!sprof_proc_status_field(text, "Name", ret->tracer_name, sizeof(ret->tracer_name)))
		ret->tracer_name[0] = '\0';
	return true;
}

/*
 * Whether the process is in another user namespace. Its namespace link in /proc is readable only
 * with permission to trace it. Its id mappings, as seen from here, are readable by everyone
 * (user_namespaces(7)).
 */
static bool is_in_other_namespace(const char *root, pid_t pid)
{
	char theirs[4096], ours[4096];

	return read_of(root, pid, "uid_map", theirs, sizeof(theirs)) &&
		read_under(root, "self/uid_map", ours, sizeof(ours)) && strcmp(theirs, ours) != 0;
}

/* The kernel shows this id for every id that our namespace does not map. */
static long overflow_uid(const char *root)
{
	char text[32];

	return read_under(root, "sys/kernel/overflowuid", text, sizeof(text)) ? atol(text) : 65534;
}

static long number_or_zero(const char *status, const char *field)
{
	long number;

	return sprof_proc_status_number(status, field, &number) ? number : 0;
}

/* Compares our ids and capabilities with the target's. */
static enum sprof_denial compare_rights(const char *root, pid_t pid, const char *theirs,
	const char *ours, struct sprof_denial_facts *ret)
{
	unsigned long long capable = capabilities(ours, "CapEff");
	long our_uid = number_or_zero(ours, "Uid"), seccomp = number_or_zero(ours, "Seccomp");
	bool is_foreign;

	ret->owner = number_or_zero(theirs, "Uid");
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

void sprof_denial_find(const char *root, pid_t pid, int errnum, struct sprof_denial_facts *ret)
{
	char theirs[SPROF_PROC_STATUS_MAX], ours[SPROF_PROC_STATUS_MAX];

	*ret = (struct sprof_denial_facts){.cause = SPROF_DENIAL_GONE};
	if (!read_of(root, pid, "status", theirs, sizeof(theirs)) || is_ending(theirs) ||
		has_flag(root, pid, SPROF_PF_EXITING))
		return;
	ret->cause = SPROF_DENIAL_UNKNOWN;
	if (pid == getpid())
		ret->cause = SPROF_DENIAL_SELF;
	else if (has_flag(root, pid, SPROF_PF_KTHREAD))
		ret->cause = SPROF_DENIAL_KERNEL_THREAD;
	else if (find_tracer(root, theirs, ret))
		ret->cause = SPROF_DENIAL_TRACED;
	else if (errnum == ENOSYS) /* every kernel has ptrace(2) */
		ret->cause = SPROF_DENIAL_SECCOMP;
	else if ((errnum == EPERM || errnum == EACCES) &&
		read_under(root, "self/status", ours, sizeof(ours)))
		ret->cause = compare_rights(root, pid, theirs, ours, ret);
}

static void explain_yama(int scope, struct sprof_error *err)
{
	if (scope >= 3)
		sprof_error_hint(err,
			"kernel.yama.ptrace_scope is 3: no process may attach until the next boot");
	else if (scope == 2)
		sprof_error_hint(err, "kernel.yama.ptrace_scope is 2: attach as root");
	else
		sprof_error_hint(err,
			"kernel.yama.ptrace_scope is 1: attach as root, start the program "
			"with 'sprof run', or set it to 0 with sysctl");
}

static void explain(const struct sprof_denial_facts *facts, struct sprof_error *err)
{
	switch (facts->cause) {
	case SPROF_DENIAL_TRACED:
		sprof_error_hint(err,
			"it is traced by process %d (%s), and a process has one tracer only",
			facts->tracer, facts->tracer_name[0] ? facts->tracer_name : "?");
		break;
	case SPROF_DENIAL_NAMESPACE:
		sprof_error_hint(err,
			"it is in another user namespace, a container's or the host's: attach from "
			"inside it, or as root of the host");
		break;
	case SPROF_DENIAL_OTHER_USER:
		if (geteuid())
			sprof_error_hint(err,
				"it belongs to the user with id %ld: attach as that user or as "
				"root",
				facts->owner);
		else
			sprof_error_hint(err,
				"it belongs to the user with id %ld, and this root lacks "
				"CAP_SYS_PTRACE: attach as that user, or with the capability",
				facts->owner);
		break;
	case SPROF_DENIAL_NOT_DUMPABLE:
		sprof_error_hint(err,
			"it made itself undumpable, or its program is set-user-ID or not "
			"readable: attach as root");
		break;
	case SPROF_DENIAL_CAPABILITIES:
		sprof_error_hint(err,
			"it has capabilities that you lack: attach as root or with CAP_SYS_PTRACE");
		break;
	case SPROF_DENIAL_YAMA:
		explain_yama(facts->yama_scope, err);
		break;
	case SPROF_DENIAL_SECCOMP:
		sprof_error_hint(err,
			"a seccomp filter of this container or sandbox forbids ptrace: "
			"add the SYS_PTRACE capability or profile from outside");
		break;
	case SPROF_DENIAL_UNKNOWN:
		sprof_error_hint(err,
			"a security module or a sandbox may be in the way: attach as "
			"root of the host");
		break;
	case SPROF_DENIAL_GONE:
	case SPROF_DENIAL_KERNEL_THREAD:
	case SPROF_DENIAL_SELF:
		break;
	}
}

bool sprof_denial_error(
	const struct sprof_denial_facts *facts, pid_t pid, int errnum, struct sprof_error *err)
{
	switch (facts->cause) {
	case SPROF_DENIAL_GONE:
		return sprof_error_set(
			err, SPROF_ERROR_TARGET_GONE, "attach to %d: no such process", pid);
	case SPROF_DENIAL_KERNEL_THREAD:
		return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
			"attach to %d: it is a kernel thread and has no user code", pid);
	case SPROF_DENIAL_SELF:
		return sprof_error_set(
			err, SPROF_ERROR_USAGE, "attach to %d: that is sprof itself", pid);
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
