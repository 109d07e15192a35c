/*
 * What the commands that read saved profiles share: options, loading, filtering.
 */
#ifndef SPROF_CMD_READING_H
#define SPROF_CMD_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/command.h"
#include "cmd/outputs.h"
#include "cmd/shown.h"
#include "profile/profile.h"

struct sprof_reading {
	struct sprof_common_options common;
	struct sprof_outputs outputs;
	struct sprof_shown shown;
	const char *weight; /* NULL: wall, or what the file shows by default */
	const char *by; /* a label; NULL: none */
	bool absolute; /* diff */
};

extern const struct sprof_reading sprof_reading_defaults;

/* Groups of a command's table, besides those of cmd/shown.h. */
extern const struct sprof_option sprof_reading_output_table[];
extern const struct sprof_option sprof_reading_filter_table[];
extern const struct sprof_option sprof_reading_report_table[];

/* Reads a profile; "-" is stdin. `weight` as in the options. *ret is the caller's to destroy. */
bool sprof_reading_load(const char *path, const char *weight, struct sprof_profile **ret,
	struct sprof_error *err);

/* Reads one or more profiles, as one. */
bool sprof_reading_load_all(char *const paths[], const char *weight, struct sprof_profile **ret,
	struct sprof_error *err);

/* The weight that the options ask for, of this profile. */
bool sprof_reading_weight(const struct sprof_profile *profile, const char *name,
	enum sprof_weight *ret, struct sprof_error *err);

#endif
