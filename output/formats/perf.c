/*
 * perf.data, for perf and hotspot: one event with the weight as period. Each arrival of a thread at
 * a stack is a sample; without times, each row.
 * Linux: tools/perf/Documentation/perf.data-file-format.txt, include/uapi/linux/perf_event.h
 *
 * perf resolves addresses itself and takes callers as return addresses. The header contains the
 * data's length and the output can't seek, so everything is walked twice, first only to count.
 */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "output/format.h"
#include "output/formats/layout.h"
#include "output/formats/moments.h"

/* As `uname -m` prints it. */
#if defined(__x86_64__)
#define MACHINE "x86_64"
#else
#define MACHINE "aarch64"
#endif

enum {
	HEADER_SIZE = 104,
	ATTR_SIZE = PERF_ATTR_SIZE_VER5, /* perf 6.1 rejects larger ones */
	FEATURES = 256,
	MAX_FRAMES = 4000, /* a record's size has 16 bits */
	FIRST_TIME = 1000000000,
	KERNEL_SIZE = 4096, /* of each made-up function of the kernel */
};

/* In the kernel half of each address space, below the kernel's code, which readers may look up. */
static const uint64_t first_kernel = 0xffffc90000000000;

/* The header's features that at least one reader needs. */
enum feature {
	HOSTNAME = 3,
	OSRELEASE = 4,
	VERSION = 5,
	ARCH = 6,
	CPU_COUNT = 7,
	CPU_NAME = 8,
	CPU_ID = 9,
	MEMORY = 10,
	COMMAND = 11,
	EVENTS = 12,
};

static const uint64_t event_id = 1;

struct writer {
	const struct sprof_profile *profile;
	enum sprof_weight weight;
	struct sprof_out *out;
	struct sprof_layout layout;
	struct sprof_moments moments;
	bool counting; /* only count, write nothing */
	uint64_t size;
};

static void put_bytes(struct writer *writer, const void *bytes, size_t size)
{
	if (!writer->counting)
		sprof_out_write(writer->out, bytes, size);
	writer->size += size;
}

static void put_u32(struct writer *writer, uint32_t value)
{
	put_bytes(writer, &value, sizeof(value));
}

static void put_u64(struct writer *writer, uint64_t value)
{
	put_bytes(writer, &value, sizeof(value));
}

/* The size of a text with its NUL, padded to 8 bytes. */
static size_t padded(const char *text)
{
	return (strlen(text) + 8) & ~(size_t)7;
}

static void put_padded(struct writer *writer, const char *text)
{
	static const char zeros[8];
	size_t length = strlen(text);

	put_bytes(writer, text, length);
	put_bytes(writer, zeros, padded(text) - length);
}

static void put_attr(struct writer *writer)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = ATTR_SIZE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
		.read_format = PERF_FORMAT_ID,
		.mmap = 1,
		.comm = 1,
		.task = 1,
		.sample_id_all = 1,
		.exclude_guest = 1,
		.mmap2 = 1,
	};

	put_bytes(writer, &attr, ATTR_SIZE);
}

/* The end of every record that is not a sample: see sample_id in perf_event_open(2). */
static const size_t trailer_size = 8 + 8 + 8;

static void put_trailer(struct writer *writer, int pid, int tid)
{
	put_u32(writer, (uint32_t)pid);
	put_u32(writer, (uint32_t)tid);
	put_u64(writer, FIRST_TIME);
	put_u64(writer, event_id);
}

static void put_record(struct writer *writer, uint32_t type, uint16_t misc, size_t size)
{
	const struct perf_event_header header = {
		.type = type, .misc = misc, .size = (uint16_t)(sizeof(header) + size)};

	put_bytes(writer, &header, sizeof(header));
}

static void put_comm(struct writer *writer, int pid, int tid, const char *name)
{
	char comm[16]; /* TASK_COMM_LEN of include/linux/sched.h */

	strncpy(comm, name, sizeof(comm) - 1);
	comm[sizeof(comm) - 1] = '\0';
	put_record(writer, PERF_RECORD_COMM, 0, 8 + padded(comm) + trailer_size);
	put_u32(writer, (uint32_t)pid);
	put_u32(writer, (uint32_t)tid);
	put_padded(writer, comm);
	put_trailer(writer, pid, tid);
}

static void put_mapping(struct writer *writer, int pid, const struct sprof_layout_mapping *mapping)
{
	const char *path = sprof_modules_get(writer->profile->modules, mapping->module)->path;
	char name[4096]; /* PATH_MAX; a record's size has 16 bits */

	if (!mapping->size)
		return; /* anonymous memory has no file */
	strncpy(name, path, sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	put_record(writer, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER,
		8 + 24 + 32 + padded(name) + trailer_size);
	put_u32(writer, (uint32_t)pid);
	put_u32(writer, (uint32_t)pid);
	put_u64(writer, mapping->start);
	put_u64(writer, mapping->size);
	put_u64(writer, mapping->offset);
	for (int i = 0; i < 3; i++)
		put_u64(writer, 0); /* device, inode, generation */
	put_u32(writer, 5);         /* PROT_READ | PROT_EXEC */
	put_u32(writer, 2);         /* MAP_PRIVATE */
	put_padded(writer, name);
	put_trailer(writer, pid, pid);
}

static void put_fork(struct writer *writer, int pid, int tid)
{
	put_record(writer, PERF_RECORD_FORK, 0, 4 * 4 + 8 + trailer_size);
	put_u32(writer, (uint32_t)pid);
	put_u32(writer, (uint32_t)pid);
	put_u32(writer, (uint32_t)tid);
	put_u32(writer, (uint32_t)pid);
	put_u64(writer, FIRST_TIME);
	put_trailer(writer, pid, tid);
}

/*
 * System calls have names only; other tools' files also have addresses of the kernel's functions.
 */
static bool is_kernel(const struct sprof_profile *profile, uint32_t location)
{
	const struct sprof_profile_location *place = &profile->locations[location];
	const uint32_t module = place->frame.module;

	if (!place->line_count)
		return false;
	return profile->lines[place->first_line].kernel ||
		(module != SPROF_PROFILE_NONE &&
			strcmp(sprof_modules_get(profile->modules, module)->path,
				SPROF_MODULE_KERNEL) == 0);
}

/* A made-up address for each name. */
static uint64_t kernel_address(uint32_t location)
{
	return first_kernel + (uint64_t)KERNEL_SIZE * location;
}

/* A function of the kernel: PERF_RECORD_KSYMBOL in perf_event.h. */
static void put_kernel_symbol(struct writer *writer, uint32_t location)
{
	const struct sprof_profile *profile = writer->profile;
	const struct sprof_profile_line *line =
		&profile->lines[profile->locations[location].first_line];
	char name[256]; /* KSYM_NAME_LEN of older kernels, and room */

	strncpy(name, profile->functions[line->function].name, sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	put_record(writer, PERF_RECORD_KSYMBOL, 0, 8 + 4 + 2 + 2 + padded(name) + trailer_size);
	put_u64(writer, kernel_address(location));
	put_u32(writer, KERNEL_SIZE);
	put_u32(writer, 0); /* type: unknown; flags: it comes */
	put_padded(writer, name);
	put_trailer(writer, 0, 0);
}

static void put_tasks(struct writer *writer)
{
	const struct sprof_profile *profile = writer->profile;

	for (uint32_t i = 0; i < profile->location_count; i++) {
		if (is_kernel(profile, i))
			put_kernel_symbol(writer, i);
	}
	for (size_t i = 0; i < profile->process_count; i++) {
		const struct sprof_profile_process *process = &profile->processes[i];

		put_comm(writer, process->pid, process->pid, process->name);
		for (size_t k = 0; k < writer->layout.count; k++)
			put_mapping(writer, process->pid, &writer->layout.mappings[k]);
	}
	for (size_t i = 0; i < profile->thread_count; i++) {
		const struct sprof_profile_thread *thread = &profile->threads[i];
		pid_t pid = profile->processes[thread->process].pid;

		if (thread->tid != pid)
			put_fork(writer, pid, thread->tid);
		put_comm(writer, pid, thread->tid, thread->name);
	}
}

/* A frame's address for perf: for a caller, the return address. */
static uint64_t address_of(const struct writer *writer, uint32_t location, bool is_caller)
{
	const struct sprof_profile *profile = writer->profile;
	uint64_t address;

	if (is_kernel(profile, location))
		return kernel_address(location) + is_caller;
	if (profile->locations[location].frame.module == SPROF_PROFILE_NONE)
		return 0;
	sprof_layout_find(&writer->layout, &profile->locations[location], &address);
	return address + is_caller;
}

/* Frames of a stack, and the marks where its kernel or user part begins. */
static size_t chain_of(const struct sprof_profile *profile, uint32_t stack)
{
	size_t length = 0;
	int is_last_kernel = -1;

	for (size_t depth = 0; stack != SPROF_PROFILE_ROOT && depth < MAX_FRAMES; depth++) {
		const int kernel = is_kernel(profile, profile->stacks[stack].location);

		length += 1 + (kernel != is_last_kernel);
		is_last_kernel = kernel;
		stack = profile->stacks[stack].parent;
	}
	return length;
}

static void put_chain(struct writer *writer, uint32_t stack)
{
	const struct sprof_profile *profile = writer->profile;
	int is_last_kernel = -1;

	for (size_t depth = 0; stack != SPROF_PROFILE_ROOT && depth < MAX_FRAMES; depth++) {
		const uint32_t location = profile->stacks[stack].location;
		const int kernel = is_kernel(profile, location);

		if (kernel != is_last_kernel)
			put_u64(writer, kernel ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER);
		is_last_kernel = kernel;
		put_u64(writer, address_of(writer, location, depth > 0));
		stack = profile->stacks[stack].parent;
	}
}

/* Writes this many of a row's samples as one, at a time since the first. */
static void put_sample(struct writer *writer, uint32_t index, uint64_t samples, uint64_t time_ns)
{
	const struct sprof_profile *profile = writer->profile;
	const struct sprof_profile_row *row = &profile->rows[index];
	const struct sprof_profile_thread *thread = &profile->threads[row->thread];
	const struct sprof_metrics metrics = sprof_moments_take(&writer->moments, index, samples);
	uint64_t weight = sprof_metrics_get(&metrics, writer->weight);
	const size_t length = chain_of(profile, row->stack);
	const uint32_t leaf = profile->stacks[row->stack].location;

	if (!weight)
		return;
	put_record(writer, PERF_RECORD_SAMPLE,
		is_kernel(profile, leaf) ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER,
		8 + 8 + 8 + 8 + 8 + 8 + 8 * length);
	put_u64(writer, event_id);
	put_u64(writer, address_of(writer, leaf, false));
	put_u32(writer, (uint32_t)profile->processes[thread->process].pid);
	put_u32(writer, (uint32_t)thread->tid);
	put_u64(writer, FIRST_TIME + 1 + time_ns);
	put_u64(writer, weight);
	put_u64(writer, length);
	put_chain(writer, row->stack);
}

/* Writes spans in the order of report; perf sorts them. Returns a time after all of them. */
static uint64_t put_spans(struct writer *writer)
{
	const struct sprof_profile *profile = writer->profile;
	uint64_t last_ns = 0;

	for (size_t i = 0; i < profile->span_count && !sprof_out_failed(writer->out); i++) {
		const struct sprof_profile_span *span = &profile->spans[i];
		const uint64_t time_ns = sprof_minus(span->begin_ns, profile->start_ns);

		last_ns = last_ns < time_ns ? time_ns : last_ns;
		put_sample(writer, span->row, span->samples, time_ns);
	}
	return last_ns + 1;
}

/* Rows without a timeline follow one by one, a ns apart. */
static void put_data(struct writer *writer)
{
	const struct sprof_profile *profile = writer->profile;
	uint64_t *seen = writer->moments.seen, time_ns;

	memset(seen, 0, profile->row_count * sizeof(*seen));
	put_tasks(writer);
	time_ns = put_spans(writer);
	for (uint32_t i = 0; i < profile->row_count && !sprof_out_failed(writer->out); i++) {
		uint64_t samples = profile->rows[i].metrics.samples;

		if (!samples || seen[i] < samples)
			put_sample(writer, i, samples - seen[i], time_ns++);
	}
}

static void put_string(struct writer *writer, const char *text)
{
	put_u32(writer, (uint32_t)padded(text));
	put_padded(writer, text);
}

/* The first process's host. */
static const char *host_of(const struct sprof_profile *profile)
{
	const char *host = profile->process_count ? profile->processes[0].host : NULL;

	return host ? host : "unknown";
}

static void put_feature(struct writer *writer, enum feature feature)
{
	switch (feature) {
	case VERSION:
		put_string(writer, "sprof " SPROF_VERSION);
		break;
	case ARCH:
		put_string(writer, MACHINE);
		break;
	case HOSTNAME:
		put_string(writer, host_of(writer->profile));
		break;
	case OSRELEASE:
	case CPU_NAME:
		put_string(writer, "unknown");
		break;
	case CPU_ID: /* perf annotate needs a family, a model and a stepping */
		put_string(writer, "unknown,0,0,0");
		break;
	case CPU_COUNT:
		put_u32(writer, 1);
		put_u32(writer, 1);
		break;
	case MEMORY:
		put_u64(writer, 1);
		break;
	case COMMAND:
		put_u32(writer, 1);
		put_string(writer, writer->profile->command ? writer->profile->command : "sprof");
		break;
	case EVENTS:
		put_u32(writer, 1);
		put_u32(writer, ATTR_SIZE);
		put_attr(writer);
		put_u32(writer, 1);
		put_string(writer, sprof_profile_weight_name(writer->profile, writer->weight));
		put_u64(writer, event_id);
		break;
	}
}

/* The size of what `put` would write. */
static uint64_t measure(struct writer *writer, void (*put)(struct writer *))
{
	uint64_t size;

	writer->counting = true;
	writer->size = 0;
	put(writer);
	size = writer->size;
	writer->counting = false;
	return size;
}

static uint64_t measure_feature(struct writer *writer, int feature)
{
	uint64_t size;

	writer->counting = true;
	writer->size = 0;
	put_feature(writer, (enum feature)feature);
	size = writer->size;
	writer->counting = false;
	return size;
}

static void put_features(struct writer *writer, uint64_t at)
{
	uint64_t offset = at + 16 * (EVENTS - HOSTNAME + 1);

	for (int i = HOSTNAME; i <= EVENTS; i++) {
		uint64_t size = measure_feature(writer, i);

		put_u64(writer, offset);
		put_u64(writer, size);
		offset += size;
	}
	for (int i = HOSTNAME; i <= EVENTS; i++)
		put_feature(writer, (enum feature)i);
}

static void put_file(struct writer *writer)
{
	uint64_t data_size = measure(writer, put_data);
	uint64_t ids = HEADER_SIZE, attrs = ids + 8, data = attrs + ATTR_SIZE + 16;
	uint64_t features = 0;

	for (int i = HOSTNAME; i <= EVENTS; i++)
		features |= 1ull << i;
	put_bytes(writer, "PERFILE2", 8);
	put_u64(writer, HEADER_SIZE);
	put_u64(writer, ATTR_SIZE + 16);
	put_u64(writer, attrs);
	put_u64(writer, ATTR_SIZE + 16);
	put_u64(writer, data);
	put_u64(writer, data_size);
	put_u64(writer, 0); /* event types, which are obsolete */
	put_u64(writer, 0);
	put_u64(writer, features);
	for (int i = 1; i < FEATURES / 64; i++)
		put_u64(writer, 0);
	put_u64(writer, event_id);
	put_attr(writer);
	put_u64(writer, ids);
	put_u64(writer, 8);
	put_data(writer);
	put_features(writer, data + data_size);
}

static bool write_perf(const struct sprof_profile *profile,
	const struct sprof_output_options *options, struct sprof_out *out, struct sprof_error *err)
{
	struct writer writer = {.profile = profile, .weight = options->weight, .out = out};
	bool ok = sprof_layout_build(profile, &writer.layout) &&
		sprof_moments_init(&writer.moments, profile);

	if (ok)
		put_file(&writer);
	sprof_layout_finish(&writer.layout);
	sprof_moments_finish(&writer.moments);
	return ok || sprof_error_no_memory(err);
}

const struct sprof_format sprof_format_perf = {
	.name = "perf",
	.suffix = ".perf.data",
	.summary = "for perf report, perf script, perf annotate and hotspot",
	.wants_files = true,
	.write = write_perf,
};
