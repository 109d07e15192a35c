/*
 * Opens the file of a process's program and examines it. Does not handle what is in the file.
 */
#include "attach/program.h"

#include "attach/ptrace-user.h"
#include "attach/word-size.h"
#include "base/cleanup.h"
#include "base/proc.h"

bool sprof_program_has_other_word_size(pid_t pid)
{
	SPROF_AUTO_CLOSE int fd = sprof_proc_open(pid, 0, "exe");

	return fd >= 0 && sprof_word_size_differs(fd);
}

bool sprof_program_may_trace(pid_t pid)
{
	SPROF_AUTO_CLOSE int fd = sprof_proc_open(pid, 0, "exe");

	return fd >= 0 && sprof_ptrace_user_file(fd);
}
