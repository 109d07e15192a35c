/*
 * Asks the kernel which mapping is at an address: PROCMAP_QUERY on /proc/PID/maps (Linux 6.11,
 * include/uapi/linux/fs.h; 0.3 us where all of maps takes 10 to 1000). Knows that request and how
 * its answer compares with a line of maps; when to ask is the sampler's matter.
 */
#include "attach/maps-query.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/regular-file.h"

/* struct procmap_query; older systems' headers don't have it. */
struct query {
	uint64_t size, flags, address;
	uint64_t start, end, permissions, page_size, offset, inode;
	uint32_t major, minor, name_size, build_id_size;
	uint64_t name, build_id;
};

enum { EXECUTABLE = 0x04 }; /* PROCMAP_QUERY_VMA_EXECUTABLE, of flags and of permissions */

#define QUERY _IOWR('f', 17, struct query)

static int open_maps(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* The file for the next question; -1: it is to be opened again. */
static int kept(int opened)
{
	if (opened < 0 || sprof_file_may_stay_open(opened))
		return opened;
	close(opened);
	return -1;
}

static bool is_same(const struct query *query, const struct sprof_mapping *mapping,
	const struct sprof_module *module)
{
	return query->start == mapping->start && query->end == mapping->end &&
		query->offset == mapping->offset && query->inode == module->inode &&
		((uint64_t)query->major << 32 | query->minor) == module->device;
}

enum sprof_maps_answer sprof_maps_query(int *file, pid_t pid, const struct sprof_mapping *mapping,
	const struct sprof_module *module)
{
	struct query query = {
		.size = sizeof(query),
		.flags = EXECUTABLE,
		.address = mapping->start,
	};
	enum sprof_maps_answer answer;
	int opened = *file < 0 ? open_maps(pid) : *file;

	if (ioctl(opened, QUERY, &query) == 0)
		answer = is_same(&query, mapping, module) ? SPROF_MAPS_SAME : SPROF_MAPS_CHANGED;
	else
		answer = errno == ENOENT ? SPROF_MAPS_CHANGED : SPROF_MAPS_UNKNOWN;
	if (*file < 0)
		*file = kept(opened);
	return answer;
}
