/*
 * This process, as blocked/ sees one: its memory, and no other process.
 */
#ifndef SPROF_TESTS_UNIT_BLOCKED_OWN_PROCESS_H
#define SPROF_TESTS_UNIT_BLOCKED_OWN_PROCESS_H

#include "blocked/access.h"

extern const struct sprof_blocked_access own_process;

#endif
