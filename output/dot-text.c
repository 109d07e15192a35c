/* Backslashes and quotes are escaped, control characters replaced. */
#include "output/dot-text.h"

#include <errno.h>

#include "base/cleanup.h"
#include "output/clean.h"

enum { LONGEST = 200 }; /* bytes of a name */

void sprof_dot_text(struct sprof_out *out, const char *text)
{
	SPROF_AUTO_FREE char *clean = sprof_clean_text(text, NULL);
	size_t written = 0;

	if (!clean) {
		sprof_out_fail(out, ENOMEM);
		return;
	}
	for (const char *c = clean; *c; c++) {
		/* Cuts only between characters. */
		if (written++ >= LONGEST && ((unsigned char)*c & 0xc0) != 0x80) {
			sprof_out_puts(out, "...");
			return;
		}
		if (*c == '"' || *c == '\\')
			sprof_out_write(out, "\\", 1);
		sprof_out_write(out, c, 1);
	}
}
