/*
 * Names of arguments of well-known system calls, as the kernel's own events have them
 * (SYSCALL_DEFINE in its sources). Does not handle other calls: their arguments are args[0..5].
 */
#include "events/call-fields.h"

#include <string.h>

struct call {
	const char *name;
	const char *arguments[SPROF_TRACE_ARGUMENTS];
};

/* clang-format off */
static const struct call calls[] = {
	{"accept", {"fd", "upeer_sockaddr", "upeer_addrlen"}},
	{"accept4", {"fd", "upeer_sockaddr", "upeer_addrlen", "flags"}},
	{"access", {"filename", "mode"}},
	{"bind", {"fd", "umyaddr", "addrlen"}},
	{"brk", {"brk"}},
	{"clock_nanosleep", {"which_clock", "flags", "rqtp", "rmtp"}},
	{"close", {"fd"}},
	{"connect", {"fd", "uservaddr", "addrlen"}},
	{"copy_file_range", {"fd_in", "off_in", "fd_out", "off_out", "len", "flags"}},
	{"dup", {"fildes"}},
	{"dup2", {"oldfd", "newfd"}},
	{"dup3", {"oldfd", "newfd", "flags"}},
	{"epoll_ctl", {"epfd", "op", "fd", "event"}},
	{"epoll_pwait", {"epfd", "events", "maxevents", "timeout", "sigmask", "sigsetsize"}},
	{"epoll_wait", {"epfd", "events", "maxevents", "timeout"}},
	{"execve", {"filename", "argv", "envp"}},
	{"exit", {"error_code"}},
	{"exit_group", {"error_code"}},
	{"faccessat", {"dfd", "filename", "mode"}},
	{"fallocate", {"fd", "mode", "offset", "len"}},
	{"fchmod", {"fd", "mode"}},
	{"fcntl", {"fd", "cmd", "arg"}},
	{"fdatasync", {"fd"}},
	{"flock", {"fd", "cmd"}},
	{"fstat", {"fd", "statbuf"}},
	{"fsync", {"fd"}},
	{"ftruncate", {"fd", "length"}},
	{"futex", {"uaddr", "op", "val", "utime", "uaddr2", "val3"}},
	{"getdents64", {"fd", "dirent", "count"}},
	{"getrandom", {"ubuf", "len", "flags"}},
	{"io_uring_enter", {"fd", "to_submit", "min_complete", "flags", "argp", "argsz"}},
	{"ioctl", {"fd", "cmd", "arg"}},
	{"kill", {"pid", "sig"}},
	{"listen", {"fd", "backlog"}},
	{"lseek", {"fd", "offset", "whence"}},
	{"lstat", {"filename", "statbuf"}},
	{"madvise", {"start", "len_in", "behavior"}},
	{"mkdir", {"pathname", "mode"}},
	{"mkdirat", {"dfd", "pathname", "mode"}},
	{"mmap", {"addr", "len", "prot", "flags", "fd", "off"}},
	{"mprotect", {"start", "len", "prot"}},
	{"mremap", {"addr", "old_len", "new_len", "flags", "new_addr"}},
	{"msync", {"start", "len", "flags"}},
	{"munmap", {"addr", "len"}},
	{"nanosleep", {"rqtp", "rmtp"}},
	{"newfstatat", {"dfd", "filename", "statbuf", "flag"}},
	{"open", {"filename", "flags", "mode"}},
	{"openat", {"dfd", "filename", "flags", "mode"}},
	{"pipe2", {"fildes", "flags"}},
	{"poll", {"ufds", "nfds", "timeout_msecs"}},
	{"ppoll", {"ufds", "nfds", "tsp", "sigmask", "sigsetsize"}},
	{"pread64", {"fd", "buf", "count", "pos"}},
	{"preadv", {"fd", "vec", "vlen", "pos_l", "pos_h"}},
	{"pselect6", {"n", "inp", "outp", "exp", "tsp", "sig"}},
	{"pwrite64", {"fd", "buf", "count", "pos"}},
	{"pwritev", {"fd", "vec", "vlen", "pos_l", "pos_h"}},
	{"read", {"fd", "buf", "count"}},
	{"readahead", {"fd", "offset", "count"}},
	{"readlink", {"path", "buf", "bufsiz"}},
	{"readlinkat", {"dfd", "pathname", "buf", "bufsiz"}},
	{"readv", {"fd", "vec", "vlen"}},
	{"recvfrom", {"fd", "ubuf", "size", "flags", "addr", "addr_len"}},
	{"recvmmsg", {"fd", "mmsg", "vlen", "flags", "timeout"}},
	{"recvmsg", {"fd", "msg", "flags"}},
	{"rename", {"oldname", "newname"}},
	{"renameat2", {"olddfd", "oldname", "newdfd", "newname", "flags"}},
	{"select", {"n", "inp", "outp", "exp", "tvp"}},
	{"sendfile", {"out_fd", "in_fd", "offset", "count"}},
	{"sendmmsg", {"fd", "mmsg", "vlen", "flags"}},
	{"sendmsg", {"fd", "msg", "flags"}},
	{"sendto", {"fd", "buff", "len", "flags", "addr", "addr_len"}},
	{"setsockopt", {"fd", "level", "optname", "optval", "optlen"}},
	{"shutdown", {"fd", "how"}},
	{"socket", {"family", "type", "protocol"}},
	{"splice", {"fd_in", "off_in", "fd_out", "off_out", "len", "flags"}},
	{"stat", {"filename", "statbuf"}},
	{"statx", {"dfd", "filename", "flags", "mask", "buffer"}},
	{"tgkill", {"tgid", "pid", "sig"}},
	{"tkill", {"pid", "sig"}},
	{"truncate", {"path", "length"}},
	{"unlink", {"pathname"}},
	{"unlinkat", {"dfd", "pathname", "flag"}},
	{"wait4", {"upid", "stat_addr", "options", "ru"}},
	{"waitid", {"which", "upid", "infop", "options", "ru"}},
	{"write", {"fd", "buf", "count"}},
	{"writev", {"fd", "vec", "vlen"}},
};
/* clang-format on */

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

const char *sprof_trace_call_argument(const char *call, size_t index)
{
	const struct call *found = find_call(call);

	return found && index < SPROF_TRACE_ARGUMENTS ? found->arguments[index] : NULL;
}

static bool find_argument(
	const char *call, const char *name, size_t length, struct sprof_trace_field *ret)
{
	const char *argument;

	for (size_t i = 0; (argument = sprof_trace_call_argument(call, i)); i++) {
		if (!equals(argument, name, length))
			continue;
		/* The first value is the number of the call. */
		*ret = (struct sprof_trace_field){
			argument, SPROF_TRACE_INTEGER, (uint8_t)(i + 1), 1};
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
