/* Dies of a call through a null pointer. */

#include <stddef.h>

static volatile long sum;

__attribute__((noinline, noclone)) void call_it(void (*volatile function)(void))
{
	function();
	sum++;
}

__attribute__((noinline, noclone)) void ask_for_it(void (*function)(void))
{
	call_it(function);
	sum++;
}

int main(void)
{
	ask_for_it(NULL);
	return 0;
}
