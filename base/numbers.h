/* Arithmetic for unsigned figures that may have been read at different times; comparisons. */
#pragma once

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

/* For qsort(3), of numbers. */
static inline int sprof_compare_uint64(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static inline int sprof_compare_int(const void *left, const void *right)
{
	const int *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static inline int sprof_compare_double(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* The largest first. */
static inline int sprof_falling(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

/* Writes the number's digits before `end`; returns the first. Without printf, which is slow. */
static inline char *sprof_digits(char *end, uint64_t number)
{
	do {
		*--end = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	return end;
}

/* The next number of a sequence. `state` is not 0. (xorshift64*, Vigna 2016.) */
static inline uint64_t sprof_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(0x2545f4914f6cdd1d);
}
