/* The order in which the causes of a program's time are named. */
#pragma once

#include "profile/answer/answer.h"

/*
 * A nap is requested by the program: it explains blocked time only as a last resort, and counts as
 * one part of this many.
 */
enum { SPROF_NAPS_COUNT = 4 };

/* What the program does comes first, by time; that it waited for a CPU comes last. */
void sprof_causes_sort(struct sprof_cause causes[SPROF_CAUSES], const struct sprof_times *busy);
