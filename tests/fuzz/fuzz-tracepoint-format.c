/*
 * Any text as a tracepoint's format file: a field is found or not, and what is found is never read
 * beyond a sample's end.
 */
#include "events/recorded/tracepoint-format.h"
#include "tests/fuzz/fuzz.h"

/* The first line is the name that is looked for in the others, and the sample. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *text = fuzz_text(bytes, size), *rest = strchr(text, '\n');
	struct sprof_tracepoint_field field;
	int64_t value;

	if (rest) {
		const size_t length = (size_t)(rest - text);
		uint8_t *sample = malloc(length + 1);

		fuzz_require(sample != NULL);
		memcpy(sample, text, length);
		*rest++ = '\0';
		if (sprof_tracepoint_format_find(rest, text, &field)) {
			const int read =
				sprof_tracepoint_field_read(&field, sample, length, &value);

			fuzz_require(read == ((size_t)field.offset + field.size <= length));
		}
		free(sample);
	}
	free(text);
	return 0;
}
