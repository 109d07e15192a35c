/*
 * Any text as smaps: each mapping is parsed once, nothing beyond its end is read, and no memory of a
 * mapping is lost in the sums by file.
 */
#include "memory/files.h"
#include "tests/fuzz/fuzz.h"

static uint64_t sum_of_mappings(const char *text)
{
	struct sprof_smaps_figures sum = {0};
	struct sprof_smaps_area area;

	while (sprof_smaps_next(&text, &area))
		sprof_smaps_add(&sum, &area.figures);
	return sum.rss;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *text = fuzz_text(bytes, size);
	struct sprof_memory_files files = {0};
	uint64_t sum = 0;

	if (sprof_memory_files_add(&files, text)) {
		for (size_t i = 0; i < files.count; i++)
			sum += files.items[i].figures.rss;
		fuzz_require(sum == sum_of_mappings(text));
	}
	sprof_memory_files_finish(&files);
	free(text);
	return 0;
}
