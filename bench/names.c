/*
 * Names the addresses on stdin (link-time, hexadecimal, one per line) of one ELF file, as the session
 * of names does after a run: each with its inline chain, as the linker knows them. The last line says how much memory that took
 * at its peak, and how much of the file it touched.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "elfsym/elf/image.h"
#include "elfsym/names/symbols.h"

static struct sprof_module *open_module(struct sprof_modules *modules, const char *path)
{
	const struct sprof_module_key key = {.kind = SPROF_MODULE_FILE, .path = path};
	struct sprof_module *module;
	bool is_new;

	module = sprof_modules_intern(modules, &key, &is_new);
	if (module)
		module->fd = open(path, O_RDONLY | O_CLOEXEC);
	return module;
}

static void resolve(
	struct sprof_symbols *symbols, const struct sprof_image *image, uint64_t address)
{
	struct sprof_locations locations;
	struct sprof_error err;
	uint64_t offset;

	if (!sprof_image_offset(image, address, &offset) ||
		!sprof_symbols_resolve(symbols, 0, offset, &locations, &err))
		return;
	for (size_t i = 0; i < locations.count; i++)
		printf("%s\n%s:%u\n", locations.items[i].linkage,
			locations.items[i].file ? locations.items[i].file : "??",
			locations.items[i].line);
}

/* The resident part of all mappings of the file, in kB: proc(5), smaps. */
static unsigned long touched(const char *path)
{
	FILE *file = fopen("/proc/self/smaps", "r");
	unsigned long sum = 0, value;
	char line[4352];
	const char *slash = strrchr(path, '/'), *name = slash ? slash : path;
	int ours = 0;

	while (file && fgets(line, sizeof(line), file)) {
		if (strchr(line, '/'))
			ours = strstr(line, name) != NULL;
		else if (ours && sscanf(line, "Rss: %lu", &value) == 1)
			sum += value;
	}
	if (file)
		fclose(file);
	return sum;
}

int main(int argc, char *argv[])
{
	struct sprof_modules *modules = sprof_modules_create();
	const struct sprof_symbols_options options = {.no_demangle = true};
	struct sprof_symbols *symbols;
	struct sprof_module *module;
	struct sprof_image *image;
	struct sprof_error err;
	struct rusage usage;
	char line[64];

	if (argc != 2 || !modules || !(module = open_module(modules, argv[1])))
		return 2;
	if (!sprof_image_open(module, &image, &err) ||
		!sprof_symbols_create(modules, &options, &symbols, &err))
		return 1;
	while (fgets(line, sizeof(line), stdin))
		resolve(symbols, image, strtoull(line, NULL, 16));
	getrusage(RUSAGE_SELF, &usage);
	printf("peak %ld kB, of it %lu kB of the file\n", usage.ru_maxrss, touched(argv[1]));
	sprof_symbols_destroy(symbols);
	sprof_image_close(image);
	sprof_modules_destroy(modules);
	return 0;
}
