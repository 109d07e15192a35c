/*
 * Computes from a function's code how far the frame pointer is above sp in its body.
 */
#ifndef SPROF_ELFSYM_FRAME_DISTANCE_H
#define SPROF_ELFSYM_FRAME_DISTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * `code` is the function's code from its first byte up to the place. False: the function sets up no
 * frame pointer, allocates on its stack, or has an unknown instruction.
 */
bool sprof_frame_distance_x86_64(const uint8_t *code, size_t size, uint64_t *ret_bytes);

/*
 * The same for the code before a place, where nobody knows where the function starts: the last frame
 * pointer that is set up counts. False also if another function seems to begin behind it.
 */
bool sprof_frame_distance_behind_x86_64(const uint8_t *code, size_t size, uint64_t *ret_bytes);

/* The size of the instruction at the first byte; 0: unknown, or longer than `size`. */
size_t sprof_instruction_size_x86_64(const uint8_t *code, size_t size);

#endif
