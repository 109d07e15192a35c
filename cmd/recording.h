/*
 * The options that run and attach share.
 */
#ifndef SPROF_CMD_RECORDING_H
#define SPROF_CMD_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cmd/channel.h"
#include "cmd/command.h"
#include "cmd/naming.h"
#include "cmd/page-faults.h"
#include "cmd/pids.h"
#include "cmd/process-choice.h"
#include "cmd/python.h"
#include "cmd/running-source.h"
#include "cmd/shown.h"
#include "output/format.h"

/* How much of the kernel is on the stacks. */
enum sprof_kernel_detail {
	SPROF_KERNEL_NONE,
	SPROF_KERNEL_SYSCALL, /* the system call */
	SPROF_KERNEL_STACK,   /* and inside it what the kernel tells of its own stack */
};

struct sprof_recording {
	struct sprof_common_options common;
	struct sprof_naming naming;

	struct sprof_pids pids, tids;        /* attach */
	struct sprof_process_choice by_name; /* attach */
	bool children;                       /* attach */
	bool no_children;                    /* run */
	bool wait;                           /* run: for all that the program starts */

	double rate_hz;
	double max_overhead;  /* a share; 0: any */
	uint64_t duration_ns; /* 0: to the end */
	uint64_t delay_ns;
	bool start_off; /* until it is switched on */
	struct sprof_channel channel;
	uint64_t to_ns;    /* the duration as a time since the start; 0: not given */
	uint64_t slice_ns; /* 0: saved profiles have no times of samples */
	uint64_t every_ns; /* 0: one recording */
	size_t max_depth;
	enum sprof_mode mode;
	enum sprof_kernel_detail kernel;
	enum sprof_running_source source;
	bool exact_waits;
	bool goroutines, cpus;
	struct sprof_page_faults_options faults;
	enum sprof_python_shown python;
	size_t timeline_max, max_stacks;

	const char *stats_pattern; /* as it was given; NULL: none */
	const char *stats_path;    /* with its placeholders replaced */
	struct sprof_shown shown;
};

_Static_assert(offsetof(struct sprof_recording, common) == 0,
	"main.c reads the common options of any command");

extern const struct sprof_recording sprof_recording_defaults;

/*
 * Gives the files of --output and --stats their names for this moment. False: a name can't be made.
 */
bool sprof_recording_rename(struct sprof_recording *options,
	const struct sprof_placeholders_moment *moment, struct sprof_error *err) SPROF_MUST_USE;

/* Whether the options about periods fit together: each period has files of its own. */
bool sprof_recording_check_periods(
	const struct sprof_recording *options, struct sprof_error *err) SPROF_MUST_USE;

/* Groups of a command's table. */
extern const struct sprof_option sprof_recording_sampling_table[];
extern const struct sprof_option sprof_recording_stats_table[];
extern const struct sprof_option sprof_recording_waits_table[];

#endif
