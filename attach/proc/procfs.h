/*
 * Parses the figures of threads and of the machine in /proc, from text; needs no process. proc(5)
 * describes the formats.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/proc-status.h"
#include "base/proc.h"

/* /proc/PID/stat, /proc/PID/task/TID/stat. There are sysconf(_SC_CLK_TCK) ticks per second. */
struct sprof_proc_stat {
	char comm[SPROF_COMM_MAX];
	char state;     /* R S D T t Z X I ... */
	uint64_t flags; /* SPROF_PF_* */
	uint64_t user_ticks, system_ticks;
	uint64_t start_ticks; /* since boot; identifies a process together with its pid */
	int processor;        /* CPU that it last ran on */
	/* see sched(7); the priority is 0 except for SCHED_FIFO and SCHED_RR */
	uint64_t policy, priority;
	uint64_t minor_faults, major_faults;
	uint64_t reaped_faults; /* minor ones of children that have ended: each child has some */
	uint64_t disk_ticks;    /* waited for block devices; also 0 if delay accounting is off */
};

/* include/linux/sched.h */
enum {
	SPROF_PF_EXITING = 0x4,
	/* Threads that the kernel has in a process, such as io_uring's: since 5.12, and 6.4. */
	SPROF_PF_IO_WORKER = 0x10,
	SPROF_PF_USER_WORKER = 0x4000,
	SPROF_PF_KTHREAD = 0x00200000,
};

/*
 * Whether it is a thread of the kernel in a process: it has no user code. Before 5.12 and 6.4 the
 * flags have other meanings (PF_VCPU, PF_USED_ASYNC), so the name that the kernel gives its threads
 * has to agree.
 */
bool sprof_proc_is_worker(const struct sprof_proc_stat *stat);

/* /proc/PID/task/TID/schedstat (Documentation/scheduler/sched-stats.rst). */
struct sprof_proc_schedstat {
	uint64_t cpu_ns, runq_ns, timeslices;
};

/* /proc/PID/task/TID/syscall. */
enum sprof_proc_syscall_kind {
	SPROF_PROC_SYSCALL_RUNNING, /* on a CPU or in a run queue: no further information */
	SPROF_PROC_SYSCALL_INSIDE,
	SPROF_PROC_SYSCALL_OUTSIDE, /* blocked outside a system call: in a page fault or a stop */
};

struct sprof_proc_syscall {
	enum sprof_proc_syscall_kind kind;
	int64_t number;
	uint64_t arguments[6];
	uint64_t sp, pc;
};

/* /proc/PID/task/TID/io: data of read and write calls. */
struct sprof_proc_io {
	uint64_t read_bytes, written_bytes;
	uint64_t disk_read_bytes, disk_written_bytes; /* from and to block devices */
};

/*
 * The line "cpu" of /proc/stat, in ticks: time of tasks on all CPUs, and time lost to interrupts
 * and to the host of a virtual machine.
 */
struct sprof_proc_cpus {
	uint64_t worked_ticks, lost_ticks;
};

/* /proc/loadavg. */
struct sprof_proc_loadavg {
	uint64_t runnable; /* runnable tasks of the whole machine */
};

/* Return false, with *ret undefined, if the text does not have the format. */
SPROF_MUST_USE bool sprof_proc_parse_stat(const char *text, struct sprof_proc_stat *ret);
SPROF_MUST_USE bool sprof_proc_parse_schedstat(const char *text, struct sprof_proc_schedstat *ret);
SPROF_MUST_USE bool sprof_proc_parse_syscall(const char *text, struct sprof_proc_syscall *ret);
SPROF_MUST_USE bool sprof_proc_parse_io(const char *text, struct sprof_proc_io *ret);
SPROF_MUST_USE bool sprof_proc_parse_loadavg(const char *text, struct sprof_proc_loadavg *ret);
SPROF_MUST_USE bool sprof_proc_parse_cpus(const char *text, struct sprof_proc_cpus *ret);
