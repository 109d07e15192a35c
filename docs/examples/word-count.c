/* Counts the words of a text: how often each one occurs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word {
	char text[24];
	unsigned count;
};

static struct word *words;
static size_t word_count, capacity;

static struct word *find_word(const char *text)
{
	for (size_t i = 0; i < word_count; i++) {
		if (strcmp(words[i].text, text) == 0)
			return &words[i];
	}
	return NULL;
}

static struct word *add_word(const char *text)
{
	if (word_count == capacity) {
		capacity = capacity ? 2 * capacity : 64;
		words = realloc(words, capacity * sizeof(*words));
	}
	snprintf(words[word_count].text, sizeof(words[0].text), "%s", text);
	words[word_count].count = 0;
	return &words[word_count++];
}

static void count_word(const char *text)
{
	struct word *word = find_word(text);

	if (!word)
		word = add_word(text);
	word->count++;
}

/* Stands for a file: the same text each time. */
static void next_word(unsigned number, char *text, size_t size)
{
	snprintf(text, size, "word-%u", number * 2654435761u % 9973);
}

int main(void)
{
	char text[24];

	for (unsigned i = 0; i < 60000; i++) {
		next_word(i, text, sizeof(text));
		count_word(text);
	}
	printf("%zu different words\n", word_count);
	return 0;
}
