/* The options shared by run and attach. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cmd/cli/command.h"
#include "cmd/cli/processes.h"
#include "cmd/cli/process-choice.h"
#include "cmd/record/channel.h"
#include "cmd/record/page-faults.h"
#include "cmd/record/python.h"
#include "cmd/record/running-source.h"
#include "cmd/saved/naming.h"
#include "cmd/saved/report-options.h"
#include "output/format.h"

/* How much of the kernel is shown on stacks. */
enum sprof_kernel_detail {
	SPROF_KERNEL_NONE,
	SPROF_KERNEL_SYSCALL, /* the system call's name */
	SPROF_KERNEL_STACK,   /* also the kernel's own stack */
};

struct sprof_recording {
	struct sprof_common_options common;
	struct sprof_naming naming;

	struct sprof_processes processes; /* run has only no_children */
	/* run only: wait for all processes that the program starts */
	bool wait;

	double rate_hz;
	double max_overhead;  /* a share; 0: no limit */
	uint64_t duration_ns; /* 0: to the end */
	uint64_t delay_ns;
	bool start_off; /* sampling starts disabled */
	struct sprof_channel channel;
	uint64_t to_ns;    /* end as a time since the start; 0: not given */
	uint64_t slice_ns; /* 0: saved profiles have no sample times */
	uint64_t every_ns; /* 0: one recording */
	size_t max_depth;
	enum sprof_mode mode;
	enum sprof_kernel_detail kernel;
	enum sprof_running_source source;
	bool exact_waits;
	bool why; /* record wake-ups, and find the critical path */
	bool goroutines, cpus;
	struct sprof_page_faults_options faults;
	enum sprof_python_shown python;
	size_t timeline_max, max_stacks;

	const char *stats_pattern; /* the user's path; NULL: none */
	const char *stats_path;    /* with placeholders replaced */
	struct sprof_report_options shown;
};

_Static_assert(offsetof(struct sprof_recording, common) == 0,
	"main.c reads the common options of any command");

extern const struct sprof_recording sprof_recording_defaults;

/*
 * Expands the names of --output and --stats files for this moment. Returns false if a name is
 * invalid.
 */
bool sprof_recording_rename(struct sprof_recording *options,
	const struct sprof_placeholders_moment *moment, struct sprof_error *err) SPROF_MUST_USE;

/* Checks the options about periods: each period needs separate files. */
bool sprof_recording_check_periods(
	const struct sprof_recording *options, struct sprof_error *err) SPROF_MUST_USE;

/* Checks what --why excludes. */
bool sprof_recording_check_why(
	const struct sprof_recording *options, struct sprof_error *err) SPROF_MUST_USE;

/*
 * What is accepted but not documented: options that only shape a report are those of sprof report,
 * which shows any recording.
 */
extern const char sprof_recording_hidden[];

/* Option groups of a command's table. */
extern const struct sprof_option sprof_recording_sampling_table[];
extern const struct sprof_option sprof_recording_stats_table[];
/* of perf record and py-spy record */
extern const struct sprof_option sprof_recording_foreign_table[];
extern const struct sprof_option sprof_recording_waits_table[];

/* The groups that run and attach share. */
/* clang-format off */
#define SPROF_RECORDING_FIELD(name) offsetof(struct sprof_recording, name)
#define SPROF_RECORDING_GROUPS \
	{"Sampling", sprof_recording_sampling_table}, \
	{"Sampling", sprof_recording_foreign_table}, \
	{"Page faults", sprof_page_faults_table, SPROF_RECORDING_FIELD(faults)}, \
	{"Output", sprof_report_options_output_table, SPROF_RECORDING_FIELD(shown)}, \
	{"Output", sprof_report_options_json_table, SPROF_RECORDING_FIELD(shown)}, \
	{"Output", sprof_report_options_weight_table, SPROF_RECORDING_FIELD(shown)}, \
	{"Output", sprof_recording_stats_table}, \
	{"Filters", sprof_report_options_filter_table, SPROF_RECORDING_FIELD(shown)}, \
	{"Layout", sprof_report_options_brief_table, SPROF_RECORDING_FIELD(shown)}, \
	{"Layout", sprof_report_options_own_table, SPROF_RECORDING_FIELD(shown)}, \
	{"Layout", sprof_recording_waits_table}, \
	{"Layout", sprof_report_options_report_table, SPROF_RECORDING_FIELD(shown)}, \
	{"Names", sprof_naming_table, SPROF_RECORDING_FIELD(naming)}, \
	{"General", sprof_common_option_table}
/* clang-format on */
