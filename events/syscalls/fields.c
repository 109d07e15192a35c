/*
 * Argument names of well-known system calls, as in the kernel's own events (SYSCALL_DEFINE in its
 * sources). Arguments of other calls are args[0..5]. Arguments that may be negative are marked as
 * int: programs set only 32 bits of the register, so AT_FDCWD appears as 0xffffff9c.
 */
#include "events/syscalls/fields.h"

#include <string.h>

struct call {
	const char *name;
	const char *arguments[SPROF_TRACE_ARGUMENTS];
};

/* clang-format off */
static const struct call calls[] = {
	{"accept", {"int fd", "upeer_sockaddr", "upeer_addrlen"}},
	{"accept4", {"int fd", "upeer_sockaddr", "upeer_addrlen", "flags"}},
	{"access", {"filename", "mode"}},
	{"bind", {"int fd", "umyaddr", "addrlen"}},
	{"brk", {"brk"}},
	{"clock_nanosleep", {"int which_clock", "flags", "rqtp", "rmtp"}},
	{"close", {"int fd"}},
	{"connect", {"int fd", "uservaddr", "addrlen"}},
	{"copy_file_range", {"int fd_in", "off_in", "int fd_out", "off_out", "len", "flags"}},
	{"dup", {"int fildes"}},
	{"dup2", {"int oldfd", "int newfd"}},
	{"dup3", {"int oldfd", "int newfd", "flags"}},
	{"epoll_ctl", {"int epfd", "op", "int fd", "event"}},
	{"epoll_pwait", {"int epfd", "events", "maxevents", "int timeout", "sigmask", "sigsetsize"}},
	{"epoll_wait", {"int epfd", "events", "maxevents", "int timeout"}},
	{"execve", {"filename", "argv", "envp"}},
	{"exit", {"int error_code"}},
	{"exit_group", {"int error_code"}},
	{"faccessat", {"int dfd", "filename", "mode"}},
	{"fallocate", {"int fd", "mode", "offset", "len"}},
	{"fchmod", {"int fd", "mode"}},
	{"fcntl", {"int fd", "cmd", "arg"}},
	{"fdatasync", {"int fd"}},
	{"flock", {"int fd", "cmd"}},
	{"fstat", {"int fd", "statbuf"}},
	{"fsync", {"int fd"}},
	{"ftruncate", {"int fd", "length"}},
	{"futex", {"uaddr", "op", "val", "utime", "uaddr2", "val3"}},
	{"getdents64", {"int fd", "dirent", "count"}},
	{"getrandom", {"ubuf", "len", "flags"}},
	{"io_uring_enter", {"int fd", "to_submit", "min_complete", "flags", "argp", "argsz"}},
	{"ioctl", {"int fd", "cmd", "arg"}},
	{"kill", {"int pid", "int sig"}},
	{"listen", {"int fd", "backlog"}},
	{"lseek", {"int fd", "offset", "whence"}},
	{"lstat", {"filename", "statbuf"}},
	{"madvise", {"start", "len_in", "behavior"}},
	{"mkdir", {"pathname", "mode"}},
	{"mkdirat", {"int dfd", "pathname", "mode"}},
	{"mmap", {"addr", "len", "prot", "flags", "int fd", "off"}},
	{"mprotect", {"start", "len", "prot"}},
	{"mremap", {"addr", "old_len", "new_len", "flags", "new_addr"}},
	{"msync", {"start", "len", "flags"}},
	{"munmap", {"addr", "len"}},
	{"nanosleep", {"rqtp", "rmtp"}},
	{"newfstatat", {"int dfd", "filename", "statbuf", "flag"}},
	{"open", {"filename", "flags", "mode"}},
	{"openat", {"int dfd", "filename", "flags", "mode"}},
	{"pipe2", {"fildes", "flags"}},
	{"poll", {"ufds", "nfds", "int timeout_msecs"}},
	{"ppoll", {"ufds", "nfds", "tsp", "sigmask", "sigsetsize"}},
	{"pread64", {"int fd", "buf", "count", "pos"}},
	{"preadv", {"int fd", "vec", "vlen", "pos_l", "pos_h"}},
	{"pselect6", {"n", "inp", "outp", "exp", "tsp", "sig"}},
	{"pwrite64", {"int fd", "buf", "count", "pos"}},
	{"pwritev", {"int fd", "vec", "vlen", "pos_l", "pos_h"}},
	{"read", {"int fd", "buf", "count"}},
	{"readahead", {"int fd", "offset", "count"}},
	{"readlink", {"path", "buf", "bufsiz"}},
	{"readlinkat", {"int dfd", "pathname", "buf", "bufsiz"}},
	{"readv", {"int fd", "vec", "vlen"}},
	{"recvfrom", {"int fd", "ubuf", "size", "flags", "addr", "addr_len"}},
	{"recvmmsg", {"int fd", "mmsg", "vlen", "flags", "timeout"}},
	{"recvmsg", {"int fd", "msg", "flags"}},
	{"rename", {"oldname", "newname"}},
	{"renameat2", {"int olddfd", "oldname", "int newdfd", "newname", "flags"}},
	{"select", {"n", "inp", "outp", "exp", "tvp"}},
	{"sendfile", {"int out_fd", "int in_fd", "offset", "count"}},
	{"sendmmsg", {"int fd", "mmsg", "vlen", "flags"}},
	{"sendmsg", {"int fd", "msg", "flags"}},
	{"sendto", {"int fd", "buff", "len", "flags", "addr", "addr_len"}},
	{"setsockopt", {"int fd", "level", "optname", "optval", "optlen"}},
	{"shutdown", {"int fd", "how"}},
	{"socket", {"family", "type", "protocol"}},
	{"splice", {"int fd_in", "off_in", "int fd_out", "off_out", "len", "flags"}},
	{"stat", {"filename", "statbuf"}},
	{"statx", {"int dfd", "filename", "flags", "mask", "buffer"}},
	{"tgkill", {"int tgid", "int pid", "int sig"}},
	{"tkill", {"int pid", "int sig"}},
	{"truncate", {"path", "length"}},
	{"unlink", {"pathname"}},
	{"unlinkat", {"int dfd", "pathname", "flag"}},
	{"wait4", {"int upid", "stat_addr", "options", "ru"}},
	{"waitid", {"which", "int upid", "infop", "options", "ru"}},
	{"write", {"int fd", "buf", "count"}},
	{"writev", {"int fd", "vec", "vlen"}},
};
/* clang-format on */

static const char int_mark[] = "int ";

static bool equals(const char *name, const char *text, size_t length)
{
	return strlen(name) == length && !memcmp(name, text, length);
}

static const struct call *find_call(const char *name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (!strcmp(calls[i].name, name))
			return &calls[i];
	}
	return NULL;
}

/* Skips the mark, if there is one. */
static const char *name_of(const char *argument)
{
	const size_t mark = sizeof(int_mark) - 1;

	return strncmp(argument, int_mark, mark) == 0 ? argument + mark : argument;
}

const char *sprof_trace_call_argument(const char *call, size_t index)
{
	const struct call *found = find_call(call);

	if (!found || index >= SPROF_TRACE_ARGUMENTS || !found->arguments[index])
		return NULL;
	return name_of(found->arguments[index]);
}

static bool find_argument(
	const char *call, const char *name, size_t length, struct sprof_trace_field *ret)
{
	const struct call *found = find_call(call);

	for (size_t i = 0; found && i < SPROF_TRACE_ARGUMENTS && found->arguments[i]; i++) {
		const char *argument = name_of(found->arguments[i]);

		if (!equals(argument, name, length))
			continue;
		/* The first value is the number of the call. */
		*ret = (struct sprof_trace_field){.name = argument,
			.kind = SPROF_TRACE_INTEGER,
			.index = (uint8_t)(i + 1),
			.count = 1,
			.is_int = argument != found->arguments[i]};
		return true;
	}
	return false;
}

bool sprof_trace_scope_find(const struct sprof_trace_scope *scope, const char *name, size_t length,
	struct sprof_trace_field *ret)
{
	const struct sprof_trace_type_row *row = scope->row;

	for (size_t i = 0; i < row->field_count; i++) {
		if (equals(row->fields[i].name, name, length)) {
			*ret = row->fields[i];
			return true;
		}
	}
	if (row->type != SPROF_TRACE_SYS_ENTER || !scope->call)
		return false;
	return find_argument(scope->call, name, length, ret);
}
