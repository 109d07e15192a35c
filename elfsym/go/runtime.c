/*
 * Reads offsets of Go's runtime structures from the code of the runtime (runtime/asm_amd64.s,
 * sys_linux_amd64.s): systemstack compares g with m.gsignal and m.curg, nanotime1 saves its
 * caller's sp in m.vdsoSP. Both have m in rbx. The code is the same from Go 1.14 to 1.26; without a
 * match the offsets stay unknown. Does not handle arm64. Does not handle libraries
 * (-buildmode=c-shared, plugin) either: their GOT holds the place of g, and only a process has its
 * content. Stacks of both end where they would switch to another stack.
 */
#include "elfsym/go/runtime.h"

#include <string.h>

#if defined(__x86_64__)

struct code {
	const uint8_t *bytes;
	size_t size;
};

static bool find_code(const struct sprof_go_table *table, const char *name, struct code *ret)
{
	struct sprof_go_function function;

	if (!sprof_go_table_find_switch(table, name, &function))
		return false;
	ret->size = function.end - function.entry;
	ret->bytes = sprof_image_at(table->image, function.entry, ret->size);
	return ret->bytes;
}

/* The 32 bits after the first match of the pattern in the code. */
static bool find_number(const struct code *code, const uint8_t *pattern, size_t size, int32_t *ret)
{
	const uint8_t *found = memmem(code->bytes, code->size, pattern, size);

	if (!found || (size_t)(code->bytes + code->size - found) < size + sizeof(*ret))
		return false;
	memcpy(ret, found + size, sizeof(*ret));
	return true;
}

/* g is thread-local: "mov %fs:g,%rax", or "mov $g,%rcx" and "mov %fs:(%rcx),%rax". */
static bool find_g(const struct code *code, int32_t *ret)
{
	static const uint8_t direct[] = {0x64, 0x48, 0x8b, 0x04, 0x25};
	static const uint8_t indirect[] = {0x64, 0x48, 0x8b, 0x01};
	static const uint8_t constant[] = {0x48, 0xc7, 0xc1};

	if (find_number(code, direct, sizeof(direct), ret))
		return *ret < 0;
	return memmem(code->bytes, code->size, indirect, sizeof(indirect)) &&
		find_number(code, constant, sizeof(constant), ret) && *ret < 0;
}

/* "cmp m.curg(%rbx),%rax" */
static bool find_current_g(const struct code *code, uint32_t *ret)
{
	static const uint8_t compare[] = {0x48, 0x3b, 0x83};
	int32_t offset;

	if (!find_number(code, compare, sizeof(compare), &offset) || offset <= 0 || offset > 0x1000)
		return false;
	*ret = (uint32_t)offset;
	return true;
}

/* "cmp m.gsignal(%rbx),%rax"; m.procid is right before m.gsignal. */
static bool find_thread_id(const struct code *code, uint32_t *ret)
{
	static const uint8_t compare[] = {0x48, 0x3b, 0x43};
	const uint8_t *found = memmem(code->bytes, code->size, compare, sizeof(compare));

	if (!found || found + sizeof(compare) >= code->bytes + code->size ||
		found[sizeof(compare)] > INT8_MAX || found[sizeof(compare)] < 8)
		return false;
	*ret = found[sizeof(compare)] - 8u;
	return true;
}

/* "mov %rdx,m.vdsoSP(%rbx)" */
static uint32_t find_vdso_sp(const struct sprof_go_table *table)
{
	static const uint8_t store[] = {0x48, 0x89, 0x93};
	struct code code;
	int32_t offset;

	if (!find_code(table, "runtime.nanotime1", &code) ||
		!find_number(&code, store, sizeof(store), &offset) || offset <= 0 ||
		offset > 0x1000)
		return 0;
	return (uint32_t)offset;
}

bool sprof_go_runtime_find(const struct sprof_go_table *table, struct sprof_go_runtime *ret)
{
	struct code code;

	*ret = (struct sprof_go_runtime){0};
	if (!find_code(table, "runtime.systemstack", &code) || !find_g(&code, &ret->g) ||
		!find_current_g(&code, &ret->current_g) ||
		!find_thread_id(&code, &ret->thread_id) || ret->thread_id > ret->current_g)
		return false;
	ret->vdso_sp = find_vdso_sp(table);
	return true;
}

#else

bool sprof_go_runtime_find(const struct sprof_go_table *table, struct sprof_go_runtime *ret)
{
	(void)table;
	*ret = (struct sprof_go_runtime){0};
	return false;
}

#endif
