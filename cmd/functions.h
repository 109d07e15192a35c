/*
 * The functions of running programs whose calls are reported: found by their names in each file as soon
 * as it is mapped, and watched there. A source of events for the run.
 *
 * Events are PROBE and RETURN of the catalogue, whose first value is the function's number, and CLONE,
 * FORK, EXEC, EXIT, SIGNAL; all in the order of time.
 */
#ifndef SPROF_CMD_FUNCTIONS_H
#define SPROF_CMD_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "base/module.h"
#include "cmd/tracing.h"
#include "elfsym/listing.h"
#include "events/breakpoint-events.h"
#include "events/event-type.h"
#include "events/source.h"

struct sprof_functions;

struct sprof_function {
	const char *name; /* as the file has it, for the linker */
	struct sprof_module *module;
	uint64_t offset; /* of its first instruction, in the file */
	bool is_brief;   /* only its begin is told, without a stack */
};

struct sprof_functions_options {
	struct sprof_modules *modules; /* of the run */
	void *data;
	/* Of several names at one place each is asked about until one is wanted. */
	bool (*wants)(
		void *data, const struct sprof_module *module, const struct sprof_listed *function);
	/* Whether a wanted function is brief, which costs half. NULL: none is. */
	bool (*is_brief)(void *data, const char *name);
	/* False: no memory; it is remembered by who says so. */
	bool (*event)(void *data, const struct sprof_trace_event *event);
	/* Events from before this time are missing. NULL: not wanted. */
	void (*gap)(void *data, uint64_t end_ns);
	/*
	 * The program that was started has mapped a library, and stood still while its functions were found and
	 * watched. None of its own code has run. NULL: not wanted.
	 */
	void (*loaded)(void *data, uint64_t now_ns);
	bool are_leaves;     /* exceptions never pass the wanted functions */
	bool stacks;         /* of calls: an id of the profile's */
	bool begins_only;    /* of calls: no returns */
	bool times;          /* of breakpoints: loads have CPU times */
	bool counts_will_do; /* begins of calls are better than nothing */
	bool breakpoints;    /* the target's code may be changed */
	bool follow_children;
};

/* Chooses how they are watched. False: no way is permitted, the error says why; or no memory. */
SPROF_MUST_USE bool sprof_functions_create(const struct sprof_functions_options *options,
	struct sprof_functions **ret, struct sprof_error *err);
/* NULL is accepted. */
void sprof_functions_destroy(struct sprof_functions *functions);

/* What the run needs: before it begins. The source is valid as long as `functions`. */
void sprof_functions_prepare(
	const struct sprof_functions *functions, struct sprof_subject *subject);
struct sprof_event_source sprof_functions_source(struct sprof_functions *functions);

/* "uprobes", "breakpoints", "hardware breakpoints" */
const char *sprof_functions_source_name(const struct sprof_functions *functions);

/*
 * Whether there are RETURN events. The kernel's probes of returns change return addresses: an exception
 * that passes such a function ends its program. So if there is anybody who may throw one, there are
 * none, except of leaves, and calls can be counted, not timed.
 */
bool sprof_functions_have_returns(const struct sprof_functions *functions);

/* Whether functions are watched by the four debug registers that each thread has. */
bool sprof_functions_use_registers(const struct sprof_functions *functions);

size_t sprof_functions_count(const struct sprof_functions *functions);
/* By an event's number; valid as long as `functions`. */
const struct sprof_function *sprof_functions_at(
	const struct sprof_functions *functions, int64_t number);

/* With breakpoints: takes them out for a while, and puts them back. */
void sprof_functions_suspend(struct sprof_functions *functions);
void sprof_functions_resume(struct sprof_functions *functions);
/* What they have taken from a thread so far. */
struct sprof_breakpoint_load sprof_functions_load(
	const struct sprof_functions *functions, uint32_t thread);

struct sprof_functions_gaps {
	uint64_t lost;      /* records that the kernel had no room for */
	uint32_t unwatched; /* threads that could not be watched on a CPU */
	uint64_t gone; /* how often a breakpoint was, for a moment: other threads may miss it */
	uint32_t unreadable;  /* files with functions that could not be read */
	uint32_t not_watched; /* functions that are wanted and can't be watched */
};

struct sprof_functions_gaps sprof_functions_gaps(const struct sprof_functions *functions);

#endif
