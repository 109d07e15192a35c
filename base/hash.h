/*
 * A 128-bit hash of a sequence of words, used as a table key without storing the words. The
 * probability of a collision among n entries is about n^2 / 2^128. Each step is a bijection of
 * either half for any word, so sequences that differ in one word have different hashes. If the
 * number of words varies, start with it.
 *
 * Not safe against chosen keys: a target can make two keys equal, but harms only its own profile.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* 64-bit FNV-1a of bytes (http://www.isthe.com/chongo/tech/comp/fnv/). Another basis gives another
 * hash. */
#define SPROF_HASH_BASIS UINT64_C(0xcbf29ce484222325)

static inline uint64_t sprof_hash_bytes(const void *bytes, size_t size, uint64_t basis)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < size; i++)
		basis = (basis ^ at[i]) * UINT64_C(0x100000001b3);
	return basis;
}

struct sprof_hash {
	uint64_t high, low;
};

static inline struct sprof_hash sprof_hash_start(uint64_t count)
{
	return (struct sprof_hash){
		.high = count ^ 0x243f6a8885a308d3u,
		.low = count ^ 0x13198a2e03707344u,
	};
}

/*
 * Adds two words at the cost of one. The halves combine them with different factors: if two pairs
 * have the same first sum, their second sums differ, because the difference of the factors is odd.
 */
static inline void sprof_hash_add_pair(struct sprof_hash *hash, uint64_t word, uint64_t other)
{
	hash->high = (hash->high ^ (word + other * 0x9e3779b97f4a7c15u)) * 0xa0761d6478bd642fu;
	hash->high ^= hash->high >> 32;
	hash->low = (hash->low ^ (word + other * 0xd6e8feb86659fd92u)) * 0xe7037ed1a0b428dbu;
	hash->low ^= hash->low >> 29;
}

static inline void sprof_hash_add(struct sprof_hash *hash, uint64_t word)
{
	sprof_hash_add_pair(hash, word, 0);
}

static inline void sprof_hash_add_pointer(struct sprof_hash *hash, const void *pointer)
{
	sprof_hash_add(hash, (uint64_t)(uintptr_t)pointer);
}
