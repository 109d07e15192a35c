/* Cleanup attributes for resources that every layer uses. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SPROF_CLEANUP(function) __attribute__((cleanup(function)))

static inline void sprof_cleanup_free(void *pointer)
{
	free(*(void **)pointer);
}

static inline void sprof_cleanup_close(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void sprof_cleanup_fclose(FILE **file)
{
	if (*file)
		fclose(*file);
}

#define SPROF_AUTO_FREE SPROF_CLEANUP(sprof_cleanup_free)
#define SPROF_AUTO_CLOSE SPROF_CLEANUP(sprof_cleanup_close)
#define SPROF_AUTO_FCLOSE SPROF_CLEANUP(sprof_cleanup_fclose)
