/*
 * A fuzz target without a fuzzer: every file of the folders that are named runs once, and starts of
 * it, which is what a short read gives: every one of a small file, some hundred of a large one.
 */
#include <dirent.h>
#include <stdio.h>

#include "tests/fuzz/fuzz.h"

enum { INPUT_MAX = 1 << 16, STARTS = 200 };

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* For targets with a mutator of their own, which nobody calls here. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
	return size;
}

static int replay_file(const char *folder, const char *name)
{
	static uint8_t bytes[INPUT_MAX];
	char path[4096];
	size_t size;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "rb");
	if (!file) {
		perror(path);
		return 0;
	}
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	for (size_t length = 0; length < size; length += size / STARTS + 1)
		LLVMFuzzerTestOneInput(bytes, length);
	LLVMFuzzerTestOneInput(bytes, size);
	return 1;
}

static int replay_folder(const char *path)
{
	const struct dirent *entry;
	int count = 0;
	DIR *folder = opendir(path);

	if (!folder) {
		perror(path);
		return 0;
	}
	while ((entry = readdir(folder))) {
		if (entry->d_name[0] != '.')
			count += replay_file(path, entry->d_name);
	}
	closedir(folder);
	return count;
}

int main(int argc, char *argv[])
{
	int count = 0;

	for (int i = 1; i < argc; i++)
		count += replay_folder(argv[i]);
	printf("%d inputs\n", count);
	return count ? 0 : 1;
}
