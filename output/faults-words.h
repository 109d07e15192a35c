/* Private to output/: one sentence about page faults. */
#ifndef SPROF_OUTPUT_FAULTS_WORDS_H
#define SPROF_OUTPUT_FAULTS_WORDS_H

#include "profile/model/profile.h"

/*
 * "10240 page faults touched 40.0 MiB, 98 % of them in fill called from load", with names truncated
 * to `room` characters. The caller frees it. NULL: the profile has no faults, or out of memory.
 */
char *sprof_faults_words(const struct sprof_profile *profile, size_t room);

#endif
