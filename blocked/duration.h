/* Durations of sleeps as text. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* "100 ms", "1.5 s": two digits, so that similar sleeps get the same text. */
void sprof_blocked_duration(uint64_t ns, char *buffer, size_t size);
