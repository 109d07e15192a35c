/* Samples the threads of a core file: the same facts as of a live process, if the core has them. */
#pragma once

#include "attach/proc/maps.h"
#include "base/attributes.h"
#include "base/error.h"
#include "base/module.h"
#include "base/record.h"
#include "elfsym/core/core.h"
#include "unwind/unwind.h"

struct sprof_interp;

struct sprof_core_look {
	const struct sprof_core *core;
	/* the program's file, if not at the core's path; NULL: use the core's path */
	const char *program;
	struct sprof_modules *modules;
	struct sprof_unwinder *unwinder;
	struct sprof_interp *interp; /* NULL: native stacks only */
	struct sprof_maps maps;      /* filled by sprof_core_modules_open() */
	char *maps_text;
};

/*
 * In core-modules.c: fills maps and opens the files with code. Reports files that are missing, or
 * have another build id, on stderr; their code stays unresolved, and stacks may end there. Fails if
 * the core does not say where the program was mapped, but `program` is set.
 */
SPROF_MUST_USE bool sprof_core_modules_open(struct sprof_core_look *look, struct sprof_error *err);
void sprof_core_look_finish(struct sprof_core_look *look);

/* In core-threads.c: passes one sample per thread to the sink. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_core_threads_give(
	const struct sprof_core_look *look, const struct sprof_sink *sink, struct sprof_error *err);
