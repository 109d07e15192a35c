/*
 * The program whose names the tests of elfsym/ know: prints one line per place, its label, its
 * offset in the file, and the numbers of up to three lines of this file. Built with and without
 * DWARF, PIE and symbols.
 */
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

volatile int subject_sink;

struct inline_place {
	char *pc;
	int inner, middle, outer;
};

__attribute__((noinline)) static char *here(void)
{
	subject_sink++;
	return __builtin_return_address(0);
}

__attribute__((always_inline)) static inline void inner(struct inline_place *place)
{
	place->inner = __LINE__, place->pc = here();
	subject_sink++;
}

__attribute__((always_inline)) static inline void middle(struct inline_place *place)
{
	subject_sink++;
	place->middle = __LINE__, inner(place);
	subject_sink++;
}

__attribute__((noinline)) static void outer(struct inline_place *place)
{
	subject_sink++;
	place->outer = __LINE__, middle(place);
	subject_sink++;
}

/* Never run. What each of them is about is in test-symtab.c. */
__asm__(".text\n"
	".balign 16\n"
	".globl asm_sized\n.type asm_sized, %function\n"
	"asm_sized: .skip 8\n.size asm_sized, 8\n"
	"\"$x\": .skip 4\n\"$d.7\": .skip 4\n"

	".globl asm_global, _asm_underscored, asm_unsized_alias\n.weak asm_a_weak\n"
	".type asm_global, %function\n.type _asm_underscored, %function\n"
	".type asm_unsized_alias, %function\n.type asm_a_weak, %function\n"
	".type asm_a_local, %function\n"
	"asm_a_local:\nasm_a_weak:\nasm_unsized_alias:\n_asm_underscored:\nasm_global: .skip 16\n"
	".size asm_a_local, 16\n.size asm_a_weak, 16\n"
	".size _asm_underscored, 16\n.size asm_global, 16\n"

	".weak asm_weak\n.type asm_weak, %function\n.type asm_local, %function\n"
	"asm_weak:\nasm_local: .skip 16\n.size asm_weak, 16\n.size asm_local, 16\n"

	".globl asm_unsized\n.type asm_unsized, %function\n"
	"asm_unsized: .skip 16\nasm_label: .skip 16\n"

	".globl asm_outer, asm_nested\n"
	".type asm_outer, %function\n.type asm_nested, %function\n"
	"asm_outer: .skip 8\nasm_nested: .skip 8\nasm_inner_label: .skip 16\n"
	".size asm_nested, 8\n.size asm_outer, 32\n"

	".type asm_versioned_1, %function\n"
	"asm_versioned_1: .skip 16\n.size asm_versioned_1, 16\n"
	".globl asm_versioned_1\n.symver asm_versioned_1, asm_versioned@@SUBJECT_1, remove\n"

	".globl asm_bare\n"
	"asm_bare: .skip 16\n");

extern char asm_sized[], asm_global[], asm_weak[], asm_unsized[], asm_outer[], asm_versioned[],
	asm_bare[];

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

static void print(
	const char *label, const void *pc, int inner_line, int middle_line, int outer_line)
{
	uint64_t offset = (uintptr_t)pc;

	dl_iterate_phdr(find_offset, &offset);
	printf("%s %#lx %d %d %d\n", label, (unsigned long)offset, inner_line, middle_line,
		outer_line);
}

int main(void)
{
	struct inline_place place;

	outer(&place);
	print("inlined", place.pc - 1, place.inner, place.middle, place.outer);
	print("outer", (char *)outer, 0, 0, 0);
	print("main", (char *)main, __LINE__ - 7, 0, 0);
	print("sized", asm_sized, 0, 0, 0);
	print("aliases", asm_global, 0, 0, 0);
	print("weak", asm_weak, 0, 0, 0);
	print("unsized", asm_unsized, 0, 0, 0);
	print("nested", asm_outer, 0, 0, 0);
	print("versioned", asm_versioned, 0, 0, 0);
	print("bare", asm_bare, 0, 0, 0);
	return 0;
}
