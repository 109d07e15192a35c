/*
 * This process, as blocked/ sees one: its memory, and no other process.
 */
#pragma once

#include "blocked/access.h"

extern const struct sprof_blocked_access own_process;
