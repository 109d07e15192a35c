/*
 * Who had the CPUs while threads waited for one.
 */
#ifndef SPROF_PROFILE_CROWD_H
#define SPROF_PROFILE_CROWD_H

#include <stdbool.h>

#include "profile/profile.h"

/* In CPUs, on average over the recording. */
struct sprof_crowd {
	double cpus;       /* that the machine has */
	double own;        /* used by what was profiled */
	double others;     /* used by all other programs; not by sprof */
	double sprof;      /* used by sprof itself */
	bool is_of_others; /* they left too little */
	bool is_of_sprof;  /* others left enough, but sprof used much of it */
	bool is_of_own;    /* what was profiled had most, and wanted more */
};

/* False: it is not known. */
bool sprof_crowd_find(const struct sprof_profile *profile, struct sprof_crowd *ret);

#endif
