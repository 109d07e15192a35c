/*
 * The threads of a core, as samples: the same facts that a look at a live process gives, as far as
 * the core has them.
 */
#ifndef SPROF_CMD_CORE_LOOK_H
#define SPROF_CMD_CORE_LOOK_H

#include "attach/maps.h"
#include "base/attributes.h"
#include "base/error.h"
#include "base/module.h"
#include "base/record.h"
#include "elfsym/core.h"
#include "unwind/unwind.h"

struct sprof_interp;

struct sprof_core_look {
	const struct sprof_core *core;
	const char *program; /* the file to take for the core's program; NULL: the core's path */
	struct sprof_modules *modules;
	struct sprof_unwinder *unwinder;
	struct sprof_interp *interp; /* NULL: native stacks only */
	struct sprof_maps maps;      /* of sprof_core_modules_open() */
	char *maps_text;
};

/*
 * core-modules.c: fills maps, and opens the files of the code. Files that are missing, or that are
 * others by their build id, are told on stderr; their code has no names then, and stacks may end
 * there. Fails if the core does not say where the program was, and a file was given for it.
 */
SPROF_MUST_USE bool sprof_core_modules_open(struct sprof_core_look *look, struct sprof_error *err);
void sprof_core_look_finish(struct sprof_core_look *look);

/* core-threads.c: gives all threads, one sample of each. False: no memory. */
SPROF_MUST_USE bool sprof_core_threads_give(
	const struct sprof_core_look *look, const struct sprof_sink *sink, struct sprof_error *err);

#endif
