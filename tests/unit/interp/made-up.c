/*
 * Lays out objects by the offsets of the version.
 */
#include "tests/unit/interp/made-up.h"

#include <stdlib.h>
#include <string.h>

#include "base/script.h"

static size_t read_memory(void *data, uint64_t address, void *buffer, size_t size)
{
	struct scene *scene = data;

	scene->calls++;
	if (address < BASE || address >= BASE + SIZE)
		return 0;
	if (size > BASE + SIZE - address)
		size = BASE + SIZE - address;
	memcpy(buffer, scene->bytes + (address - BASE), size);
	return size;
}

void scene_read_pieces(void *data, struct sprof_memory_piece *pieces, size_t count)
{
	struct scene *scene = data;
	const unsigned calls = scene->calls + 1;

	for (size_t i = 0; i < count; i++)
		pieces[i].got =
			read_memory(data, pieces[i].address, pieces[i].buffer, pieces[i].size);
	scene->calls = calls;
}

void scene_put(struct scene *scene, uint64_t address, uint64_t value)
{
	memcpy(scene->bytes + (address - BASE), &value, sizeof(value));
}

void scene_put_text(struct scene *scene, uint64_t address, const char *text)
{
	scene_put(scene, address + scene->offsets->text_length, strlen(text));
	scene_put(scene, address + scene->offsets->text_state, 1 << 2 | 1 << 5 | 1 << 6);
	strcpy((char *)scene->bytes + (address - BASE) + scene->offsets->ascii_data, text);
}

void scene_put_code(struct scene *scene, const char *name)
{
	const struct sprof_python_offsets *offsets = scene->offsets;

	scene_put(scene, CODE, 1); /* one reference */
	scene_put(scene, CODE + offsets->object_type, TYPE);
	scene_put(scene, CODE + offsets->code_line, 10);
	scene_put(scene, CODE + offsets->code_name, NAME);
	scene_put(scene, CODE + offsets->code_file, FILE_NAME);
	scene_put(scene, CODE + offsets->code_table, TABLE);
	scene_put_text(scene, NAME, name);
	scene_put_text(scene, FILE_NAME, "/app.py");
	scene_put(scene, TABLE + offsets->bytes_size, 2);
	scene->bytes[TABLE - BASE + offsets->bytes_data] = 0x80 | 13 << 3 | 7;
	scene->bytes[TABLE - BASE + offsets->bytes_data + 1] = 2;
}

uint64_t scene_frame_at(unsigned index)
{
	return FRAMES + (uint64_t)index * FRAME;
}

void scene_put_frames(struct scene *scene, unsigned count)
{
	const struct sprof_python_offsets *offsets = scene->offsets;

	for (unsigned i = 0; i < count; i++) {
		scene_put(scene, scene_frame_at(i) + offsets->frame_previous,
			i ? scene_frame_at(i - 1) : 0);
		scene_put(scene, scene_frame_at(i) + offsets->frame_code, CODE);
		scene_put(scene, scene_frame_at(i) + offsets->frame_instruction,
			CODE + offsets->code_bytecode + 2);
		scene->bytes[scene_frame_at(i) - BASE + offsets->frame_is_entry] = !i;
	}
	scene_put(scene, CFRAME + offsets->cframe_frame, scene_frame_at(count - 1));
}

int scene_set_up(void **state)
{
	struct scene *scene = calloc(1, sizeof(*scene));
	const struct sprof_python_offsets *offsets = sprof_python_offsets_of(0x030b);

	assert_non_null(scene);
	scene->offsets = offsets;
	scene->memory = (struct sprof_interp_memory){scene, read_memory, scene_read_pieces};
	scene->modules = sprof_modules_create();
	scene->subject.own_tid = OWN_TID;
	scene->process = (struct sprof_python_process){
		.common = {.runtime = &sprof_python_runtime, .serial = 1, .is_known = true},
		.offsets = *offsets,
		.address = RUNTIME,
		.code_type = TYPE,
		.codes = sprof_python_codes_create()};
	scene_put(scene, RUNTIME + offsets->runtime_interpreters, INTERPRETER);
	scene_put(scene, INTERPRETER + offsets->interpreter_threads, OTHER_STATE);
	scene_put(scene, OTHER_STATE + offsets->thread_next, STATE);
	scene_put(scene, OTHER_STATE + offsets->thread_id, OWN_TID + 1);
	scene_put(scene, STATE + offsets->thread_id, OWN_TID);
	scene_put(scene, STATE + offsets->thread_frame, CFRAME);
	scene_put_code(scene, "parse");
	scene_put_frames(scene, 5);
	*state = scene;
	return 0;
}

int scene_tear_down(void **state)
{
	struct scene *scene = *state;

	sprof_interp_thread_destroy(scene->thread);
	sprof_interp_copy_destroy(scene->copy);
	sprof_python_codes_destroy(scene->process.codes);
	sprof_modules_destroy(scene->modules);
	free(scene);
	return 0;
}

enum sprof_interp_outcome scene_copy(struct scene *scene)
{
	const struct sprof_interp_stack stack = {0};

	assert_true(sprof_interp_prepare(&scene->process.common, &scene->memory, &scene->subject,
		&scene->thread, &scene->copy));
	scene->calls = 0;
	sprof_interp_copy(
		&scene->process.common, &scene->memory, &stack, scene->thread, scene->copy);
	return scene->copy->outcome;
}

const struct sprof_frame *scene_names(struct scene *scene)
{
	const struct sprof_frame *found;

	assert_true(sprof_python_name_frames(
		&scene->process.common, &scene->memory, scene->modules, scene->copy, &found));
	return found;
}

void scene_check_name(struct scene *scene, const char *name, uint32_t line)
{
	const struct sprof_frame *frame = scene_names(scene);
	const struct sprof_module *module = sprof_modules_get(scene->modules, frame->module);
	const struct sprof_script_function *function;
	uint32_t found;

	function = sprof_script_find(module->script, frame->offset, &found);
	assert_non_null(function);
	assert_string_equal(function->name, name);
	assert_int_equal(found, line);
}
