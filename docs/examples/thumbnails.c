/* Makes many small pictures, each in a thread of its own. */
#include <pthread.h>
#include <stdio.h>

enum { PICTURES = 20000, AT_ONCE = 16, SIZE = 12 };

static unsigned char pictures[AT_ONCE][SIZE * SIZE];

static void *make_picture(void *data)
{
	unsigned char *picture = data;

	for (int i = 0; i < SIZE * SIZE; i++)
		picture[i] = (unsigned char)(picture[i] * 5 + i);
	return NULL;
}

static void make_some(void)
{
	pthread_t threads[AT_ONCE];

	for (int i = 0; i < AT_ONCE; i++)
		pthread_create(&threads[i], NULL, make_picture, pictures[i]);
	for (int i = 0; i < AT_ONCE; i++)
		pthread_join(threads[i], NULL);
}

int main(void)
{
	for (int made = 0; made < PICTURES; made += AT_ONCE)
		make_some();
	printf("%d pictures, %d\n", PICTURES, pictures[0][0]);
	return 0;
}
