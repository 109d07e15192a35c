/*
 * Go's table of functions, in a program without anything else: rows, names, lines, inline chains, and where the
 * runtime keeps its structures. The input is the table, and behind it the inline tree; code and the runtime's
 * description of the program are added. Once at its own place, with a section, and once without, to be relocated.
 */
#include "tests/fuzz/fuzz.h"
#include "tests/unit/elfsym/go-image.h"

enum { TREE = 40, TREE_OFFSET = 32 };

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* The instructions that are looked for, again and again, so that each function has them. */
static void put_code(struct go_image *image)
{
	static const uint8_t code[64] = {0x64, 0x48, 0x8b, 0x04, 0x25, 0xf8, 0xff, 0xff, 0xff, 0x48,
		0x3b, 0x83, 0xc0, 0, 0, 0, 0x48, 0x89, 0x93, 0x30, 0x03, 0, 0, 0x48, 0x2b, 0x74,
		0x24, 40};

	for (size_t at = 0; at < GO_TEXT_SIZE; at += sizeof(code))
		go_image_put(image, GO_TEXT_AT + at, code, sizeof(code));
}

static void look_at(const struct go_image_options *options, const uint8_t *data, size_t size)
{
	size_t tree = size < TREE ? size : TREE;
	struct go_image made = go_image_make(options, data, size);
	struct sprof_image *image;

	put_code(&made);
	go_image_put(&made, GO_TREES_AT + TREE_OFFSET, data + size - tree, tree);
	if (size > 1 && data[0] >= 0xf0 && data[0] <= 0xf1)
		go_image_describe(&made, data[0] == 0xf1 ? 40 : 38);
	image = go_image_open(&made);
	fuzz_require(image != NULL);
	go_use(image);
	sprof_image_close(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct go_image_options fixed = {.section = ".gopclntab"};
	static const struct go_image_options relocated = {.is_dynamic = true};

	look_at(&fixed, data, size);
	look_at(&relocated, data, size);
	return 0;
}

/* Most mutations are of words that stay where they are, and leave the first bytes, or there is no table. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	static const uint64_t values[] = {0, 1, 7, 0x7f, 0x80, 0x7fffffff, 0x80000000, 0xfffffff8,
		0xffffffff, 0x7fffffffffffffff, UINT64_MAX};
	static const size_t sizes[] = {1, 1, 2, 4, 8};

	srandom(seed);
	if (size < 64 || random() % 8 == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	for (long i = random() % 4; i >= 0; i--) {
		size_t width = sizes[random() % 5], end = random() % 4 ? size : 72;
		size_t at = 8 + (size_t)random() % (end - 8) / width * width;
		uint64_t value = random() % 2 ? (uint64_t)random() % (2 * size)
					      : values[(size_t)random() % (sizeof(values) / 8)];

		if (at + width <= size)
			memcpy(data + at, &value, width);
	}
	return size;
}
