/*
 * Folds recursion in one pass: each step is appended to the result, and if the result now ends with
 * the same series twice, the second one is dropped. So the result never ends with a repeated
 * series. Does not find series that differ in one function each time.
 */
#include "profile/model/recursion.h"

#include <stdbool.h>

static bool ends_twice_with(const struct sprof_step *steps, size_t count, size_t length)
{
	const struct sprof_step *second = steps + count - length, *first = second - length;

	for (size_t i = length; i-- > 0;) {
		if (first[i].function != second[i].function)
			return false;
	}
	return true;
}

/* The length of the series that the steps end with twice; 0: there is none. */
static size_t repeated(const struct sprof_step *steps, size_t count)
{
	for (size_t length = 1; length <= SPROF_RECURSION_LONGEST && 2 * length <= count;
		length++) {
		if (ends_twice_with(steps, count, length))
			return length;
	}
	return 0;
}

static void join(struct sprof_step *first, const struct sprof_step *second, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		first[i].calls += second[i].calls;
		first[i].mark = sprof_mark_join(first[i].mark, second[i].mark);
	}
}

size_t sprof_recursion_fold(struct sprof_step *steps, size_t count)
{
	size_t left = 0;

	for (size_t i = 0; i < count; i++) {
		size_t length;

		steps[left++] = steps[i];
		length = repeated(steps, left);
		left -= length;
		if (length)
			join(steps + left - length, steps + left, length);
	}
	return left;
}
