/*
 * Queries the mapping at an address: PROCMAP_QUERY on /proc/PID/maps (Linux 6.11,
 * include/uapi/linux/fs.h; 0.3 us, while reading all of maps takes 10 to 1000 us). Compares the
 * answer with a line of maps. The sampler decides when to query.
 */
#include "attach/proc/maps-query.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/proc.h"
#include "base/regular-file.h"

/* struct procmap_query; headers of older systems lack it. */
struct query {
	uint64_t size, flags, address;
	uint64_t start, end, permissions, page_size, offset, inode;
	uint32_t major, minor, name_size, build_id_size;
	uint64_t name, build_id;
};

enum { EXECUTABLE = 0x04 }; /* PROCMAP_QUERY_VMA_EXECUTABLE, in flags and in permissions */

#define QUERY _IOWR('f', 17, struct query)

/* The file to keep for the next query. -1: reopen it. */
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

/* Returns the kernel's errno, or 0 and *ret with the mapping at the address. */
static int ask(int *file, pid_t pid, uint64_t address, uint64_t flags, struct query *ret)
{
	const int opened = *file < 0 ? sprof_proc_open(pid, 0, "maps") : *file;
	int refused;

	*ret = (struct query){.size = sizeof(*ret), .flags = flags, .address = address};
	refused = ioctl(opened, QUERY, ret) ? errno : 0;
	if (*file < 0)
		*file = kept(opened);
	return refused;
}

enum sprof_maps_answer sprof_maps_query(int *file, pid_t pid, const struct sprof_mapping *mapping,
	const struct sprof_module *module)
{
	struct query query;

	switch (ask(file, pid, mapping->start, EXECUTABLE, &query)) {
	case 0:
		return is_same(&query, mapping, module) ? SPROF_MAPS_SAME : SPROF_MAPS_CHANGED;
	case ENOENT:
		return SPROF_MAPS_CHANGED;
	default:
		return SPROF_MAPS_UNKNOWN;
	}
}

bool sprof_maps_query_code(int *file, pid_t pid, uint64_t address)
{
	struct query query;

	return !ask(file, pid, address, EXECUTABLE, &query);
}

bool sprof_maps_query_start(int *file, pid_t pid, uint64_t address, uint64_t *ret)
{
	struct query query;

	if (ask(file, pid, address, 0, &query))
		return false;
	*ret = query.start;
	return true;
}
