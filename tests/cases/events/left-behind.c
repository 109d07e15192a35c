/*
 * 20 calls of leave() are left by longjmp(3), or by an exception. Each is followed by a call of later(), deeper on
 * the stack: it is made by nothing that is watched.
 */

#ifdef __cplusplus
#define TRY try
#define CATCH catch (int)
#define LEAVE() throw 1
extern "C" {
#else
#include <setjmp.h>

static jmp_buf place;

#define TRY if (!setjmp(place))
#define CATCH else
#define LEAVE() longjmp(place, 1)
#endif

#define APART __attribute__((noinline, noclone))

APART void leave(int number)
{
	if (number >= 0)
		LEAVE();
	__asm__ volatile("" ::: "memory");
}

APART void later(void)
{
	__asm__ volatile("" ::: "memory");
}

APART void call_deeper(void)
{
	volatile char space[4000];

	space[0] = 1;
	later();
	space[1] = space[0];
}

#ifdef __cplusplus
}
#endif

int main(void)
{
	for (volatile int i = 0; i < 20; i = i + 1) {
		TRY
		{
			leave(i);
		}
		CATCH
		{
		}
		call_deeper();
	}
	return 0;
}
