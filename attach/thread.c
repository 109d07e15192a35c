/*
 * A thread's and its process's files in /proc. Files stay open because opening one costs four times
 * as much as reading it. They also stay readable when the process makes itself undumpable; without
 * CAP_SYS_PTRACE they could not be opened then. If descriptors run out, each read opens the file
 * instead. Does not handle the format of the files (attach/proc/procfs.c).
 */
#include "attach/thread.h"

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/module/read-maps.h"
#include "attach/proc/memory.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/proc-status.h"
#include "base/regular-file.h"
#include "base/search.h"

enum { MOST_RESUMES = 1 << 14 /* if none is forgotten */ };

static void close_file(int *file)
{
	if (*file >= 0)
		close(*file);
	*file = -1;
}

void sprof_process_forget_maps(struct sprof_process *process)
{
	sprof_maps_finish(&process->maps);
	close_file(&process->maps_file);
	close_file(&process->memory_file);
	process->denied = false;
}

void sprof_process_keep_maps(struct sprof_process *process)
{
	if (process->former_maps.count || !process->maps.count)
		return;
	process->former_maps = process->maps;
	process->former_ns = sprof_clock_now_ns();
	process->maps = (struct sprof_maps){0};
}

void sprof_process_drop_former(struct sprof_process *process)
{
	sprof_maps_finish(&process->former_maps);
}

/* With this capability, all processes are readable at any time (kernel/ptrace.c,
 * __ptrace_may_access). */
static bool may_trace_all(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};

	return !syscall(SYS_capget, &header, data) &&
		data[CAP_TO_INDEX(CAP_SYS_PTRACE)].effective & CAP_TO_MASK(CAP_SYS_PTRACE);
}

/* Whether a seccomp filter permits the call, which Docker's did not before 20.10. */
static bool may_call_readv(void)
{
	char from = 0, to;

	return sprof_memory_read_by_call(getpid(), (uintptr_t)&from, &to, sizeof(to)) == sizeof(to);
}

/* -1: not permitted, or descriptors are short. */
static int open_of_process(pid_t pid, const char *name)
{
	int fd = sprof_proc_open(pid, 0, name);

	if (fd >= 0 && !sprof_file_may_stay_open(fd))
		close_file(&fd);
	return fd;
}

void sprof_process_open_files(struct sprof_process *process)
{
	if (may_trace_all() && may_call_readv())
		return;
	process->maps_file = open_of_process(process->pid, "maps");
	process->memory_file = open_of_process(process->pid, "mem");
}

/* The right to read was checked at the open (fs/proc/base.c, mem_open, mem_rw). */
size_t sprof_process_read_memory(
	struct sprof_process *process, pid_t tid, uint64_t address, void *buffer, size_t size)
{
	size_t copied = sprof_memory_read_by_call(tid, address, buffer, size);
	ssize_t got;

	if (copied || !size || !sprof_memory_is_denied())
		return copied;
	got = pread(process->memory_file, buffer, size, (off_t)address);
	if (got < 0 && errno == EBADF)
		process->denied = true;
	return got < 0 ? 0 : (size_t)got;
}

void sprof_process_read_pieces(
	struct sprof_process *process, pid_t tid, struct sprof_memory_piece *pieces, size_t count)
{
	sprof_memory_read_pieces(tid, pieces, count);
	if (!count || pieces[0].got || !sprof_memory_is_denied())
		return;
	for (size_t i = 0; i < count; i++)
		pieces[i].got = sprof_process_read_memory(
			process, tid, pieces[i].address, pieces[i].buffer, pieces[i].size);
}

/* The right to read was checked at the open (fs/proc/task_mmu.c, proc_maps_open). */
bool sprof_process_read_maps(struct sprof_process *process, struct sprof_modules *modules)
{
	return sprof_maps_read(&process->maps, process->pid, modules) ||
		(process->maps_file >= 0 &&
			sprof_maps_read_open(
				&process->maps, process->pid, process->maps_file, modules));
}

void sprof_process_note_peak(struct sprof_process *process, const char *status)
{
	long kilobytes;

	if (sprof_proc_status_number(status, "VmHWM", &kilobytes) &&
		process->peak_bytes < (uint64_t)kilobytes * 1024)
		process->peak_bytes = (uint64_t)kilobytes * 1024;
}

struct sprof_thread *sprof_thread_create(uint32_t id, pid_t tid, struct sprof_process *process)
{
	struct sprof_thread *thread = calloc(1, sizeof(*thread));

	if (!thread)
		return NULL;
	thread->id = id;
	thread->tid = tid;
	thread->process = process;
	for (unsigned i = 0; i < SPROF_THREAD_FILES; i++)
		thread->files[i] = -1;
	return thread;
}

void sprof_thread_destroy(struct sprof_thread *thread)
{
	if (!thread)
		return;
	sprof_thread_close_files(thread);
	free(thread->resumes.ns);
	free(thread);
}

void sprof_thread_close_files(struct sprof_thread *thread)
{
	for (unsigned i = 0; i < SPROF_THREAD_FILES; i++) {
		if (thread->files[i] >= 0)
			close(thread->files[i]);
		thread->files[i] = -1;
	}
}

static int open_file(const struct sprof_thread *thread, enum sprof_thread_file file)
{
	static const char *const names[SPROF_THREAD_FILES] = {
		[SPROF_THREAD_STAT] = "stat",
		[SPROF_THREAD_SCHEDSTAT] = "schedstat",
		[SPROF_THREAD_SYSCALL] = "syscall",
		[SPROF_THREAD_STATUS] = "status",
	};

	return sprof_proc_open(thread->process->pid, thread->tid, names[file]);
}

/* The buffer needs at least 512 bytes. -1: the thread is gone. */
static ssize_t read_open(enum sprof_thread_file file, int fd, char *buffer, size_t size)
{
	return file == SPROF_THREAD_STATUS ? sprof_proc_status_read_open(fd, buffer, size)
					   : sprof_proc_read(fd, buffer, size);
}

static ssize_t read_text(
	struct sprof_thread *thread, enum sprof_thread_file file, char *buffer, size_t size)
{
	ssize_t length;
	int fd = thread->files[file];

	if (fd >= 0)
		return read_open(file, fd, buffer, size);
	fd = open_file(thread, file);
	if (fd < 0)
		return -1;
	length = read_open(file, fd, buffer, size);
	if (sprof_file_may_stay_open(fd))
		thread->files[file] = fd;
	else
		close(fd);
	return length;
}

void sprof_thread_note_resume(struct sprof_thread *thread, uint64_t now_ns)
{
	struct sprof_resumes *resumes = &thread->resumes;

	if (!thread->keeps_resumes)
		return;
	if (resumes->count == MOST_RESUMES)
		sprof_thread_forget_resumes(thread, resumes->ns[MOST_RESUMES / 2]);
	(void)!SPROF_ARRAY_APPEND(resumes->ns, resumes->count, resumes->capacity, now_ns);
}

/* How many are before that moment. */
static size_t resumes_before(const struct sprof_resumes *resumes, uint64_t ns)
{
	return sprof_lower_bound(resumes->ns, resumes->count, sizeof(*resumes->ns), 0, ns);
}

uint64_t sprof_thread_resumed_between(
	const struct sprof_thread *thread, uint64_t begin_ns, uint64_t end_ns)
{
	const size_t before = resumes_before(&thread->resumes, end_ns);
	const uint64_t ns = before ? thread->resumes.ns[before - 1] : 0;

	return ns > begin_ns ? ns : 0;
}

void sprof_thread_forget_resumes(struct sprof_thread *thread, uint64_t until_ns)
{
	struct sprof_resumes *resumes = &thread->resumes;
	const size_t gone = resumes_before(resumes, until_ns + 1);

	resumes->count -= gone;
	if (gone && resumes->count)
		memmove(resumes->ns, &resumes->ns[gone], resumes->count * sizeof(*resumes->ns));
}

bool sprof_thread_read_stat(struct sprof_thread *thread, struct sprof_proc_stat *ret)
{
	char text[1024];

	if (read_text(thread, SPROF_THREAD_STAT, text, sizeof(text)) <= 0 ||
		!sprof_proc_parse_stat(text, ret))
		return false;
	thread->is_worker = sprof_proc_is_worker(ret);
	return true;
}

ssize_t sprof_thread_read_status(struct sprof_thread *thread, bool often, char *buffer, size_t size)
{
	if (often || thread->files[SPROF_THREAD_STATUS] >= 0)
		return read_text(thread, SPROF_THREAD_STATUS, buffer, size);
	return sprof_proc_status_read(thread->process->pid, thread->tid, buffer, size);
}

/* A trap is never blocked. One that is was sent, and waits. */
bool sprof_thread_has_pending_trap(const struct sprof_thread *thread)
{
	char text[SPROF_PROC_STATUS_MAX];

	return sprof_proc_status_read(thread->process->pid, thread->tid, text, sizeof(text)) > 0 &&
		sprof_proc_status_has_signal(text, "SigPnd", SIGTRAP) &&
		!sprof_proc_status_has_signal(text, "SigBlk", SIGTRAP);
}

/* Sums voluntary and involuntary switches. Returns false if the thread is gone. */
static bool read_switches(struct sprof_thread *thread, uint64_t *ret)
{
	long voluntary, involuntary;
	char text[SPROF_PROC_STATUS_MAX];

	if (sprof_thread_read_status(thread, true, text, sizeof(text)) <= 0 ||
		!sprof_proc_status_number(text, "voluntary_ctxt_switches", &voluntary) ||
		!sprof_proc_status_number(text, "nonvoluntary_ctxt_switches", &involuntary))
		return false;
	*ret = (uint64_t)voluntary + (uint64_t)involuntary;
	return true;
}

bool sprof_thread_read_schedstat(struct sprof_thread *thread, struct sprof_proc_schedstat *ret)
{
	ssize_t length;
	char text[128];

	errno = 0;
	length = read_text(thread, SPROF_THREAD_SCHEDSTAT, text, sizeof(text));
	if (length > 0 && !sprof_proc_parse_schedstat(text, ret))
		return false;
	/* The file is missing, or the thread is gone; in the latter case it has no status
	 * either. */
	if (length <= 0 && errno != ENOENT)
		return false;
	if (length > 0 && (ret->cpu_ns || ret->timeslices))
		return true;
	*ret = (struct sprof_proc_schedstat){0};
	return read_switches(thread, &ret->timeslices);
}

/*
 * One read, and nothing that takes longer: the thread stands still. If it got a CPU more than once
 * since the last stop, it may have slept, and this stop is not measured.
 */
void sprof_thread_note_standing(struct sprof_thread *thread)
{
	struct sprof_standing *standing = &thread->standing;
	struct sprof_proc_schedstat figures;

	if (sprof_thread_read_schedstat(thread, &figures) && figures.cpu_ns)
		sprof_standing_add(standing, sprof_clock_now_ns(), &figures,
			figures.timeslices != standing->figures.timeslices + 1);
}

/*
 * It has released its memory: its files now belong to root, whatever its process permits
 * (fs/proc/base.c, task_dump_owner).
 */
static bool is_ending(struct sprof_thread *thread)
{
	struct sprof_proc_stat stat;

	return !sprof_thread_read_stat(thread, &stat) || stat.flags & SPROF_PF_EXITING;
}

bool sprof_thread_read_syscall(struct sprof_thread *thread, struct sprof_proc_syscall *ret)
{
	char text[256];

	errno = 0;
	if (read_text(thread, SPROF_THREAD_SYSCALL, text, sizeof(text)) > 0)
		return sprof_proc_parse_syscall(text, ret);
	if ((errno == EPERM || errno == EACCES) && !is_ending(thread))
		thread->process->denied = true;
	return false;
}
