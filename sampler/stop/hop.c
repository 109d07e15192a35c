/*
 * Hopping between CPUs: the affinity of the calling thread, and which CPU kept us queued. Every
 * call may fail without harm: a stop without hopping is right too, but costs more. Does not see
 * real-time threads of other programs before they have kept us queued once.
 */
#include "sampler/stop/hop.h"

#include <fcntl.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "attach/proc/procfs.h"
#include "base/clock.h"

enum {
	/*
	 * Waits of up to 185 ms were seen without real-time threads: with many more busy threads
	 * than CPUs, and on a virtual machine with a busy host. A spinning real-time thread takes
	 * 950 ms/s.
	 */
	STARVED_NS = 300 * SPROF_NS_PER_MS,
	/* With our short slice, a thread that is alone on its CPU lets us in at once. */
	LONG_QUEUE_NS = 2 * SPROF_NS_PER_MS,
	/* from some hundred to some thousand instructions */
	SHORTEST_WAIT_NS = 20 * SPROF_NS_PER_US,
	LONGEST_WAIT_NS = 100 * SPROF_NS_PER_US,
};

/*
 * A try costs up to a second: the kernel leaves ordinary threads a twentieth of each second
 * (sched(7)).
 */
static const uint64_t avoided_ns = 30 * (uint64_t)SPROF_NS_PER_S;

/* How long the calling thread was queued for a CPU so far; the last value, if it can't be read. */
static uint64_t read_queued(const struct sprof_hop *hop)
{
	struct sprof_proc_schedstat schedstat;
	char text[128];

	if (sprof_proc_read(hop->schedstat_file, text, sizeof(text)) <= 0 ||
		!sprof_proc_parse_schedstat(text, &schedstat))
		return hop->queued_ns;
	return schedstat.runq_ns;
}

void sprof_hop_init(struct sprof_hop *hop)
{
	*hop = (struct sprof_hop){
		.schedstat_file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC),
		.online = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN),
	};
	hop->usable = sprof_cpu_set_of(0, &hop->allowed) && sprof_cpu_set_count(&hop->allowed) > 1;
	hop->queued_ns = read_queued(hop);
	sprof_priority_init(&hop->own);
	sprof_priority_raise(&hop->own);
}

uint64_t sprof_hop_queued_ns(const struct sprof_hop *hop)
{
	return read_queued(hop) - hop->queued_ns;
}

void sprof_hop_note_queued(struct sprof_hop *hop)
{
	const uint64_t queued_ns = read_queued(hop);

	if (queued_ns - hop->queued_ns > STARVED_NS) {
		sprof_cpu_set_add(&hop->avoided, sched_getcpu());
		hop->avoided_until_ns = sprof_clock_now_ns() + avoided_ns;
	}
	hop->queued_ns = queued_ns;
	if (sprof_clock_now_ns() > hop->avoided_until_ns)
		hop->avoided = (struct sprof_cpu_set){0};
}

void sprof_hop_to(struct sprof_hop *hop, int cpu)
{
	const struct sprof_cpu_set there = sprof_cpu_set_only(cpu);

	if (!hop->usable || !sprof_cpu_set_has(&hop->allowed, cpu) || sched_getcpu() == cpu)
		return;
	sprof_cpu_set_confine(0, &there);
	sprof_hop_note_queued(hop);
}

/* The length must not depend on what the thread does. */
void sprof_hop_wait_for_timer(void)
{
	const uint64_t more_ns = sprof_clock_now_ns() % (LONGEST_WAIT_NS - SHORTEST_WAIT_NS);

	nanosleep(&(struct timespec){.tv_nsec = (long)(SHORTEST_WAIT_NS + more_ns)}, NULL);
}

bool sprof_hop_is_crowded(const struct sprof_hop *hop, uint64_t runnable, size_t threads)
{
	return runnable > hop->online && runnable > threads + 1;
}

void sprof_hop_off(const struct sprof_hop *hop, const struct sprof_cpu_set *busy)
{
	const struct sprof_cpu_set unwanted = sprof_cpu_set_join(busy, &hop->avoided);
	const struct sprof_cpu_set free = sprof_cpu_set_without(&hop->allowed, &unwanted);

	if (hop->usable && sprof_cpu_set_has(&unwanted, sched_getcpu()) &&
		sprof_cpu_set_count(&free))
		sprof_cpu_set_confine(0, &free);
}

void sprof_hop_keep_off(const struct sprof_hop *hop, const struct sprof_cpu_set *taken)
{
	const struct sprof_cpu_set others = sprof_cpu_set_without(&hop->allowed, taken);

	if (hop->usable)
		sprof_cpu_set_confine(0, sprof_cpu_set_count(&others) ? &others : &hop->allowed);
}

bool sprof_hop_widen_if_queued(struct sprof_hop *hop)
{
	const uint64_t before_ns = hop->queued_ns;

	sprof_hop_note_queued(hop);
	if (hop->queued_ns - before_ns <= LONG_QUEUE_NS)
		return false;
	sprof_hop_keep_off(hop, &hop->avoided);
	return true;
}

void sprof_hop_restore(const struct sprof_hop *hop)
{
	if (hop->usable)
		sprof_cpu_set_confine(0, &hop->allowed);
	sprof_priority_restore(&hop->own);
}

void sprof_hop_finish(struct sprof_hop *hop)
{
	sprof_hop_restore(hop);
	if (hop->schedstat_file >= 0)
		close(hop->schedstat_file);
}
