/* Computes from code how far the frame pointer is above sp in a function's body. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * `code` is the function's code from its first byte to the pc. Returns false if the function sets
 * up no frame pointer, allocates a variable amount of stack, or contains an unknown instruction.
 */
bool sprof_frame_distance_x86_64(const uint8_t *code, size_t size, uint64_t *ret_bytes);

/*
 * The same for code before a pc if the function's start is unknown: uses the last frame pointer
 * setup. Also returns false if another function seems to begin after it.
 */
bool sprof_frame_distance_behind_x86_64(const uint8_t *code, size_t size, uint64_t *ret_bytes);

/* The size of the instruction; 0: unknown, or longer than `size`. */
size_t sprof_instruction_size_x86_64(const uint8_t *code, size_t size);
