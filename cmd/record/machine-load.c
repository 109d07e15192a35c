/*
 * Two readings of /proc/stat (proc(5)), in ticks of about 10 ms. Includes CPUs that the target may
 * not use.
 */
#include "cmd/record/machine-load.h"

#include <unistd.h>

#include "attach/proc/procfs.h"
#include "base/clock.h"
#include "base/proc.h"

struct sprof_machine_load sprof_machine_load_begin(void)
{
	struct sprof_proc_cpus cpus;
	char text[256];

	if (sprof_proc_read_path("/proc/stat", text, sizeof(text)) <= 0 ||
		!sprof_proc_parse_cpus(text, &cpus))
		return (struct sprof_machine_load){0};
	return (struct sprof_machine_load){cpus.worked_ticks, true};
}

void sprof_machine_load_end(const struct sprof_machine_load *begin, struct sprof_quality *quality)
{
	const struct sprof_machine_load now = sprof_machine_load_begin();
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN), ticks_per_s = sysconf(_SC_CLK_TCK);

	if (!begin->is_known || !now.is_known || cpus <= 0 || ticks_per_s <= 0)
		return;
	quality->cpus = (uint64_t)cpus;
	quality->machine_cpu_ns =
		(now.worked_ticks - begin->worked_ticks) * (SPROF_NS_PER_S / (uint64_t)ticks_per_s);
}
