/* Whether a descriptor still is the file that it was at the moment of a record. */
#ifndef SPROF_SAMPLER_DESCRIPTORS_H
#define SPROF_SAMPLER_DESCRIPTORS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { KNOWN_DESCRIPTORS = 64 };

/* What some descriptors were at the last looks. Zero-initialized: none is known. */
struct descriptors {
	struct known_descriptor {
		pid_t pid;
		int number;
		uint64_t text;     /* what it is: a hash */
		uint64_t since_ns; /* each look since then has found the same */
	} items[KNOWN_DESCRIPTORS];
};

/* A look at the descriptor. */
struct descriptor_look {
	pid_t pid;
	int number;
	const char *text; /* what it is */
	uint64_t now_ns;
};

/*
 * Notes the look. Returns whether the descriptor was the same at that moment: an earlier look found
 * the same, or the moment is less than 2 ms ago.
 */
bool sprof_descriptors_were_same(
	struct descriptors *descriptors, const struct descriptor_look *look, uint64_t moment_ns);

#endif
