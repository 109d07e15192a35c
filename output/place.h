/*
 * Private to output/: the place a path stands for.
 */
#ifndef SPROF_OUTPUT_PLACE_H
#define SPROF_OUTPUT_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

enum sprof_place_kind {
	SPROF_PLACE_NEW,        /* nothing there yet */
	SPROF_PLACE_FILE,       /* a regular file, to be replaced */
	SPROF_PLACE_DEVICE,     /* a FIFO, a device: written straight to */
	SPROF_PLACE_DESCRIPTOR, /* a descriptor of this process */
};

struct sprof_place {
	enum sprof_place_kind kind;
	char path[PATH_MAX]; /* with symbolic links at its end followed */
	mode_t mode;         /* SPROF_PLACE_FILE: its permissions */
	bool is_own;         /* SPROF_PLACE_FILE: it belongs to us */
	int descriptor;      /* SPROF_PLACE_DESCRIPTOR: its number */
};

/* Follows the path to where writing to it would end. False: it can't be a file to write to. */
bool sprof_place_find(const char *path, struct sprof_place *ret, struct sprof_error *err);

#endif
