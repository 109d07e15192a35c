/*
 * Private to output/: the perf.data writer.
 */
#ifndef SPROF_OUTPUT_PERF_H
#define SPROF_OUTPUT_PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/layout.h"
#include "output/moments.h"
#include "output/out.h"
#include "profile/profile.h"

/* As uname -m has it. */
#if defined(__x86_64__)
#define SPROF_PERF_ARCH "x86_64"
#else
#define SPROF_PERF_ARCH "aarch64"
#endif

struct sprof_perf {
	const struct sprof_profile *profile;
	enum sprof_weight weight;
	struct sprof_out *out;
	struct sprof_layout layout;
	struct sprof_moments moments;
	bool counting; /* nothing is written, only counted */
	uint64_t size;
};

void sprof_perf_put(struct sprof_perf *writer, const void *bytes, size_t size);

#endif
