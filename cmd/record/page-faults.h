/* Page faults in a recording (--faults). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/cli/command.h"
#include "events/faults/events.h"
#include "events/source.h"
#include "profile/model/profile.h"

struct sprof_page_faults_options {
	bool wanted;
	size_t period; /* 0: chosen automatically */
};

/* Option rows, at the offset of the options. */
extern const struct sprof_option sprof_page_faults_table[];

/* Zeroed: disabled. */
struct sprof_page_faults {
	struct sprof_profile **profile; /* the owner's pointer to the current profile */
	struct sprof_fault_events *events;
	uint64_t page_size;
	struct sprof_event_source source;
};

/*
 * Opens the events. *profile may change later to another one with the same kinds
 * (profile/answer/faults.h). Returns false if refused, or out of memory.
 */
SPROF_MUST_USE bool sprof_page_faults_begin(struct sprof_page_faults *faults,
	const struct sprof_page_faults_options *options, bool follow_children,
	struct sprof_profile **profile, struct sprof_error *err);

/* After the run: prints what is missing, and why. */
void sprof_page_faults_note(const struct sprof_page_faults *faults);
void sprof_page_faults_finish(struct sprof_page_faults *faults);
