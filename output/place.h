/* Private to output/: finds what an output path refers to. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/error.h"

enum sprof_place_kind {
	SPROF_PLACE_NEW,        /* does not exist yet */
	SPROF_PLACE_FILE,       /* a regular file, to be replaced */
	SPROF_PLACE_DEVICE,     /* a FIFO, a device: written directly */
	SPROF_PLACE_DESCRIPTOR, /* a descriptor of this process */
};

struct sprof_place {
	enum sprof_place_kind kind;
	char path[PATH_MAX]; /* after following symbolic links at its end */
	mode_t mode;         /* SPROF_PLACE_FILE: its permissions */
	bool is_own;         /* SPROF_PLACE_FILE: owned by sprof's user */
	int descriptor;      /* SPROF_PLACE_DESCRIPTOR: its number */
};

/* Follows the path to the file that a write would change. Returns false if it can't be written. */
SPROF_MUST_USE bool sprof_place_find(
	const char *path, struct sprof_place *ret, struct sprof_error *err);

/*
 * Whether it is a pipe, a terminal, /dev/null or /dev/full. Other devices are refused: opening one
 * may have side effects.
 */
bool sprof_place_takes_text(const struct stat *status);
