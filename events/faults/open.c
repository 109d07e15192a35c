/*
 * Tries to open a page fault event on sprof itself. Does not handle refusals for single threads of
 * the target.
 */
#include "events/faults/open.h"

#include <errno.h>
#include <unistd.h>

#include "events/perf/ring.h"

enum { LEAST_RECORDS = 2 /* that a ring has to hold */ };

bool sprof_fault_may_open(struct perf_event_attr attributes, struct sprof_perf_denial *ret_denial)
{
	struct sprof_perf_ring ring = {0};
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	int fd;
	bool may;

	attributes.inherit = attributes.inherit_thread = 0;
	fd = sprof_perf_open(&attributes, 0, -1, ret_denial);
	if (fd < 0)
		return false;
	while (size < LEAST_RECORDS * SPROF_FAULT_RECORD)
		size *= 2;
	may = sprof_perf_ring_map(&ring, fd, size, ret_denial);
	if (may && ring.size < size) {
		*ret_denial = (struct sprof_perf_denial){SPROF_PERF_NO_LOCKED_MEMORY, EPERM};
		may = false;
	}
	sprof_perf_ring_unmap(&ring);
	close(fd);
	return may;
}
