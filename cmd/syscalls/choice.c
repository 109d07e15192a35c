/*
 * Chooses system calls by name. Does not handle arguments.
 *
 * A class contains the calls that operate on such an object according to their manual pages. Names
 * unknown to this machine are left out.
 */
#include "cmd/syscalls/choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/syscall-name.h"

struct call_class {
	const char *name, *names; /* separated by blanks */
};

static const struct call_class classes[] = {
	{"file",
		"open openat openat2 creat stat lstat newfstatat statx access faccessat faccessat2 "
		"chmod fchmodat fchmodat2 chown lchown fchownat link linkat unlink unlinkat rename "
		"renameat renameat2 symlink symlinkat readlink readlinkat mkdir mkdirat mknod mknodat "
		"rmdir chdir chroot getcwd truncate utime utimes utimensat futimesat statfs mount "
		"umount2 pivot_root quotactl swapon swapoff acct uselib execve execveat getxattr "
		"lgetxattr setxattr lsetxattr listxattr llistxattr removexattr lremovexattr "
		"inotify_add_watch name_to_handle_at open_tree move_mount"},
	{"desc",
		"read readv pread64 preadv preadv2 write writev pwrite64 pwritev pwritev2 close "
		"close_range dup dup2 dup3 fcntl ioctl lseek fstat fsync fdatasync sync_file_range "
		"ftruncate fallocate flock getdents getdents64 poll ppoll select pselect6 "
		"epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 pipe pipe2 "
		"eventfd eventfd2 signalfd signalfd4 timerfd_create timerfd_settime timerfd_gettime "
		"splice tee vmsplice sendfile copy_file_range fadvise64 readahead mmap io_uring_setup "
		"io_uring_enter io_uring_register inotify_init inotify_init1 fchmod fchown fchdir "
		"fstatfs fgetxattr fsetxattr flistxattr fremovexattr memfd_create"},
	{"network",
		"socket socketpair bind listen accept accept4 connect getsockname getpeername "
		"getsockopt setsockopt send sendto sendmsg sendmmsg recv recvfrom recvmsg recvmmsg "
		"shutdown"},
	{"process",
		"fork vfork clone clone3 execve execveat exit exit_group wait4 waitid kill tkill "
		"tgkill pidfd_open pidfd_send_signal unshare setns prctl arch_prctl"},
	{"signal",
		"rt_sigaction rt_sigprocmask rt_sigpending rt_sigsuspend rt_sigtimedwait "
		"rt_sigqueueinfo rt_tgsigqueueinfo rt_sigreturn sigaltstack pause kill tkill tgkill "
		"pidfd_send_signal signalfd signalfd4 alarm setitimer getitimer"},
	{"ipc",
		"shmget shmat shmdt shmctl semget semop semtimedop semctl msgget msgsnd msgrcv msgctl "
		"mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr"},
	{"memory",
		"brk mmap munmap mremap mprotect pkey_mprotect madvise process_madvise mincore mlock "
		"mlock2 munlock mlockall munlockall msync remap_file_pages mbind set_mempolicy "
		"get_mempolicy migrate_pages move_pages memfd_create userfaultfd"},
	{"wait",
		"futex futex_waitv poll ppoll select pselect6 epoll_wait epoll_pwait epoll_pwait2 "
		"nanosleep clock_nanosleep pause wait4 waitid rt_sigtimedwait rt_sigsuspend semop "
		"semtimedop sched_yield flock io_getevents io_uring_enter"},
};

enum {
	CLASSES = sizeof(classes) / sizeof(classes[0]),
	NAME_MAX_LENGTH = 64,
	NUMBERS = 1024, /* above all native numbers of x86-64 and arm64 */
};

/* "%file, %network, ..." */
static void list_classes(char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (int i = 0; i < CLASSES && used < size; i++)
		used += (size_t)snprintf(
			buffer + used, size - used, "%s%%%s", i ? ", " : "", classes[i].name);
}

void sprof_call_choice_finish(struct sprof_call_choice *choice)
{
	free(choice->numbers);
	*choice = (struct sprof_call_choice){0};
}

static bool is_listed(const struct sprof_call_choice *choice, int64_t number)
{
	for (size_t i = 0; i < choice->count; i++) {
		if (choice->numbers[i] == number)
			return true;
	}
	return false;
}

bool sprof_call_choice_has(const struct sprof_call_choice *choice, int64_t number)
{
	return !choice->count || is_listed(choice, number);
}

static bool add(struct sprof_call_choice *choice, int64_t number, struct sprof_error *err)
{
	if (is_listed(choice, number))
		return true;
	if (!sprof_array_reserve(&choice->numbers, &choice->capacity, choice->count + 1,
		    sizeof(*choice->numbers)))
		return sprof_error_no_memory(err);
	choice->numbers[choice->count++] = number;
	return true;
}

static bool add_class(
	struct sprof_call_choice *choice, const struct call_class *class, struct sprof_error *err)
{
	SPROF_AUTO_FREE char *names = strdup(class->names);
	char *rest = names, *name;
	int64_t number;

	if (!names)
		return sprof_error_no_memory(err);
	while ((name = strsep(&rest, " "))) {
		if (sprof_syscall_find(name, &number) && !add(choice, number, err))
			return false;
	}
	return true;
}

static bool refuse(const char *name, size_t column, struct sprof_error *err)
{
	char list[256];

	list_classes(list, sizeof(list));
	if (!*name)
		sprof_error_set(
			err, SPROF_ERROR_USAGE, "--event, column %zu: a name is missing", column);
	else if (*name == '%')
		sprof_error_set(err, SPROF_ERROR_USAGE,
			"--event, column %zu: no class of system calls is called %.200s", column,
			name);
	else
		sprof_error_set(err, SPROF_ERROR_USAGE,
			"--event, column %zu: no system call of this machine is called %.200s",
			column, name);
	sprof_error_hint(err, "names as in strace, such as read,openat; classes: %s", list);
	return false;
}

/* A class may be written without %, as in older versions of strace, if no call has that name. */
static bool add_name(
	struct sprof_call_choice *choice, const char *name, size_t column, struct sprof_error *err)
{
	int64_t number;

	if (*name != '%' && sprof_syscall_find(name, &number))
		return add(choice, number, err);
	for (int i = 0; i < CLASSES; i++) {
		if (strcmp(name + (*name == '%'), classes[i].name) == 0)
			return add_class(choice, &classes[i], err);
	}
	return refuse(name, column, err);
}

/* Without the "!" that a list of exceptions begins with. */
static bool add_names(struct sprof_call_choice *choice, const char *text, struct sprof_error *err)
{
	SPROF_AUTO_FREE char *names = strdup(text);
	char *rest = names + (*text == '!'), *name;

	if (!names)
		return sprof_error_no_memory(err);
	while ((name = strsep(&rest, ","))) {
		if (!add_name(choice, name, (size_t)(name - names) + 1, err))
			return false;
	}
	return true;
}

static bool has_name(int64_t number)
{
	char name[NAME_MAX_LENGTH];
	int64_t found;

	sprof_syscall_name(number, name, sizeof(name));
	return sprof_syscall_find(name, &found) && found == number;
}

/* "!read,write": all calls but these. */
static bool add_list(struct sprof_call_choice *choice, const char *text, struct sprof_error *err)
{
	struct sprof_call_choice but = {0};
	bool done;

	if (*text != '!')
		return add_names(choice, text, err);
	done = add_names(&but, text, err);
	for (int64_t number = 0; done && number < NUMBERS; number++) {
		if (has_name(number) && !is_listed(&but, number))
			done = add(choice, number, err);
	}
	sprof_call_choice_finish(&but);
	return done;
}

bool sprof_call_lists_add(void *field, const char *text, struct sprof_error *err)
{
	static const char strace[] = "trace=";
	struct sprof_call_lists *lists = field;
	const size_t most = sizeof(lists->items) / sizeof(lists->items[0]);

	if (lists->count == most)
		return sprof_error_set(
			err, SPROF_ERROR_USAGE, "at most %zu lists are possible", most);
	if (!strcmp(text, "raw_syscalls:sys_enter") || !strcmp(text, "raw_syscalls:sys_exit"))
		return true; /* perf's names of all calls */
	if (!strncmp(text, strace, strlen(strace)))
		text += strlen(strace);
	lists->items[lists->count++] = text;
	return !strchr(text, '=') ||
		sprof_error_set(err, SPROF_ERROR_USAGE,
			"of strace's qualifiers there is only trace=: sprof counts calls, and "
			"neither shows nor changes them");
}

bool sprof_call_choice_read(const struct sprof_call_lists *lists, struct sprof_call_choice *ret,
	struct sprof_error *err)
{
	*ret = (struct sprof_call_choice){0};
	for (size_t i = 0; i < lists->count; i++) {
		if (!add_list(ret, lists->items[i], err))
			return false;
	}
	return true;
}
