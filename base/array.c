/* Growable arrays. The owner knows the type of the items, and frees them. */
#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool sprof_array_reserve(void *items, size_t *capacity, size_t count, size_t item_size)
{
	void **array = items;
	size_t wanted = *capacity + *capacity / 2;
	char *moved;

	if (count <= *capacity)
		return true;
	if (wanted < count)
		wanted = count;
	if (wanted < 16)
		wanted = 16;
	if (wanted > SIZE_MAX / item_size)
		return false;
	moved = realloc(*array, wanted * item_size);
	if (!moved)
		return false;
	memset(moved + *capacity * item_size, 0, (wanted - *capacity) * item_size);
	*array = moved;
	*capacity = wanted;
	return true;
}
