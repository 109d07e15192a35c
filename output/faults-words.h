/*
 * Private to output/: what page faults say, in one sentence.
 */
#ifndef SPROF_OUTPUT_FAULTS_WORDS_H
#define SPROF_OUTPUT_FAULTS_WORDS_H

#include "profile/profile.h"

/*
 * "10240 page faults touched 40.0 MiB, 98 % of them in fill called from load", with names of at most
 * `room` characters. To be freed. NULL: the profile has no faults, or there is no memory.
 */
char *sprof_faults_words(const struct sprof_profile *profile, size_t room);

#endif
