/* Parses the kernel's lists of CPUs. Does not handle unsorted lists. */
#include "events/perf/cpus.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/array.h"

/* More than any kernel is built for (CONFIG_NR_CPUS is at most 8192 on x86). */
enum { MAX_CPU = 1 << 16 };

static bool scan_cpu(const char **cursor, int *ret)
{
	char *end;
	long value;

	if (!isdigit((unsigned char)**cursor))
		return false;
	value = strtol(*cursor, &end, 10);
	if (value > MAX_CPU)
		return false;
	*cursor = end;
	*ret = (int)value;
	return true;
}

static bool add_range(struct sprof_cpus *cpus, int first, int last)
{
	if (cpus->count && first <= cpus->items[cpus->count - 1])
		return false;
	for (int cpu = first; cpu <= last; cpu++) {
		if (!sprof_array_reserve(
			    &cpus->items, &cpus->capacity, cpus->count + 1, sizeof(*cpus->items)))
			return false;
		cpus->items[cpus->count++] = cpu;
	}
	return first <= last;
}

bool sprof_cpus_parse(const char *text, struct sprof_cpus *ret)
{
	int first, last;

	*ret = (struct sprof_cpus){0};
	for (;;) {
		if (!scan_cpu(&text, &first))
			return false;
		last = first;
		if (*text == '-') {
			text++;
			if (!scan_cpu(&text, &last))
				return false;
		}
		if (!add_range(ret, first, last))
			return false;
		if (*text != ',')
			return !*text || *text == '\n';
		text++;
	}
}

void sprof_cpus_finish(struct sprof_cpus *cpus)
{
	free(cpus->items);
	*cpus = (struct sprof_cpus){0};
}
