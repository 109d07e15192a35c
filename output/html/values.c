/*
 * Writes the values of the page's data: numbers, packed numbers, indexes and strings.
 */
#include "output/html/html.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/numbers.h"
#include "output/clean.h"

/* Without printf, which would take most of the writer's time. */
void sprof_html_number(const struct sprof_html *html, bool comma, uint64_t number)
{
	char text[24], *end = text + sizeof(text), *start = sprof_digits(end, number);

	if (comma)
		*--start = ',';
	sprof_out_write(html->out, start, (size_t)(end - start));
}

void sprof_html_packed(const struct sprof_html *html, uint64_t number)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char text[16];
	size_t length = 0;

	for (; number > 31; number >>= 5)
		text[length++] = letters[32 + number % 32];
	text[length++] = letters[number];
	sprof_out_write(html->out, text, length);
}

void sprof_html_index(const struct sprof_html *html, bool comma, uint32_t index)
{
	if (index == SPROF_PROFILE_NONE)
		sprof_out_puts(html->out, comma ? ",-1" : "-1");
	else
		sprof_html_number(html, comma, index);
}

/* Cleaned text has no control characters, so JSON and HTML need only these five escaped. */
static void put_text(const struct sprof_html *html, const char *clean)
{
	sprof_out_puts(html->out, "\"");
	for (;;) {
		size_t plain = strcspn(clean, "\"\\<>&");

		sprof_out_write(html->out, clean, plain);
		clean += plain;
		if (!*clean)
			break;
		sprof_out_printf(html->out, "\\u%04x", (unsigned)*clean++);
	}
	sprof_out_puts(html->out, "\"");
}

bool sprof_html_put_string(const struct sprof_html *html, const char *text)
{
	SPROF_AUTO_FREE char *clean = sprof_clean_text(text, NULL);

	if (clean)
		put_text(html, clean);
	return clean;
}

uint32_t sprof_html_string(const struct sprof_html *html, const char *text)
{
	return text ? sprof_idmap_find(&html->string_ids, 0, (uintptr_t)text) : SPROF_PROFILE_NONE;
}
