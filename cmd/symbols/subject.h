/* The options of `sprof symbols`, and the file or process that it examines. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/proc/maps.h"
#include "base/attributes.h"
#include "cmd/cli/processes.h"
#include "cmd/saved/naming.h"
#include "elfsym/elf/image.h"
#include "elfsym/names/listing.h"

enum { SPROF_MAX_SYMBOL_ADDRESSES = 256 };

struct sprof_symbol_options {
	struct sprof_common_options common;
	struct sprof_naming naming;
	struct sprof_processes processes;
	bool verify, all, file_addresses;
	struct sprof_symbol_addresses {
		const char *items[SPROF_MAX_SYMBOL_ADDRESSES];
		size_t count;
	} addresses;
};

/* One file, or everything that a process has mapped. */
struct sprof_symbol_subject {
	const struct sprof_symbol_options *options;
	struct sprof_modules *modules;
	struct sprof_maps maps; /* of the process; empty for a file */
	struct sprof_module *file;
	struct sprof_image *image; /* of the file */
	struct sprof_namer namer;
	/* The listing of the last module. */
	const struct sprof_module *listed;
	bool listed_all;
	struct sprof_listing listing;
	uint64_t bias; /* of that module; 0: a file */
};

/* Whether its mappings can be read; a message, if not. */
SPROF_MUST_USE bool sprof_symbol_process_check(pid_t pid, struct sprof_error *err);

/* path NULL: the process of the options. The caller finishes the subject, also after a failure. */
SPROF_MUST_USE bool sprof_symbol_subject_init(struct sprof_symbol_subject *subject,
	const struct sprof_symbol_options *options, const char *path, struct sprof_error *err);
void sprof_symbol_subject_finish(struct sprof_symbol_subject *subject);

/* Whether the process has mapped code or data of the module at the address. */
bool sprof_symbol_subject_holds(const struct sprof_symbol_subject *subject,
	const struct sprof_module *module, uint64_t address);

/* Sets subject->listing to that of the module, with or without data. Returns false if the module
 * can't be read, or out of memory. */
SPROF_MUST_USE bool sprof_symbol_subject_list(struct sprof_symbol_subject *subject,
	const struct sprof_module *module, bool all, struct sprof_error *err);
