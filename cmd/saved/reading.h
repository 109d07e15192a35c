/* Shared by commands that read saved profiles: options, loading, filtering. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "cmd/cli/command.h"
#include "cmd/saved/gate.h"
#include "cmd/saved/naming.h"
#include "cmd/saved/report-options.h"
#include "profile/model/profile.h"

struct sprof_reading {
	struct sprof_common_options common;
	struct sprof_report_options shown;
	struct sprof_naming naming;
	const char *by;                 /* report: a label, or a property of frames; NULL: none */
	const char *parent;             /* report: a pattern; NULL: none */
	const char *input;              /* report: a file beside the operands; NULL: none */
	bool no_children;               /* report: self only */
	struct sprof_gate_options gate; /* diff */
};

_Static_assert(offsetof(struct sprof_reading, common) == 0,
	"main.c reads the common options of any command");

extern const struct sprof_reading sprof_reading_defaults;

/* A group of a command's table, in addition to those of cmd/saved/report-options.h. */
extern const struct sprof_option sprof_reading_filter_table[];

/*
 * Reads a profile and, if the options give sources, resolves its names again; "-" is stdin. For
 * another tool's profile, shown.weight selects the kind of value; NULL: the file's default. The
 * caller destroys *ret.
 */
bool sprof_reading_load(const struct sprof_reading *options, const char *path,
	struct sprof_profile **ret, struct sprof_error *err) SPROF_MUST_USE;

/* Reads one or more profiles and merges them. */
bool sprof_reading_load_all(const struct sprof_reading *options, char *const paths[],
	struct sprof_profile **ret, struct sprof_error *err) SPROF_MUST_USE;
