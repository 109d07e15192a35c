/*
 * Reads tracefs where it is mounted: at its own mount point, or below debugfs, its place before
 * Linux 4.1. Does not mount it, nor interpret a tracepoint's fields.
 */
#include "events/recorded/tracepoints.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/proc.h"

static const char *const roots[] = {
	"/sys/kernel/tracing/events", "/sys/kernel/debug/tracing/events"};

enum { ROOTS = sizeof(roots) / sizeof(roots[0]) };

/* NULL: none can be read, with errno. */
static const char *find_root(void)
{
	int first = 0;

	for (size_t i = 0; i < ROOTS; i++) {
		if (!access(roots[i], R_OK | X_OK))
			return roots[i];
		if (!i)
			first = errno;
	}
	errno = first;
	return NULL;
}

static bool read_id(const char *path, uint32_t *ret)
{
	char text[32], *end;
	unsigned long value;

	if (sprof_proc_read_path(path, text, sizeof(text)) <= 0)
		return false;
	value = strtoul(text, &end, 10);
	*ret = (uint32_t)value;
	return end != text && value && value <= UINT16_MAX;
}

bool sprof_tracepoint_find(const char *group, const char *name, struct sprof_tracepoint *ret,
	struct sprof_perf_denial *ret_denial)
{
	const char *root = find_root();
	char path[256];
	size_t size;

	*ret = (struct sprof_tracepoint){0};
	if (!root) {
		*ret_denial = (struct sprof_perf_denial){SPROF_PERF_NO_TRACEFS, errno};
		return false;
	}
	*ret_denial = (struct sprof_perf_denial){SPROF_PERF_UNSUPPORTED, ENOENT};
	snprintf(path, sizeof(path), "%s/%s/%s/id", root, group, name);
	if (!read_id(path, &ret->id))
		return false;
	snprintf(path, sizeof(path), "%s/%s/%s/format", root, group, name);
	ret->format = sprof_proc_read_whole(path, &size);
	return ret->format;
}

void sprof_tracepoint_finish(struct sprof_tracepoint *tracepoint)
{
	free(tracepoint->format);
	*tracepoint = (struct sprof_tracepoint){0};
}

struct perf_event_attr sprof_tracepoint_attributes(const struct sprof_tracepoint *tracepoint)
{
	struct perf_event_attr attributes =
		sprof_perf_attributes(PERF_TYPE_TRACEPOINT, tracepoint->id);

	attributes.sample_period = 1;
	attributes.exclude_kernel = 0; /* the kernel's tracepoints fire in the kernel */
	attributes.exclude_hv = 0;
	return attributes;
}
