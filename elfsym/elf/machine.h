/*
 * The machines with instruction decoders. All decoders are compiled on every machine, so that each
 * can be tested anywhere.
 */
#pragma once

enum sprof_machine {
	SPROF_MACHINE_X86_64,
	SPROF_MACHINE_AARCH64,
};

/* The machine that sprof is built for; sprof profiles programs of this machine only. */
#if defined(__x86_64__)
#define SPROF_MACHINE SPROF_MACHINE_X86_64
#elif defined(__aarch64__)
#define SPROF_MACHINE SPROF_MACHINE_AARCH64
#endif
