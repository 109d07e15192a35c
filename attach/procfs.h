/*
 * The files of /proc that sprof reads, as text -> facts. The parsers take text, so they need no
 * process; proc(5) describes the formats.
 */
#ifndef SPROF_ATTACH_PROCFS_H
#define SPROF_ATTACH_PROCFS_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { SPROF_COMM_MAX = 64 }; /* the kernel's comm has 16 bytes, kernel threads' up to 64 */

/* /proc/PID/stat, /proc/PID/task/TID/stat. Ticks are of sysconf(_SC_CLK_TCK) a second. */
struct sprof_proc_stat {
	char comm[SPROF_COMM_MAX];
	char state; /* R S D T t Z X I ... */
	uint64_t flags; /* SPROF_PF_* */
	uint64_t user_ticks, system_ticks;
	uint64_t start_ticks; /* since boot; with the pid it identifies a process */
	int processor;        /* the CPU it last ran on */
	uint64_t policy, priority; /* of sched(7); the priority is 0 but for SCHED_FIFO and SCHED_RR */
	uint64_t minor_faults, major_faults;
	uint64_t disk_ticks; /* waited for block devices; 0 also where delay accounting is off */
};

/* include/linux/sched.h */
enum { SPROF_PF_EXITING = 0x4, SPROF_PF_KTHREAD = 0x00200000 };

/* /proc/PID/task/TID/schedstat (Documentation/scheduler/sched-stats.rst). */
struct sprof_proc_schedstat {
	uint64_t cpu_ns, runq_ns, timeslices;
};

/* /proc/PID/task/TID/syscall. */
enum sprof_proc_syscall_kind {
	SPROF_PROC_SYSCALL_RUNNING, /* on a CPU or ready for one: nothing else is known */
	SPROF_PROC_SYSCALL_INSIDE,
	SPROF_PROC_SYSCALL_OUTSIDE, /* blocked, but in no system call: a page fault, a stop */
};

struct sprof_proc_syscall {
	enum sprof_proc_syscall_kind kind;
	int64_t number;
	uint64_t arguments[6];
	uint64_t sp, pc;
};

/* /proc/PID/task/TID/io: what its system calls read and wrote. */
struct sprof_proc_io {
	uint64_t read_bytes, written_bytes;
};

/*
 * The line "cpu" of /proc/stat, in ticks: what ran on all CPUs, and what interrupts and the host of a
 * virtual machine took from them.
 */
struct sprof_proc_cpus {
	uint64_t worked_ticks, lost_ticks;
};

/* /proc/loadavg. */
struct sprof_proc_loadavg {
	uint64_t runnable; /* tasks of the whole machine that have a CPU, or wait for one */
};

/* False: the text is not in the format. *ret is then undefined. */
bool sprof_proc_parse_stat(const char *text, struct sprof_proc_stat *ret);
bool sprof_proc_parse_schedstat(const char *text, struct sprof_proc_schedstat *ret);
bool sprof_proc_parse_syscall(const char *text, struct sprof_proc_syscall *ret);
bool sprof_proc_parse_io(const char *text, struct sprof_proc_io *ret);
bool sprof_proc_parse_loadavg(const char *text, struct sprof_proc_loadavg *ret);
bool sprof_proc_parse_cpus(const char *text, struct sprof_proc_cpus *ret);

/* The value of `field` ("Tgid") in the text of /proc/PID/status, without the blanks around it. False: no such field. */
bool sprof_proc_status_field(const char *text, const char *field, char *ret, size_t size);

/* The same for a number in base 10. */
bool sprof_proc_status_number(const char *text, const char *field, long *ret);

/*
 * Reads a small file from its start into a NUL-terminated buffer. Returns the length, or -1 with errno
 * (ESRCH, ENOENT: the thread is gone).
 */
ssize_t sprof_proc_read(int fd, char *buffer, size_t size);
ssize_t sprof_proc_read_path(const char *path, char *buffer, size_t size);

/* The threads of a process: NULL, the process is gone; otherwise to be closed with closedir(3). */
DIR *sprof_proc_open_tasks(pid_t pid);
/* The next one; 0: there are no more. */
pid_t sprof_proc_next_task(DIR *tasks);

/* A whole file of any size, NUL-terminated; the caller frees it. NULL with errno. */
char *sprof_proc_read_whole(const char *path, size_t *ret_size);
/* The same of an open one, from its start. */
char *sprof_proc_read_whole_open(int fd, size_t *ret_size);

#endif
