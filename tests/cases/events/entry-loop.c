/* A loop that begins at a function's first instruction, as compilers make them: 10 calls of walk(), 20 of skip(). */

#include <stdlib.h>

struct node {
	struct node *next;
	long value;
};

__attribute__((noinline, noclone)) long walk(const struct node *node)
{
	while (node->next)
		node = node->next;
	return node->value;
}

__attribute__((noinline, noclone)) const char *skip(const char *text)
{
	while (*text == ' ')
		text++;
	return text;
}

int main(void)
{
	static struct node nodes[100];
	volatile long sum = 0;

	for (int i = 0; i < 100; i++)
		nodes[i] = (struct node){i < 99 ? &nodes[i + 1] : NULL, i};
	for (int i = 0; i < 10; i++)
		sum += walk(nodes);
	for (int i = 0; i < 20; i++)
		sum += *skip("          x");
	return 0;
}
