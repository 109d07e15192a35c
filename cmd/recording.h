/*
 * The options that run and attach share.
 */
#ifndef SPROF_CMD_RECORDING_H
#define SPROF_CMD_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cmd/command.h"
#include "cmd/naming.h"
#include "cmd/outputs.h"
#include "cmd/shown.h"
#include "output/format.h"

/* What of the kernel is on the stacks. */
enum sprof_kernel_detail {
	SPROF_KERNEL_NONE,
	SPROF_KERNEL_SYSCALL, /* the system call */
	SPROF_KERNEL_STACK,   /* and inside of it what the kernel tells */
};

struct sprof_recording {
	struct sprof_common_options common;
	struct sprof_naming naming; /* second, as struct sprof_naming_command has it */

	pid_t pid;         /* attach */
	bool children;     /* attach */
	bool no_children;  /* run */
	bool wait;         /* run: for all that the program starts */

	double rate_hz;
	double max_overhead; /* a share; 0: any */
	uint64_t duration_ns; /* 0: to the end */
	uint64_t delay_ns;
	uint64_t to_ns;    /* the duration as a time since the start; 0: not said */
	uint64_t slice_ns; /* 0: saved profiles don't say when samples were taken */
	uint64_t every_ns; /* 0: one recording */
	size_t max_depth;
	enum sprof_mode mode;
	enum sprof_kernel_detail kernel;
	bool goroutines;
	size_t timeline_max, max_stacks;

	struct sprof_outputs outputs;
	const char *stats_pattern; /* as it was given; NULL: none */
	const char *stats_path;    /* with its placeholders replaced */
	enum sprof_weight weight;
	struct sprof_shown shown;
};

extern const struct sprof_recording sprof_recording_defaults;

/*
 * Gives the files of --output and --stats the names that they have at this moment. False: they have
 * none.
 */
bool sprof_recording_rename(struct sprof_recording *options,
	const struct sprof_placeholders_moment *moment, struct sprof_error *err);

/* Whether the options about periods fit together: each period has files of its own. */
bool sprof_recording_check_periods(const struct sprof_recording *options, struct sprof_error *err);

/* Groups of a command's table. */
extern const struct sprof_option sprof_recording_sampling_table[];
extern const struct sprof_option sprof_recording_output_table[];

#endif
