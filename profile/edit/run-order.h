/* The order in which profiles are merged and joined, whatever the order they are given in. */
#ifndef SPROF_PROFILE_EDIT_RUN_ORDER_H
#define SPROF_PROFILE_EDIT_RUN_ORDER_H

#include "profile/model/profile.h"

/* By start, then by contents: the earlier one is less. 0: reports show no difference. */
int sprof_run_order(const struct sprof_profile *one, const struct sprof_profile *other);

#endif
