/*
 * elfsym/plt-decode: entries as ld and lld write them for either machine, byte by byte, and what is
 * none.
 */
#include "elfsym/elf/plt-decode.h"

#include <string.h>

#include "tests/unit/check.h"

static struct sprof_plt_jump expect(
	enum sprof_machine machine, const void *bytes, size_t size, uint64_t address)
{
	struct sprof_plt_jump jump;

	assert_true(sprof_plt_decode(machine, bytes, size, address, &jump));
	/* Cut off anywhere it is another entry, or none, but never read behind its end. */
	for (size_t i = 0; i < size; i++)
		sprof_plt_decode(machine, (const uint8_t *)bytes + size - i, i, address, &jump);
	assert_true(sprof_plt_decode(machine, bytes, size, address, &jump));
	return jump;
}

static void x86_jumps(void **state)
{
	static const uint8_t lazy[16] = {
		0xff, 0x25, 0xca, 0xff, 0x0a, 0, 0x68, 0x18, 0, 0, 0, 0xe9, 0xe0, 0xff, 0xff, 0xff};
	static const uint8_t small[8] = {0xff, 0x25, 0xe2, 0xcf, 0x0a, 0, 0x66, 0x90};
	static const uint8_t ibt[16] = {0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 0xd6, 0xcf, 0x0a, 0};
	static const uint8_t bnd[16] = {
		0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0xf5, 0xff, 0xff, 0xff};
	struct sprof_plt_jump jump;

	jump = expect(SPROF_MACHINE_X86_64, lazy, 16, 0x9030);
	assert_true(!jump.is_index && jump.slot == 0xb9000 && jump.size == 16);
	jump = expect(SPROF_MACHINE_X86_64, small, 8, 0x401018);
	assert_true(jump.slot == 0x4ae000 && jump.size == 8);
	jump = expect(SPROF_MACHINE_X86_64, ibt, 16, 0x401020);
	assert_true(jump.slot == 0x4ae000);
	jump = expect(SPROF_MACHINE_X86_64, bnd, 16, 0x1000);
	assert_true(jump.slot == 0x1000);
}

static void x86_pushes(void **state)
{
	static const uint8_t push[16] = {0xf3, 0x0f, 0x1e, 0xfa, 0x68, 7, 0, 0, 0, 0xe9};
	static const uint8_t negative[16] = {0xf3, 0x0f, 0x1e, 0xfa, 0x68, 7, 0, 0, 0x80};
	static const uint8_t header[16] = {0xff, 0x35, 0xca, 0xff, 0x0a, 0, 0xff, 0x25};
	struct sprof_plt_jump jump = expect(SPROF_MACHINE_X86_64, push, 16, 0x1000);

	assert_true(jump.is_index && jump.index == 7);
	assert_false(sprof_plt_decode(SPROF_MACHINE_X86_64, negative, 16, 0x1000, &jump));
	assert_false(sprof_plt_decode(SPROF_MACHINE_X86_64, header, 16, 0x1000, &jump));
}

static void arm_entries(void **state)
{
	/* adrp x16, +0x10000; ldr x17, [x16, 0xfa8]; add x16, x16, 0xfa8; br x17 */
	static const uint32_t plain[] = {0x90000090, 0xf947d611, 0x913ea210, 0xd61f0220};
	/* bti c before, nop behind */
	static const uint32_t bti[] = {
		0xd503245f, 0x90000090, 0xf947d611, 0x913ea210, 0xd61f0220, 0xd503201f};
	/* autia1716 before the br */
	static const uint32_t authenticated[] = {
		0xd503245f, 0x90000090, 0xf947d611, 0x913ea210, 0xd503219f, 0xd61f0220};
	struct sprof_plt_jump jump;

	jump = expect(SPROF_MACHINE_AARCH64, plain, sizeof(plain), 0x5f0);
	assert_true(!jump.is_index && jump.slot == 0x10fa8 && jump.size == 16);
	jump = expect(SPROF_MACHINE_AARCH64, bti, sizeof(bti), 0x5f0);
	assert_true(jump.slot == 0x10fa8 && jump.size == 24);
	jump = expect(SPROF_MACHINE_AARCH64, authenticated, sizeof(authenticated), 0x5f0);
	assert_true(jump.slot == 0x10fa8 && jump.size == 24);
}

static void arm_pages_below(void **state)
{
	/* adrp x16, -0x3000 (immlo 1, immhi -1); ldr x17, [x16] */
	static const uint32_t entry[] = {0xb0fffff0, 0xf9400211, 0x91000210, 0xd61f0220};
	struct sprof_plt_jump jump = expect(SPROF_MACHINE_AARCH64, entry, sizeof(entry), 0x400010);

	assert_true(jump.slot == 0x400000 - 0x3000);
}

static void arm_is_not_there(void **state)
{
	/* The header: stp x16, x30, [sp, -16]!, and then as in an entry. */
	static const uint32_t header[] = {0xa9bf7bf0, 0x90000090, 0xf947d611, 0x913ea210};
	static const uint32_t endless[] = {0x90000090, 0xf947d611, 0x913ea210, 0x913ea210};
	struct sprof_plt_jump jump;

	assert_false(sprof_plt_decode(SPROF_MACHINE_AARCH64, (const void *)header, 16, 0, &jump));
	assert_false(sprof_plt_decode(SPROF_MACHINE_AARCH64, (const void *)endless, 16, 0, &jump));
}

TEST_MAIN("plt-decode")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_jumps),
		cmocka_unit_test(x86_pushes),
		cmocka_unit_test(arm_entries),
		cmocka_unit_test(arm_pages_below),
		cmocka_unit_test(arm_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
