/*
 * Any text as /proc/PID/maps: a line is taken or refused, and what it yields lies inside of the
 * text.
 */
#include "base/maps-text.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *text = fuzz_text(bytes, size);
	const char *cursor = text, *end = text + strlen(text);
	struct sprof_maps_line line;

	for (;;) {
		const char *before = cursor;

		if (!sprof_maps_parse_line(&cursor, &line)) {
			fuzz_require(cursor == before);
			break;
		}
		fuzz_require(cursor > before && cursor <= end);
		fuzz_require(line.path > before && line.path + line.path_length <= cursor);
		fuzz_require(!memchr(line.path, '\n', line.path_length));
	}
	free(text);
	return 0;
}
