/* Which programs used the CPUs while threads waited for one. */
#pragma once

#include <stdbool.h>

#include "profile/model/profile.h"

/* In CPUs, on average over the recording. */
struct sprof_crowd {
	double cpus;       /* of the machine */
	double own;        /* used by the target */
	double others;     /* used by all other programs except sprof */
	double sprof;      /* used by sprof itself */
	bool is_of_others; /* other programs left too few CPUs */
	bool is_of_sprof;  /* other programs left enough, but sprof used much of it */
	bool is_of_own;    /* the target used most and needed more */
};

/* The CPU time of the program, before a filter. */
uint64_t sprof_crowd_cpu_ns(const struct sprof_profile *profile);

/* Returns false if unknown. */
bool sprof_crowd_find(const struct sprof_profile *profile, struct sprof_crowd *ret);
