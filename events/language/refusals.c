/*
 * Events that concern a whole machine. Does not handle events that are merely not permitted:
 * opening the source detects that.
 */
#include "events/language/refusals.h"

#include <string.h>

#define WHOLE_MACHINE "; perf-prof or bpftrace can trace that"

struct refusal {
	const char *name; /* what an event begins with */
	const char *sentence;
};

static const struct refusal refusals[] = {
	{"irq:", "interrupts belong to a CPU, not to a process" WHOLE_MACHINE},
	{"workqueue:", "work queues run in the kernel's threads" WHOLE_MACHINE},
	{"timer:", "timers fire in whatever process has the CPU" WHOLE_MACHINE},
	{"kvm:", "virtual machines are not traced as one process" WHOLE_MACHINE},
	{"kvm_", "virtual machines are not traced as one process" WHOLE_MACHINE},
	{"kmem:",
		"this is the kernel's own memory; of the process, trace "
		"syscalls:sys_enter_mmap and sys_enter_brk"},
	{"block:",
		"the kernel writes most blocks later and elsewhere; trace the system calls, such "
		"as syscalls:sys_enter_fsync" WHOLE_MACHINE},
	{"net:", "packets are handled in whatever process has the CPU" WHOLE_MACHINE},
	{"kprobe:", "sprof sets no probe in the kernel" WHOLE_MACHINE},
	{"kretprobe:", "sprof sets no probe in the kernel" WHOLE_MACHINE},
	{"heap:",
		"sprof heap --exact knows the allocators; --impl kmemprof takes functions, such as "
		"uprobe:malloc, and system calls, such as syscalls:sys_enter_mmap"},
	{"mem:", "page faults are mem:fault; trace also syscalls:sys_enter_mmap, _munmap and _brk"},
	{"sched:sched_process_", "use proc:clone, proc:fork, proc:exec and proc:exit"},
	{"sched:sched_stat_", "use sched:off and sched:on, or sprof rundelay"},
	{"signal:signal_", "use signal:deliver"},
	{"task:", "use proc:clone, proc:fork and proc:exec"},
};

const char *sprof_refusal_of_event(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		size_t begin = strlen(refusals[i].name);

		if (length >= begin && !memcmp(name, refusals[i].name, begin))
			return refusals[i].sentence;
	}
	return NULL;
}
