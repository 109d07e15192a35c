/*
 * Hopping between CPUs. Knows the affinity of the calling thread, of another one whether it can be moved,
 * whether the machine has a CPU to spare, and which CPU kept us waiting. Every call may fail without harm:
 * the plain stop is right too, only dearer. Does not know real-time threads of other programs before they
 * have kept us waiting once.
 */
#include "sampler/hop.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "attach/procfs.h"
#include "base/clock.h"

enum {
	/*
	 * On a machine with many more busy threads than CPUs, and on a virtual one whose host is busy, waits of
	 * up to 185 ms were seen without any real-time thread. One that spins takes 950 ms of each second.
	 */
	STARVED_NS = 300 * SPROF_NS_PER_MS,
};

/* A try costs up to a second, which is what the kernel leaves ordinary threads a twentieth of (sched(7)). */
static const uint64_t avoided_ns = 30 * (uint64_t)SPROF_NS_PER_S;

static int open_file(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* For how long the calling thread has waited for a CPU since it began; as before, if that can't be read. */
static uint64_t read_waited(const struct sprof_hop *hop)
{
	struct sprof_proc_schedstat schedstat;
	char text[128];

	if (sprof_proc_read(hop->schedstat_fd, text, sizeof(text)) <= 0 ||
		!sprof_proc_parse_schedstat(text, &schedstat))
		return hop->waited_ns;
	return schedstat.runq_ns;
}

/* What lxcfs mounts over it tells of the container only, some seconds late. */
static int open_loadavg(void)
{
	int fd = open_file("/proc/loadavg");
	struct statfs where;

	if (fd < 0 || (!fstatfs(fd, &where) && where.f_type == PROC_SUPER_MAGIC))
		return fd;
	close(fd);
	return -1;
}

void sprof_hop_init(struct sprof_hop *hop)
{
	*hop = (struct sprof_hop){
		.loadavg_fd = open_loadavg(),
		.schedstat_fd = open_file("/proc/thread-self/schedstat"),
		.online = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN),
	};
	hop->usable = !sched_getaffinity(0, sizeof(hop->allowed), &hop->allowed) &&
		CPU_COUNT(&hop->allowed) > 1;
	hop->waited_ns = read_waited(hop);
	sprof_priority_init(&hop->own);
	sprof_priority_raise(&hop->own);
}

uint64_t sprof_hop_waited_ns(const struct sprof_hop *hop)
{
	return read_waited(hop) - hop->waited_ns;
}

void sprof_hop_note_wait(struct sprof_hop *hop)
{
	uint64_t waited = read_waited(hop);
	int here = sched_getcpu();

	if (waited > hop->waited_ns + STARVED_NS && here >= 0 && here < CPU_SETSIZE) {
		CPU_SET((size_t)here, &hop->avoided);
		hop->avoided_until_ns = sprof_clock_now_ns() + avoided_ns;
	}
	hop->waited_ns = waited;
	if (CPU_COUNT(&hop->avoided) && sprof_clock_now_ns() > hop->avoided_until_ns)
		CPU_ZERO(&hop->avoided);
}

void sprof_hop_to(struct sprof_hop *hop, int cpu)
{
	cpu_set_t there;

	if (!hop->usable || cpu < 0 || cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &hop->allowed) ||
		sched_getcpu() == cpu)
		return;
	CPU_ZERO(&there);
	CPU_SET(cpu, &there);
	sched_setaffinity(0, sizeof(there), &there);
	sprof_hop_note_wait(hop);
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

bool sprof_hop_are_alone(const struct sprof_hop *hop, size_t threads)
{
	return count_runnable(hop) == threads + 1;
}

bool sprof_hop_is_pinned(pid_t tid)
{
	cpu_set_t allowed;

	return !sched_getaffinity(tid, sizeof(allowed), &allowed) && CPU_COUNT(&allowed) == 1;
}

/* Of the allowed ones those that are not unwanted; false: there is none. */
static bool find_others(const struct sprof_hop *hop, const cpu_set_t *unwanted, cpu_set_t *ret)
{
	CPU_AND(ret, &hop->allowed, unwanted);
	CPU_XOR(ret, ret, &hop->allowed);
	return CPU_COUNT(ret);
}

void sprof_hop_off(const struct sprof_hop *hop, const cpu_set_t *busy)
{
	cpu_set_t free;
	int here = sched_getcpu();

	if (hop->usable && here >= 0 && CPU_ISSET((size_t)here, busy) &&
		find_others(hop, busy, &free))
		sched_setaffinity(0, sizeof(free), &free);
}

void sprof_hop_keep_off(const struct sprof_hop *hop, const cpu_set_t *taken)
{
	cpu_set_t others;

	if (!hop->usable)
		return;
	if (!find_others(hop, taken, &others))
		others = hop->allowed;
	sched_setaffinity(0, sizeof(others), &others);
}

void sprof_hop_restore(const struct sprof_hop *hop)
{
	if (hop->usable)
		sched_setaffinity(0, sizeof(hop->allowed), &hop->allowed);
	sprof_priority_restore(&hop->own);
}

void sprof_hop_resume(const struct sprof_hop *hop)
{
	sprof_priority_raise(&hop->own);
}

void sprof_hop_finish(struct sprof_hop *hop)
{
	sprof_hop_restore(hop);
	if (hop->loadavg_fd >= 0)
		close(hop->loadavg_fd);
	if (hop->schedstat_fd >= 0)
		close(hop->schedstat_fd);
}
