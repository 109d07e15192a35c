/*
 * A library to be preloaded into sprof that makes one of its calls fail: the Nth of a kind, or all
 * from the Nth on. It leaves the environment at once, so that a launched program does not get it
 * too.
 *
 *     SPROF_FAULT=KIND:ERROR:N[+]    KIND alloc, ptrace, wait, memory, open, read, write, ...;
 *                                    schedstat: open, of files of that name; schedstat-zeros: they have
 *                                    zeros instead; perf-5.12: events that need a later kernel;
 *                                    wait-5.16: not failing, waits that leave the process have an exit with 0
 *     SPROF_FAULT_COUNT=FILE         where the number of calls goes at the end
 *
 * An injection by strace does the same for an attach; of a launched program it would be the tracer.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static char kind[32];
static int error;
static unsigned long first;
static bool onwards, armed;
static atomic_ulong calls;
static char count_path[512];

/* The C library's own names of what is replaced here. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

/* Where it was, in the words of addr2line(1). */
static void tell_where(int number)
{
	void *frames[64];

	armed = false;
	signal(number, SIG_DFL);
	backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
	raise(number);
}

__attribute__((constructor)) static void arm(void)
{
	void *frame;

	const char *what = getenv("SPROF_FAULT"), *path = getenv("SPROF_FAULT_COUNT");
	char plus = 0;

	if (what == NULL || sscanf(what, "%31[^:]:%d:%lu%c", kind, &error, &first, &plus) < 3)
		return;
	onwards = plus == '+';
	if (path != NULL)
		snprintf(count_path, sizeof(count_path), "%s", path);
	unsetenv("LD_PRELOAD");
	unsetenv("SPROF_FAULT");
	unsetenv("SPROF_FAULT_COUNT");
	backtrace(&frame, 1); /* loads what it needs */
	signal(SIGSEGV, tell_where);
	signal(SIGABRT, tell_where);
	armed = true;
}

__attribute__((destructor)) static void tell(void)
{
	FILE *file;

	armed = false;
	if (count_path[0] == '\0')
		return;
	file = fopen(count_path, "we");
	if (file != NULL) {
		fprintf(file, "%lu\n", atomic_load(&calls));
		fclose(file);
	}
}

/* Whether this call is to fail; errno is set then. */
static bool fails(const char *what)
{
	unsigned long number;

	if (!armed || strcmp(what, kind) != 0)
		return false;
	number = atomic_fetch_add(&calls, 1) + 1;
	if (first == 0 || (onwards ? number < first : number != first))
		return false;
	errno = error;
	return true;
}

void *malloc(size_t size)
{
	return fails("alloc") ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails("alloc") ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails("alloc") ? NULL : __libc_realloc(old, size);
}

/* The next definition of a function, with its type. */
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

long ptrace(enum __ptrace_request request, ...)
{
	void *address, *data;
	va_list args;
	pid_t pid;

	va_start(args, request);
	pid = va_arg(args, pid_t);
	address = va_arg(args, void *);
	data = va_arg(args, void *);
	va_end(args);
	/* What lets a thread go on must not fail: the kernel never does that to a stopped tracee.
	 */
	if (request != PTRACE_CONT && request != PTRACE_LISTEN && request != PTRACE_DETACH &&
		fails("ptrace"))
		return -1;
	return NEXT(ptrace)(request, pid, address, data);
}

static bool is_end(const siginfo_t *info)
{
	return info->si_pid != 0 && info->si_code <= CLD_DUMPED;
}

/* The kernel showed the main thread's own end, whoever ended the process (kernel/exit.c, wait_task_zombie). */
int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	int result = fails("wait") ? -1 : NEXT(waitid)(type, id, info, options);

	if (result == 0 && (options & WNOWAIT) != 0 && is_end(info) && fails("wait-5.16")) {
		info->si_code = CLD_EXITED;
		info->si_status = 0;
	}
	return result;
}

/* Of the calls without a wrapper, only perf_event_open(2) has another answer. */
long syscall(long number, ...)
{
	const struct perf_event_attr *event;
	long arguments[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		arguments[i] = va_arg(args, long);
	va_end(args);
	event = (const struct perf_event_attr *)arguments[0];
	if (number == SYS_perf_event_open && (event->inherit_thread || event->remove_on_exec) &&
		fails("perf-5.12"))
		return -1;
	return NEXT(syscall)(number, arguments[0], arguments[1], arguments[2], arguments[3],
		arguments[4], arguments[5]);
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	return fails("wait") ? -1 : NEXT(waitpid)(pid, status, options);
}

ssize_t process_vm_readv(pid_t pid, const struct iovec *local, unsigned long local_count,
	const struct iovec *remote, unsigned long remote_count, unsigned long flags)
{
	if (fails("memory"))
		return -1;
	return NEXT(process_vm_readv)(pid, local, local_count, remote, remote_count, flags);
}

static bool is_schedstat(const char *path)
{
	const char *name = strrchr(path, '/');

	return name != NULL && strcmp(name, "/schedstat") == 0;
}

/* As the file of a kernel that counts nothing in it. */
static int open_zeros(void)
{
	int fd = memfd_create("schedstat", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, "0 0 0\n", 6) == 6)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

int open(const char *path, int flags, ...)
{
	mode_t mode;
	va_list args;

	va_start(args, flags);
	mode = va_arg(args, mode_t);
	va_end(args);
	if (is_schedstat(path) && fails("schedstat"))
		return -1;
	if (is_schedstat(path) && fails("schedstat-zeros"))
		return open_zeros();
	return fails("open") ? -1 : NEXT(open)(path, flags, mode);
}

ssize_t read(int fd, void *buffer, size_t size)
{
	if (fails("read"))
		return -1;
	return NEXT(read)(fd, buffer, fails("short-read") && size > 1 ? size / 2 : size);
}

ssize_t pread(int fd, void *buffer, size_t size, off_t offset)
{
	if (fails("read"))
		return -1;
	return NEXT(pread)(fd, buffer, fails("short-read") && size > 1 ? size / 2 : size, offset);
}

ssize_t write(int fd, const void *buffer, size_t size)
{
	if (fails("write"))
		return -1;
	return NEXT(write)(fd, buffer, fails("short-write") && size > 1 ? size / 2 : size);
}

pid_t fork(void)
{
	return fails("fork") ? -1 : NEXT(fork)();
}

int socketpair(int domain, int type, int protocol, int ends[2])
{
	return fails("socketpair") ? -1 : NEXT(socketpair)(domain, type, protocol, ends);
}

int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	return fails("sigtimedwait") ? -1 : NEXT(sigtimedwait)(set, info, timeout);
}

int pthread_create(
	pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *data)
{
	if (fails("thread"))
		return error;
	return NEXT(pthread_create)(thread, attributes, body, data);
}
