/*
 * Hopping between CPUs. Knows affinity, nice levels and time slices of the calling thread, of another one
 * whether it can be moved, and whether the machine has a CPU to spare. Every call may fail without harm:
 * the plain stop is right too, only dearer.
 */
#include "sampler/hop.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/types.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "attach/procfs.h"

enum { RAISED_NICE = -15, SHORT_SLICE_NS = 100 * 1000, TIMER_SLACK_NS = 1 };

/* sched_setattr(2); the C library of Debian 12 has neither the struct nor the call. */
struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

/*
 * A task that comes to a CPU waits for the running one's slice to end (kernel/sched/fair.c,
 * RUN_TO_PARITY), milliseconds on a CPU-bound target; unless its own slice is shorter (PREEMPT_SHORT,
 * since Linux 6.12; older kernels take no notice of the runtime).
 */
static bool set_slice(int nice, uint64_t slice_ns)
{
	struct attributes attributes = {
		.size = sizeof(attributes),
		.policy = SCHED_OTHER,
		.nice = nice,
		.runtime = slice_ns,
	};

	return !syscall(SYS_sched_setattr, 0, &attributes, 0);
}

/* What lxcfs mounts over it tells of the container only, some seconds late. */
static int open_loadavg(void)
{
	int fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
	struct statfs where;

	if (fd < 0 || (!fstatfs(fd, &where) && where.f_type == PROC_SUPER_MAGIC))
		return fd;
	close(fd);
	return -1;
}

void sprof_hop_init(struct sprof_hop *hop)
{
	CPU_ZERO(&hop->allowed);
	hop->usable = !sched_getaffinity(0, sizeof(hop->allowed), &hop->allowed) &&
		CPU_COUNT(&hop->allowed) > 1;
	/* On Linux the nice level of process 0 is the calling thread's (setpriority(2)). */
	hop->nice = getpriority(PRIO_PROCESS, 0);
	hop->loadavg_fd = open_loadavg();
	hop->online = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS, 0, 0, 0);
	sprof_hop_resume(hop);
}

void sprof_hop_to(const struct sprof_hop *hop, int cpu)
{
	cpu_set_t there;

	if (!hop->usable || cpu < 0 || cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &hop->allowed) ||
		sched_getcpu() == cpu)
		return;
	CPU_ZERO(&there);
	CPU_SET(cpu, &there);
	sched_setaffinity(0, sizeof(there), &there);
}

/* How many tasks of the machine want a CPU now, the one that asks among them. 0: not known. */
static uint64_t count_runnable(const struct sprof_hop *hop)
{
	struct sprof_proc_loadavg loadavg;
	char text[128];

	if (sprof_proc_read(hop->loadavg_fd, text, sizeof(text)) <= 0 ||
		!sprof_proc_parse_loadavg(text, &loadavg))
		return 0;
	return loadavg.runnable;
}

bool sprof_hop_is_crowded(const struct sprof_hop *hop, size_t threads)
{
	uint64_t runnable = count_runnable(hop);

	return runnable > hop->online && runnable > threads + 1;
}

bool sprof_hop_is_alone(const struct sprof_hop *hop)
{
	return count_runnable(hop) == 1;
}

bool sprof_hop_is_pinned(pid_t tid)
{
	cpu_set_t allowed;

	return !sched_getaffinity(tid, sizeof(allowed), &allowed) && CPU_COUNT(&allowed) == 1;
}

void sprof_hop_off(const struct sprof_hop *hop, const cpu_set_t *busy)
{
	cpu_set_t free;
	int here = sched_getcpu();

	if (!hop->usable || here < 0 || !CPU_ISSET((size_t)here, busy))
		return;
	/* Of the allowed ones those that are not busy. */
	CPU_AND(&free, &hop->allowed, busy);
	CPU_XOR(&free, &free, &hop->allowed);
	if (CPU_COUNT(&free))
		sched_setaffinity(0, sizeof(free), &free);
}

void sprof_hop_restore(const struct sprof_hop *hop)
{
	if (hop->usable)
		sched_setaffinity(0, sizeof(hop->allowed), &hop->allowed);
	set_slice(hop->nice, 0);
	setpriority(PRIO_PROCESS, 0, hop->nice);
}

void sprof_hop_resume(const struct sprof_hop *hop)
{
	int raised = hop->nice < RAISED_NICE ? hop->nice : RAISED_NICE;

	if (!set_slice(raised, SHORT_SLICE_NS))
		set_slice(hop->nice, SHORT_SLICE_NS);
}

void sprof_hop_finish(struct sprof_hop *hop)
{
	sprof_hop_restore(hop);
	if (hop->loadavg_fd >= 0)
		close(hop->loadavg_fd);
}
