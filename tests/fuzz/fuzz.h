/*
 * What each fuzz target defines, and libFuzzer or replay.c calls.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The input as text in memory of exactly its size, so that a sanitizer sees every byte too far. */
static inline char *fuzz_text(const uint8_t *bytes, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		abort();
	if (size)
		memcpy(text, bytes, size);
	text[size] = '\0';
	return text;
}

/* An assertion that no build type takes out. */
static inline void fuzz_require(int condition)
{
	if (!condition)
		abort();
}
