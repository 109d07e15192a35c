/*
 * Opens perf events. Does not handle rings (ring.h) or messages: the caller knows the event's
 * purpose.
 */
#include "events/perf/event.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/proc-status.h"

/* SECCOMP_MODE_FILTER in /proc/self/status (proc_pid_status(5)). */
enum { SECCOMP_FILTER = 2 };

static bool has_seccomp_filter(void)
{
	long mode;

	return sprof_proc_status_read_number((pid_t)syscall(SYS_gettid), "Seccomp", &mode) &&
		mode == SECCOMP_FILTER;
}

/*
 * The kernel's own refusals are EACCES (kernel/events/core.c: perf_allow_kernel, find_lively_task,
 * security_perf_event_open), except for the size of rings, which are mapped later. So EPERM and
 * ENOSYS under a filter are the filter's.
 */
static enum sprof_perf_reason reason_of(int errnum)
{
	switch (errnum) {
	case EACCES:
		return SPROF_PERF_PARANOID;
	case EPERM:
		return has_seccomp_filter() ? SPROF_PERF_SECCOMP : SPROF_PERF_PARANOID;
	case ENOSYS:
		return has_seccomp_filter() ? SPROF_PERF_SECCOMP : SPROF_PERF_UNSUPPORTED;
	case EINVAL:
	case ENOENT:
	case EOPNOTSUPP:
	case E2BIG:
		return SPROF_PERF_UNSUPPORTED;
	case EMFILE:
	case ENFILE:
		return SPROF_PERF_TOO_MANY_FILES;
	case ESRCH:
		return SPROF_PERF_GONE;
	default:
		return SPROF_PERF_OTHER;
	}
}

struct sprof_perf_denial sprof_perf_denial_of(int errnum)
{
	return (struct sprof_perf_denial){reason_of(errnum), errnum};
}

struct perf_event_attr sprof_perf_attributes(unsigned type, unsigned long long config)
{
	struct perf_event_attr attributes;

	memset(&attributes, 0, sizeof(attributes));
	attributes.size = sizeof(attributes);
	attributes.type = type;
	attributes.config = config;
	attributes.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
		PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW;
	attributes.sample_id_all = 1;
	attributes.use_clockid = 1;
	attributes.clockid = CLOCK_MONOTONIC;
	/* With 0 bytes, the watermark is half of the ring (kernel/events/ring_buffer.c). */
	attributes.watermark = 1;
	attributes.exclude_kernel = 1;
	attributes.exclude_hv = 1;
	return attributes;
}

static int open_once(const struct perf_event_attr *attributes, pid_t tid, int cpu)
{
	return (int)syscall(SYS_perf_event_open, attributes, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

int sprof_perf_open(struct perf_event_attr *attributes, pid_t tid, int cpu,
	struct sprof_perf_denial *ret_denial)
{
	int fd = open_once(attributes, tid, cpu);

	if (fd < 0 && errno == EINVAL && attributes->inherit_thread) {
		attributes->inherit_thread = 0;
		fd = open_once(attributes, tid, cpu);
	}
	/* More than kernel.perf_event_max_stack permits; with 0, it is as much as that. */
	if (fd < 0 && errno == EOVERFLOW && attributes->sample_max_stack) {
		attributes->sample_max_stack = 0;
		fd = open_once(attributes, tid, cpu);
	}
	if (fd < 0)
		*ret_denial = sprof_perf_denial_of(errno);
	return fd;
}
