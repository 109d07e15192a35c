/* Saturating arithmetic for unsigned figures that may have been read at different times. */
#ifndef SPROF_BASE_NUMBERS_H
#define SPROF_BASE_NUMBERS_H

#include <stdint.h>

/* a - b; 0 if b is the larger one. */
static inline uint64_t sprof_minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* a + b; UINT64_MAX if that is too large. */
static inline uint64_t sprof_plus(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static inline uint64_t sprof_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t sprof_most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The next number of a sequence. `state` is not 0. (xorshift64*, Vigna 2016.) */
static inline uint64_t sprof_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(0x2545f4914f6cdd1d);
}

#endif
