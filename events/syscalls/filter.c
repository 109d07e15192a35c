/*
 * Filters by libseccomp. Does not handle conditions on arguments.
 */
#include "events/syscalls/filter.h"

#include <errno.h>
#include <linux/filter.h>
#include <seccomp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

/* 0, or a negative errno. A call that is there already is not an error. */
static int add_call(scmp_filter_ctx context, int number)
{
	int result = seccomp_rule_add(context, SCMP_ACT_TRACE(SPROF_CALL_FILTER_VALUE), number, 0);

	return result == -EEXIST ? 0 : result;
}

/* 0, or a negative errno. */
static int fill(scmp_filter_ctx context, const int64_t *numbers, size_t count)
{
	int result = seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ALLOW);

	for (size_t i = 0; i < count && !result; i++)
		result = add_call(context, (int)numbers[i]);
	if (!result)
		result = add_call(context, SCMP_SYS(rt_sigreturn));
	return result ? result : add_call(context, SCMP_SYS(restart_syscall));
}

/* The exported program is an array of struct sock_filter (seccomp_export_bpf(3)). */
static bool read_program(int file, struct sock_fprog *ret)
{
	struct stat status;
	struct sock_filter *instructions;

	if (fstat(file, &status))
		return false;
	instructions = malloc((size_t)status.st_size);
	if (!instructions ||
		pread(file, instructions, (size_t)status.st_size, 0) != status.st_size) {
		free(instructions);
		return false;
	}
	*ret = (struct sock_fprog){
		.len = (unsigned short)((size_t)status.st_size / sizeof(*instructions)),
		.filter = instructions,
	};
	return true;
}

bool sprof_call_filter_create(
	const int64_t *numbers, size_t count, struct sock_fprog *ret, struct sprof_error *err)
{
	SPROF_AUTO_CLOSE int file = memfd_create("filter", MFD_CLOEXEC);
	scmp_filter_ctx context = seccomp_init(SCMP_ACT_ALLOW);
	int result = context ? fill(context, numbers, count) : -ENOMEM;

	if (!result)
		result = file < 0 ? -errno : seccomp_export_bpf(context, file);
	if (!result && !read_program(file, ret))
		result = -ENOMEM;
	seccomp_release(context);
	return !result || sprof_error_errno(err, -result, "make a filter of system calls");
}

void sprof_call_filter_free(struct sock_fprog *filter)
{
	free(filter->filter);
	filter->filter = NULL;
}
