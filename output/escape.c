/*
 * Escapes XML's special characters, and replaces those that XML forbids. Sanitising has removed all
 * others.
 */
#include "output/escape.h"

#include <string.h>

#include "base/cleanup.h"
#include "output/clean.h"

/* U+FFFE and U+FFFF in UTF-8: the only valid text that XML forbids and that cleaning leaves. */
static bool is_forbidden(const char *text)
{
	return (unsigned char)text[0] == 0xef && (unsigned char)text[1] == 0xbf &&
		(unsigned char)text[2] >= 0xbe;
}

static const char *escape_of(const char *text)
{
	switch (*text) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* U+FFFD is EF BF BD, so it stays. */
void sprof_escape_clean(struct sprof_out *out, const char *clean, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		const char *escape = escape_of(clean + i);

		if (escape) {
			sprof_out_puts(out, escape);
		} else if (size - i >= 3 && is_forbidden(clean + i)) {
			sprof_out_puts(out, "?");
			i += 2;
		} else {
			sprof_out_write(out, clean + i, 1);
		}
	}
}

bool sprof_escape_text(struct sprof_out *out, const char *text)
{
	SPROF_AUTO_FREE char *clean = sprof_clean_text(text, NULL);

	if (clean)
		sprof_escape_clean(out, clean, strlen(clean));
	return clean;
}
