/*
 * Reads the structures of Go's runtime. The thread pointer leads to the g, the g to the thread's m,
 * the m to the goroutine that the thread runs (m.curg) and to the g of the thread's own stack. Each
 * read gives the address of the next, so there are up to five small ones. elfsym/go/runtime.c knows
 * the offsets of the fields.
 *
 * Does not handle a runtime that changes the structures meanwhile: a stopped thread is not changing
 * its own, and no other thread changes a sleeper's.
 */
#include "unwind/goroutine-read.h"

#include <string.h>

enum {
	WORD = 8,
	G_WORDS = 9,      /* of a g, at least: up to g.sched.pc */
	M_BYTES = 0x1000, /* of an m, at most */
	SMALLEST_STACK = 2048,
	LARGEST_SYSTEM_STACK = 8 << 20, /* of a thread made by libc: the usual limit */
	TOP_WORDS = 512,                /* libc's own description of a thread takes some 2 KiB */
	MOST_SOUGHT = 64 << 10,         /* bytes of a stack, once for a thread */
	LARGEST_DATA = 1 << 20,         /* size of a mapping that a first thread is looked for in */
	MOST_DATA = 16 << 20,           /* bytes of all such mappings */
};

struct g {
	uint64_t address, words[SPROF_GOROUTINE_WORDS];
};

static uint64_t g_word(const struct g *g, size_t offset)
{
	return g->words[offset / WORD];
}

static bool read_g(const struct sprof_goroutine_reading *reading, uint64_t address, struct g *ret)
{
	size_t got;

	memset(ret->words, 0, sizeof(ret->words));
	ret->address = address;
	/* Memory after the g may be unmapped. */
	got = reading->read_memory(reading->data, address, ret->words, sizeof(ret->words));
	return got >= G_WORDS * WORD;
}

struct m {
	uint64_t thread_id, system_g, current_g, vdso_sp;
};

static bool read_m(const struct sprof_goroutine_reading *reading, uint64_t address, struct m *ret)
{
	const struct sprof_go_runtime *runtime = reading->runtime;
	uint32_t last =
		runtime->vdso_sp > runtime->current_g ? runtime->vdso_sp : runtime->current_g;
	uint8_t bytes[M_BYTES + WORD];

	if (!address ||
		reading->read_memory(reading->data, address, bytes, last + WORD) < last + WORD)
		return false;
	memcpy(&ret->system_g, bytes + SPROF_GO_M_SYSTEM_G, WORD);
	memcpy(&ret->thread_id, bytes + runtime->thread_id, WORD);
	memcpy(&ret->current_g, bytes + runtime->current_g, WORD);
	ret->vdso_sp = 0;
	if (runtime->vdso_sp)
		memcpy(&ret->vdso_sp, bytes + runtime->vdso_sp, WORD);
	return true;
}

static void set_goroutine(struct sprof_goroutine *goroutine, const struct g *g)
{
	goroutine->g = g->address;
	goroutine->low = g_word(g, SPROF_GO_G_STACK);
	goroutine->high = g_word(g, SPROF_GO_G_STACK + WORD);
	goroutine->sched_sp = g_word(g, SPROF_GO_G_SCHED_SP);
	goroutine->sched_pc = g_word(g, SPROF_GO_G_SCHED_PC);
	memcpy(goroutine->words, g->words, sizeof(goroutine->words));
}

static bool is_inside(const struct sprof_goroutine *goroutine, uint64_t sp)
{
	return sp >= goroutine->low && sp < goroutine->high;
}

/*
 * A stack made by the runtime (stackalloc: a power of two, aligned) ends where the runtime says.
 * For a thread made by libc the runtime only guesses the end.
 */
static void set_system(struct sprof_goroutine *goroutine, const struct g *g)
{
	uint64_t low = g_word(g, SPROF_GO_G_STACK), high = g_word(g, SPROF_GO_G_STACK + WORD);
	uint64_t size = high - low;

	if (high > low && !(size & (size - 1)) && low % SMALLEST_STACK == 0) {
		goroutine->system_low = low;
		goroutine->system_high = high;
	}
}

/*
 * Reads the g that the thread says it runs (the goroutine, or the g of its own stack or of its
 * signal handlers), and its m. The m names its thread. If that is another one, the thread pointer
 * is not believed: it was a guess, or was another thread's at the time.
 */
static bool read_own(const struct sprof_goroutine_reading *reading, uint64_t pointer,
	struct g *ret_own, struct m *ret_m)
{
	const struct sprof_go_runtime *runtime = reading->runtime;
	uint64_t address;

	return runtime && pointer &&
		reading->read_memory(reading->data, pointer + (uint64_t)(int64_t)runtime->g,
			&address, sizeof(address)) == sizeof(address) &&
		address && read_g(reading, address, ret_own) &&
		read_m(reading, g_word(ret_own, SPROF_GO_G_M), ret_m) &&
		ret_m->thread_id == (uint64_t)reading->own_tid;
}

static bool is_own(const struct sprof_goroutine_reading *reading, uint64_t pointer)
{
	struct g g;
	struct m m;

	return read_own(reading, pointer, &g, &m);
}

/*
 * The thread pointer points to itself (ELF Handling For Thread-Local Storage, 3.4.2); glibc and
 * musl repeat it in the third word. 0: the thread's is not in the range.
 */
static uint64_t find_between(
	const struct sprof_goroutine_reading *reading, uint64_t from, uint64_t end)
{
	uint64_t words[TOP_WORDS];

	for (; from + sizeof(words) <= end; from += sizeof(words) - 2 * WORD) {
		if (reading->read_memory(reading->data, from, words, sizeof(words)) < sizeof(words))
			return 0;
		for (size_t i = 0; i + 2 < TOP_WORDS; i++) {
			uint64_t address = from + i * WORD;

			if (words[i] == address && words[i + 2] == address &&
				is_own(reading, address))
				return address;
		}
	}
	return 0;
}

/*
 * libc puts the target of the thread pointer at the end of the stack that it made. That is the end
 * of the mapping, unless the memory after it has become part of the same mapping; then it is not
 * far above what the thread has used of its stack.
 */
static uint64_t find_on_stack(
	const struct sprof_goroutine_reading *reading, const struct sprof_maps *maps, uint64_t sp)
{
	const struct sprof_mapping *stack = sprof_maps_find(maps, sp);
	uint64_t size, found = 0;

	if (!stack)
		return 0;
	sp -= sp % WORD;
	size = stack->end - sp;
	if (size >= TOP_WORDS * WORD)
		found = find_between(reading, stack->end - TOP_WORDS * WORD, stack->end);
	if (found)
		return found;
	return find_between(reading, sp, size < MOST_SOUGHT ? stack->end : sp + MOST_SOUGHT);
}

/*
 * The first thread's stack is the kernel's. The target of its thread pointer is in small memory of
 * its own, which may be one mapping with other small memory, in libc's data, or in the heap.
 */
static uint64_t find_elsewhere(
	const struct sprof_goroutine_reading *reading, const struct sprof_maps *maps)
{
	uint64_t found = 0, read = 0;

	for (size_t i = 0; i < maps->count && !found && read < MOST_DATA; i++) {
		const struct sprof_mapping *mapping = &maps->items[i];
		const uint64_t size = mapping->end - mapping->start;

		if (mapping->executable || size > LARGEST_DATA)
			continue;
		found = find_between(reading, mapping->start, mapping->end);
		read += size;
	}
	return found;
}

uint64_t sprof_goroutine_find_thread(const struct sprof_goroutine_reading *reading,
	const struct sprof_maps *maps, uint64_t sp, bool is_first)
{
	return is_first ? find_elsewhere(reading, maps) : find_on_stack(reading, maps, sp);
}

static void set_system_left(struct sprof_goroutine *goroutine, const struct g *system)
{
	goroutine->has_system = true;
	goroutine->system_sp = g_word(system, SPROF_GO_G_SCHED_SP);
}

/* On a goroutine's stack: reads where the thread left its own stack, if that is wanted. */
static void read_system(const struct sprof_goroutine_reading *reading, uint64_t system_g,
	struct sprof_goroutine *goroutine)
{
	struct g system;

	if (!reading->wants_system || !read_g(reading, system_g, &system))
		return;
	set_system(goroutine, &system);
	set_system_left(goroutine, &system);
}

static bool is_on(const struct sprof_goroutine *goroutine, const struct g *system, uint64_t sp)
{
	uint64_t high = g_word(system, SPROF_GO_G_STACK + WORD);

	if (goroutine->system_high)
		return sp >= goroutine->system_low && sp < goroutine->system_high;
	return sp < high && high - sp < LARGEST_SYSTEM_STACK;
}

/*
 * The thread is not on the goroutine's stack, but on its own or a signal handler's. The first
 * instructions of a handler still have the g from before.
 */
static void set_outside(const struct sprof_goroutine_reading *reading, const struct g *own,
	const struct m *m, uint64_t sp, struct sprof_goroutine *goroutine)
{
	struct g system = *own;

	/* A vDSO call changes the stack, but not g. */
	if (own->address == m->current_g && !read_g(reading, m->system_g, &system))
		return;
	set_system(goroutine, &system);
	goroutine->is_interrupted = system.address != m->system_g || !is_on(goroutine, &system, sp);
	if (reading->wants_system &&
		(system.address == m->system_g || read_g(reading, m->system_g, &system)))
		set_system_left(goroutine, &system);
}

bool sprof_goroutine_read(const struct sprof_goroutine_reading *reading,
	const struct sprof_regs *regs, struct sprof_goroutine *ret)
{
	uint64_t sp = regs->values[SPROF_REG_SP];
	struct g own, g;
	struct m m;

	*ret = (struct sprof_goroutine){0};
	if (!read_own(reading, reading->thread_pointer, &own, &m))
		return false;
	ret->is_known = true;
	ret->vdso_sp = m.vdso_sp;
	if (m.current_g == own.address)
		set_goroutine(ret, &own);
	else if (m.current_g && read_g(reading, m.current_g, &g))
		set_goroutine(ret, &g);
	if (is_inside(ret, sp))
		read_system(reading, m.system_g, ret);
	else
		set_outside(reading, &own, &m, sp, ret);
	return true;
}

uint64_t sprof_goroutine_left_at(const struct sprof_goroutine *goroutine)
{
	if (!goroutine->g)
		return 0;
	if (is_inside(goroutine, goroutine->vdso_sp))
		return goroutine->vdso_sp - WORD;
	return is_inside(goroutine, goroutine->sched_sp) ? goroutine->sched_sp : 0;
}
