/*
 * Events and options that concern a whole machine. Does not handle events that are merely not
 * permitted: opening the source detects that.
 */
#include "events/language/refusals.h"

#include <string.h>

#define WHOLE_MACHINE "; perf-prof or bpftrace can trace that"

struct refusal {
	const char *name; /* what an event begins with, or the option */
	const char *sentence;
};

static const struct refusal events[] = {
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

static const struct refusal options[] = {
	{"-C", "sprof traces one process on all CPUs; to compare CPUs use '_cpu' in an expression"},
	{"--cpus",
		"sprof traces one process on all CPUs; to compare CPUs use '_cpu' in an expression"},
	{"--cgroups",
		"sprof traces one process and its children, not a cgroup; use -p" WHOLE_MACHINE},
	{"--exclude-guest",
		"sprof traces one process, which is not a virtual machine; leave this out"},
	{"--guest", "sprof traces one process, which is not a virtual machine" WHOLE_MACHINE},
	{"--kvmclock", "all of sprof's sources have the same clock; leave this out"},
	{"--tsc", "all of sprof's sources have the same clock; leave this out"},
	{"--kernel-callchain", "sprof shows the stacks of the process; use the attribute 'stack'"},
	{"--python-callchain", "sprof shows native stacks; use the attribute 'stack'"},
	{"--user-callchain", "use the attribute 'stack' of an event"},
};

const char *sprof_refusal_of_event(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		size_t begin = strlen(events[i].name);

		if (length >= begin && !memcmp(name, events[i].name, begin))
			return events[i].sentence;
	}
	return NULL;
}

const char *sprof_refusal_of_option(const char *option)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (!strcmp(option, options[i].name))
			return options[i].sentence;
	}
	return NULL;
}
