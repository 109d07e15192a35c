/*
 * Made-up memory of a 3.11: two threads, one of them with frames that run one function.
 */
#pragma once

#include "interp/python/python.h"
#include "tests/unit/check.h"

enum {
	BASE = 0x100000,
	SIZE = 0x10000,
	WORD = 8,
	OWN_TID = 4711,
	/* places in the memory */
	RUNTIME = BASE,
	INTERPRETER = BASE + 0x1000,
	STATE = BASE + 0x2000,
	OTHER_STATE = BASE + 0x2800,
	CFRAME = BASE + 0x3000,
	FRAMES = BASE + 0x4000,
	CODE = BASE + 0x6000,
	NAME = BASE + 0x7000,
	FILE_NAME = BASE + 0x7100,
	TABLE = BASE + 0x7200,
	TYPE = BASE + 0x8000,
	FRAME = 0x80, /* distance of two frames */
};

struct scene {
	uint8_t bytes[SIZE];
	unsigned calls;
	const struct sprof_python_offsets *offsets;
	struct sprof_interp_memory memory;
	struct sprof_python_process process;
	struct sprof_interp_subject subject;
	struct sprof_interp_thread *thread;
	struct sprof_interp_copy *copy;
	struct sprof_modules *modules;
};

/* As one call. */
void scene_read_pieces(void *data, struct sprof_memory_piece *pieces, size_t count);
void scene_put(struct scene *scene, uint64_t address, uint64_t value);
void scene_put_text(struct scene *scene, uint64_t address, const char *text);
void scene_put_code(struct scene *scene, const char *name);
uint64_t scene_frame_at(unsigned index);
/* Frame 0 is the outermost, and was entered from C. */
void scene_put_frames(struct scene *scene, unsigned count);
int scene_set_up(void **state);
int scene_tear_down(void **state);
/* Prepares and copies; calls is how many the copy took. */
enum sprof_interp_outcome scene_copy(struct scene *scene);
/* What the copied frames are called. */
const struct sprof_frame *scene_names(struct scene *scene);
/* The function and line of the innermost frame. */
void scene_check_name(struct scene *scene, const char *name, uint32_t line);
