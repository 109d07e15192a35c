/*
 * A program whose tail calls the test of elfsym/tail-calls knows: prints, for each way, the offset
 * in the file of the return address that the last function finds, and of a place in that function.
 */
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

typedef int any_function(const char *label);

any_function leafy, mid, top, joined, left, right, forked, indirect;
extern any_function *volatile chosen;

static volatile int zero;

static int find_offset(struct dl_phdr_info *info, size_t size, void *data)
{
	uint64_t *offset = data;
	uint64_t address = *offset - info->dlpi_addr;

	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type == PT_LOAD && address - header->p_vaddr < header->p_filesz) {
			*offset = address - header->p_vaddr + header->p_offset;
			return 1;
		}
	}
	abort();
}

static NOINLINE void print(const char *label, const void *behind, const void *place)
{
	uint64_t offsets[] = {(uintptr_t)behind, (uintptr_t)place};

	for (int i = 0; i < 2; i++)
		dl_iterate_phdr(find_offset, &offsets[i]);
	printf("%s %#lx %#lx\n", label, (unsigned long)offsets[0], (unsigned long)offsets[1]);
}

/* Where a way ends; the place is the function's begin. */
NOINLINE int leafy(const char *label)
{
	print(label, __builtin_return_address(0), (void *)leafy);
	return zero + 1;
}

NOINLINE int mid(const char *label)
{
	zero += 1;
	return leafy(label);
}

NOINLINE int top(const char *label)
{
	zero += 2;
	return mid(label);
}

NOINLINE int joined(const char *label)
{
	print(label, __builtin_return_address(0), (void *)joined);
	return zero + 2;
}

NOINLINE int left(const char *label)
{
	zero += 3;
	return joined(label);
}

NOINLINE int right(const char *label)
{
	zero += 4;
	return joined(label);
}

NOINLINE int forked(const char *label)
{
	return zero & 1 ? left(label) : right(label);
}

any_function *volatile chosen = leafy;

/* Its tail call may lead anywhere. */
NOINLINE int indirect(const char *label)
{
	zero += 5;
	return chosen(label);
}

/* Not constants, of which the compiler would make copies of the functions. */
static const char *volatile labels[] = {
	"one-path", "no-tail-call", "two-paths", "indirect", "shorter"};

int main(void)
{
	int sum = top(labels[0]) * 3;

	sum += leafy(labels[1]) * 5;
	sum += forked(labels[2]) * 7;
	sum += indirect(labels[3]) * 9;
	sum += mid(labels[4]) * 11;
	return sum + zero == 12345;
}
