/*
 * Watches functions of running programs: finds them by name in each file as soon as it is mapped,
 * and reports their calls. A source of events for the run.
 *
 * Events are PROBE and RETURN of the catalogue, whose first value is the function's number, and
 * CLONE, FORK, EXEC, EXIT, SIGNAL; all in the order of time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "base/module.h"
#include "cmd/record/tracing.h"
#include "elfsym/names/listing.h"
#include "events/functions/breakpoint-events.h"
#include "events/event-type.h"
#include "events/source.h"

struct sprof_functions;

struct sprof_function {
	const char *name; /* mangled, as in the file */
	struct sprof_module *module;
	uint64_t address, offset; /* of its first instruction: link-time, in the file */
	enum sprof_breakpoint_way way;
	/* offsets of its jumps to its own first instruction, which are not calls */
	uint32_t *loops;
	size_t loop_count;
	const char *refusal; /* why it is not watched, at least in one process; NULL: it is */
};

struct sprof_functions_options {
	struct sprof_modules *modules; /* the run's modules */
	void *data;
	/* Called for each name at an address. */
	bool (*wants)(
		void *data, const struct sprof_module *module, const struct sprof_listed *function);
	/* Whether a wanted function is brief, which costs half. NULL: none. */
	bool (*is_brief)(void *data, const char *name);
	/* Returns false if out of memory; the callback records that. */
	bool (*event)(void *data, const struct sprof_trace_event *event);
	/* Events before end_ns are missing. May be NULL. */
	void (*gap)(void *data, uint64_t end_ns);
	/* A thread jumps to this place of its own stack: the calls below are left. May be NULL. */
	void (*left)(void *data, uint32_t thread, uint64_t sp, uint64_t now_ns);
	/*
	 * The launched program has mapped a library, and was held while its functions were found
	 * and watched. None of its own code has run. May be NULL.
	 */
	void (*loaded)(void *data, uint64_t now_ns);
	/*
	 * Only entries, by the four debug registers of each thread: no stops, and no changed code.
	 */
	bool counts_only;
	/* With breakpoints: */
	bool stacks;      /* record stacks: ids of the profile */
	bool begins_only; /* report entries only */
	bool times;       /* loads include CPU times */
	bool follow_children;
};

/*
 * Returns false if the method is not permitted or not possible here, with the reason in the error;
 * or if out of memory.
 */
SPROF_MUST_USE bool sprof_functions_create(const struct sprof_functions_options *options,
	struct sprof_functions **ret, struct sprof_error *err);
/* NULL is accepted. */
void sprof_functions_destroy(struct sprof_functions *functions);

/* Sets what the run needs; call it before the run. The source is valid as long as `functions`. */
void sprof_functions_prepare(
	const struct sprof_functions *functions, struct sprof_subject *subject);
struct sprof_event_source sprof_functions_source(struct sprof_functions *functions);

/* "breakpoints", "hardware breakpoints" */
const char *sprof_functions_source_name(const struct sprof_functions *functions);

size_t sprof_functions_count(const struct sprof_functions *functions);
/* The function with an event's number; valid as long as `functions`. */
const struct sprof_function *sprof_functions_at(
	const struct sprof_functions *functions, int64_t number);

/* Removes all breakpoints, and puts them back. */
void sprof_functions_suspend(struct sprof_functions *functions);
void sprof_functions_resume(struct sprof_functions *functions);
/* The cost of a thread's stops so far. */
struct sprof_breakpoint_load sprof_functions_load(
	const struct sprof_functions *functions, uint32_t thread);

struct sprof_functions_gaps {
	uint64_t lost;      /* records lost because a ring was full */
	uint32_t unwatched; /* threads that could not be watched on some CPU */
	/*
	 * how often a breakpoint was removed for a moment, so that other threads may have missed it
	 */
	uint64_t gone;
	uint32_t unreadable;  /* unreadable files with functions */
	uint32_t not_watched; /* wanted functions that can't be watched */
};

struct sprof_functions_gaps sprof_functions_gaps(const struct sprof_functions *functions);
