/* The registers of a frame and access to its memory, for evaluating DWARF. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SPROF_FRAME_MACHINE_REGISTERS = 64
}; /* at least the number of integer registers of any machine */

struct sprof_frame_machine {
	uint64_t registers[SPROF_FRAME_MACHINE_REGISTERS]; /* by DWARF number */
	uint64_t known;                                    /* bit n: registers[n] is known */
	uint64_t cfa;                                      /* 0: unknown */
	uint64_t pc;                                       /* at run time; 0: unknown */
	void *memory;
	/* Reads up to `size` bytes; returns the number read. */
	size_t (*read)(void *memory, uint64_t address, void *buffer, size_t size);
};

static inline bool sprof_frame_machine_register(
	const struct sprof_frame_machine *machine, uint64_t number, uint64_t *ret)
{
	if (number >= SPROF_FRAME_MACHINE_REGISTERS || !(machine->known >> number & 1))
		return false;
	*ret = machine->registers[number];
	return true;
}

static inline void sprof_frame_machine_set(
	struct sprof_frame_machine *machine, unsigned number, uint64_t value)
{
	machine->registers[number] = value;
	machine->known |= (uint64_t)1 << number;
}
