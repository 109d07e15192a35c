/*
 * Single delays of `sprof rundelay`: lines about those that are too long (--detail), and files with
 * the lengths of all (--heatmap).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/cli/option-values.h"
#include "events/sched/rundelay-rows.h"
#include "output/out.h"
#include "output/trace/heatmap.h"
#include "profile/model/owners.h"

/* Set the first members; the rest zeroed is empty and valid. */
struct sprof_single_delays {
	struct sprof_rundelay_view view; /* the threads to show, and --than */
	struct sprof_out *out;           /* for lines */
	bool json;
	struct sprof_heatmap heatmap;

	struct sprof_details *details; /* NULL: no lines */
	struct sprof_owners owners;    /* names of threads of other processes */
	uint64_t last_ns, oldest_ns;   /* of the steps so far; the begin of the oldest open delay */
	bool no_memory;
};

/* Returns false if out of memory. */
SPROF_MUST_USE bool sprof_single_delays_begin(struct sprof_single_delays *singles,
	const struct sprof_detail *detail, struct sprof_error *err);

bool sprof_single_delays_are_wanted(const struct sprof_single_delays *singles);

/* Takes a step; `data` is the struct (struct sprof_delay_options). */
void sprof_single_delays_take(void *data, const struct sprof_delay_event *event);

/* After all steps of a moment: what is older than any open delay may be forgotten. */
void sprof_single_delays_look(struct sprof_single_delays *singles);

/* Writes the lines that wait for what comes after them. */
void sprof_single_delays_end(struct sprof_single_delays *singles);

/* Writes the heatmaps. Returns false if a file could not be written. */
SPROF_MUST_USE bool sprof_single_delays_close(
	struct sprof_single_delays *singles, struct sprof_error *err);

void sprof_single_delays_finish(struct sprof_single_delays *singles);
