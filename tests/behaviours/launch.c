/*
 * What a program finds when it starts: each behaviour prints one part of it, and goes on computing
 * so that it is sampled.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/behaviours/behaviour.h"

static int computed(void)
{
	burn_us(15000);
	return 0;
}

static int environment(void)
{
	for (char **variable = environ; *variable != NULL; variable++)
		target_print("%s", *variable);
	return computed();
}

/* Pipes and files differ from run to run; what they are does not. */
static void tell_descriptor(int fd)
{
	struct stat stat;
	char offset[32] = "";

	if (fstat(fd, &stat) < 0)
		return;
	if (S_ISREG(stat.st_mode))
		snprintf(offset, sizeof(offset), " at %ld", (long)lseek(fd, 0, SEEK_CUR));
	target_print("%d: type %o flags %o %o%s", fd, stat.st_mode & S_IFMT,
		(unsigned)fcntl(fd, F_GETFL), (unsigned)fcntl(fd, F_GETFD), offset);
}

static int descriptors(void)
{
	for (int fd = 3; fd < 1024; fd++)
		tell_descriptor(fd);
	tell_descriptor(0);
	return computed();
}

static int dispositions(void)
{
	target_print("%s", own_status("SigBlk"));
	target_print("%s", own_status("SigIgn"));
	target_print("%s", own_status("SigCgt"));
	target_print("%s", own_status("SigPnd"));
	target_print("%s", own_status("ShdPnd"));
	return computed();
}

static int limits(void)
{
	for (int kind = 0; kind < RLIM_NLIMITS; kind++) {
		struct rlimit limit;

		if (getrlimit((__rlimit_resource_t)kind, &limit) == 0)
			target_print(
				"%d: %ld %ld", kind, (long)limit.rlim_cur, (long)limit.rlim_max);
	}
	return computed();
}

static int priorities(void)
{
	struct sched_param parameter;
	cpu_set_t cpus;

	MUST(sched_getparam(0, &parameter) == 0);
	MUST(sched_getaffinity(0, sizeof(cpus), &cpus) == 0);
	target_print("nice %d, policy %d, priority %d, %d CPUs", getpriority(PRIO_PROCESS, 0),
		sched_getscheduler(0), parameter.sched_priority, CPU_COUNT(&cpus));
	target_print("slack %d", prctl(PR_GET_TIMERSLACK));
	return computed();
}

/* With address randomization as it was. */
static int own_personality(void)
{
	target_print("%lx", (unsigned long)personality(0xffffffff));
	return computed();
}

static int groups(void)
{
	target_print("leads: %d, session is the parent's: %d, group is the parent's: %d",
		getpgrp() == getpid(), getsid(0) == getsid(getppid()),
		getpgrp() == getpgid(getppid()));
	target_print("terminal: %d", open("/dev/tty", O_RDWR | O_CLOEXEC) >= 0);
	return computed();
}

static int credentials(void)
{
	static const char *const fields[] = {"Umask", "Uid", "Gid", "Groups", "CapInh", "CapPrm",
		"CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp", "Cpus_allowed"};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		target_print("%s", own_status(fields[i]));
	target_print("secure %lu, dumpable %d, death signal %d", getauxval(AT_SECURE),
		prctl(PR_GET_DUMPABLE, 0, 0, 0, 0), prctl(PR_GET_CHILD_SUBREAPER, &(int){0}));
	return computed();
}

static int folder(void)
{
	char path[512];

	MUST(getcwd(path, sizeof(path)) != NULL);
	target_print("%s", strrchr(path, '/') != NULL ? "a folder" : path);
	target_print("%s", getauxval(AT_EXECFN) != 0 ? (char *)getauxval(AT_EXECFN) : "");
	return computed();
}

/* The process's own children and those of others: none. */
static int no_children(void)
{
	char path[64], text[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	file = fopen(path, "re");
	if (file != NULL) {
		target_print(
			"children: %s", fgets(text, sizeof(text), file) != NULL ? text : "none");
		fclose(file);
	}
	return computed();
}

const struct behaviour launch_behaviours[] = {
	{"environment", environment},
	{"descriptors", descriptors},
	{"dispositions", dispositions},
	{"limits", limits},
	{"priorities", priorities},
	{"own-personality", own_personality},
	{"groups", groups},
	{"credentials", credentials},
	{"folder", folder},
	{"no-children", no_children},
	{NULL, NULL},
};
