/* A plugin that reload.c loads and unloads again and again. */

#include <stdlib.h>

void *plugin_allocate(int more)
{
	return malloc(1000 + (size_t)more);
}

int plugin_work(int number)
{
	return number * 2;
}
