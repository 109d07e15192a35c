/*
 * How far the frame pointer is above sp at a place in a function's body, by the function's own code.
 */
#ifndef SPROF_ELFSYM_FRAME_DISTANCE_H
#define SPROF_ELFSYM_FRAME_DISTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * `code` is that of a function from its first byte up to the place. False: it sets up no frame pointer, it
 * allocates on its stack, or it has an instruction that is not known.
 */
bool sprof_frame_distance_x86_64(const uint8_t *code, size_t size, uint64_t *ret_bytes);

/* The size of the instruction at the first byte; 0: not known, or `size` ends before it does. */
size_t sprof_instruction_size_x86_64(const uint8_t *code, size_t size);

#endif
