/*
 * attach/denial: each cause, told from a /proc of our own making, and what the user is told then.
 */
#include "attach/denial/denial.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/attach/fixture.h"
#include "tests/unit/check.h"

enum { TARGET = 4242, TRACER = 777, USER = 1000, OTHER_USER = 1001 };

#define NO_CAPABILITIES 0ull
#define SYS_PTRACE (1ull << 19)

/* One process in the fake /proc; all zero is an ordinary one of root's. */
struct fake {
	const char *name;
	char state;
	pid_t tracer;
	int uid, seccomp;
	unsigned long long permitted, effective;
	unsigned flags; /* PF_* */
};

static void add_process(const struct test_folder *root, const char *id, const struct fake *fake)
{
	char path[64], text[1024];
	const char *name = fake->name ? fake->name : "program";
	char state = fake->state ? fake->state : 'S';

	snprintf(path, sizeof(path), "%s/status", id);
	snprintf(text, sizeof(text),
		"Name:\t%s\nState:\t%c (some)\nTracerPid:\t%d\nUid:\t%d\t%d\t%d\t%d\n"
		"CapPrm:\t%016llx\nCapEff:\t%016llx\nSeccomp:\t%d\n",
		name, state, fake->tracer, fake->uid, fake->uid, fake->uid, fake->uid,
		fake->permitted, fake->effective, fake->seccomp);
	free(test_folder_file(root, path, text));
	snprintf(path, sizeof(path), "%s/stat", id);
	snprintf(text, sizeof(text),
		"%s (%s) %c 1 1 1 0 -1 %u 0 0 0 0 0 0 0 0 20 0 1 0 9 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
		"0 0 0 17 0 0 0\n",
		id, name, state, fake->flags);
	free(test_folder_file(root, path, text));
}

/* The owner of the files in /proc/PID: root for what is not dumpable. Only root can make it
 * somebody else's. */
static void give_to(const struct test_folder *root, int uid)
{
	char *path = test_folder_path(root, "4242/status");

	if (geteuid() == 0)
		assert_int_equal(chown(path, (uid_t)uid, (gid_t)-1), 0);
	free(path);
}

static void add_target(const struct test_folder *root, const struct fake *fake)
{
	add_process(root, "4242", fake);
	give_to(root, fake->uid);
}

static void add_us(const struct test_folder *root, int uid, unsigned long long effective)
{
	add_process(root, "self", &(struct fake){.uid = uid, .effective = effective});
}

static void set_yama(const struct test_folder *root, const char *scope)
{
	free(test_folder_file(root, "sys/kernel/yama/ptrace_scope", scope));
}

static struct sprof_denial_facts find(const struct test_folder *root, int errnum)
{
	struct sprof_denial_facts facts;

	memset(&facts, 0xee, sizeof(facts));
	sprof_denial_find(root->path, TARGET, errnum, &facts);
	return facts;
}

static void expect(const struct test_folder *root, enum sprof_denial cause)
{
	assert_int_equal(find(root, EPERM).cause, cause);
}

static void no_such_process(void **state)
{
	expect(*state, SPROF_DENIAL_GONE);
}

static void a_zombie_is_gone(void **state)
{
	add_target(*state, &(struct fake){.state = 'Z'});
	expect(*state, SPROF_DENIAL_GONE);
	add_target(*state, &(struct fake){.state = 'X'});
	expect(*state, SPROF_DENIAL_GONE);
}

static void ourselves(void **state)
{
	const struct test_folder *root = *state;
	struct sprof_denial_facts facts;
	char id[32];

	snprintf(id, sizeof(id), "%d", getpid());
	add_process(root, id, &(struct fake){0});
	sprof_denial_find(root->path, getpid(), EPERM, &facts);
	assert_int_equal(facts.cause, SPROF_DENIAL_SELF);
}

static void a_kernel_thread(void **state)
{
	add_target(*state, &(struct fake){.name = "kworker/0:1) S (", .flags = 0x00208040});
	add_us(*state, 0, SYS_PTRACE);
	expect(*state, SPROF_DENIAL_KERNEL_THREAD);
}

static void traced_by_a_process_that_we_see(void **state)
{
	struct sprof_denial_facts facts;

	add_target(*state, &(struct fake){.tracer = TRACER, .uid = OTHER_USER});
	add_process(*state, "777", &(struct fake){.name = "strace"});
	add_us(*state, USER, NO_CAPABILITIES);
	facts = find(*state, EPERM);
	assert_int_equal(facts.cause, SPROF_DENIAL_TRACED);
	assert_int_equal(facts.tracer, TRACER);
	assert_string_equal(facts.tracer_name, "strace");
}

static void traced_by_a_process_that_we_do_not_see(void **state)
{
	struct sprof_denial_facts facts;

	add_target(*state, &(struct fake){.tracer = TRACER});
	facts = find(*state, EPERM);
	assert_int_equal(facts.cause, SPROF_DENIAL_TRACED);
	assert_string_equal(facts.tracer_name, "");
}

static void another_user(void **state)
{
	add_target(*state, &(struct fake){.uid = OTHER_USER});
	add_us(*state, USER, NO_CAPABILITIES);
	expect(*state, SPROF_DENIAL_OTHER_USER);
	assert_int_equal(find(*state, EPERM).owner, OTHER_USER);
}

/* Yama is asked after the user ids: it can't be the first thing to remove. */
static void another_user_under_yama(void **state)
{
	add_target(*state, &(struct fake){.uid = OTHER_USER});
	add_us(*state, USER, NO_CAPABILITIES);
	set_yama(*state, "1\n");
	expect(*state, SPROF_DENIAL_OTHER_USER);
}

static void set_map(const struct test_folder *root, const char *id, const char *map)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/uid_map", id);
	free(test_folder_file(root, path, map));
}

/* As seen from a container: the ids of the host have none here. */
static void another_user_namespace(void **state)
{
	set_map(*state, "4242", "         0 4294967295 4294967295\n");
	set_map(*state, "self", "         0          0      65536\n");
	add_target(*state, &(struct fake){.uid = 65534});
	add_us(*state, USER, NO_CAPABILITIES);
	expect(*state, SPROF_DENIAL_NAMESPACE);
	add_us(*state, 0, SYS_PTRACE);
	expect(*state, SPROF_DENIAL_NAMESPACE);
}

/* Of the same user, who has rights there that we have not here. */
static void another_user_namespace_of_ours(void **state)
{
	set_map(*state, "4242", "         0       1000          1\n");
	set_map(*state, "self", "         0          0 4294967295\n");
	add_target(*state, &(struct fake){.uid = USER, .permitted = SYS_PTRACE});
	add_us(*state, USER, NO_CAPABILITIES);
	expect(*state, SPROF_DENIAL_NAMESPACE);
}

/* The user "nobody" of our own namespace is a user like all others. */
static void nobody_is_another_user(void **state)
{
	set_map(*state, "4242", "         0          0 4294967295\n");
	set_map(*state, "self", "         0          0 4294967295\n");
	add_target(*state, &(struct fake){.uid = 65534});
	add_us(*state, USER, NO_CAPABILITIES);
	expect(*state, SPROF_DENIAL_OTHER_USER);
}

static void not_dumpable(void **state)
{
	if (geteuid() != 0)
		skip(); /* only root can make a file of root's */
	add_target(*state, &(struct fake){.uid = USER});
	give_to(*state, 0);
	add_us(*state, USER, NO_CAPABILITIES);
	set_yama(*state, "1\n");
	expect(*state, SPROF_DENIAL_NOT_DUMPABLE);
}

static void capabilities_that_we_lack(void **state)
{
	add_target(*state, &(struct fake){.uid = USER, .permitted = 1 << 13});
	add_us(*state, USER, NO_CAPABILITIES);
	expect(*state, SPROF_DENIAL_CAPABILITIES);
	add_us(*state, USER, 1 << 13);
	expect(*state, SPROF_DENIAL_UNKNOWN);
}

static void yama_of_each_scope(void **state)
{
	add_target(*state, &(struct fake){.uid = USER});
	add_us(*state, USER, NO_CAPABILITIES);
	set_yama(*state, "0\n");
	expect(*state, SPROF_DENIAL_UNKNOWN);
	set_yama(*state, "1\n");
	expect(*state, SPROF_DENIAL_YAMA);
	assert_int_equal(find(*state, EPERM).yama_scope, 1);
	set_yama(*state, "2\n");
	expect(*state, SPROF_DENIAL_YAMA);
	set_yama(*state, "3\n");
	expect(*state, SPROF_DENIAL_YAMA);
}

/* Scope 3 stops root too, all others do not. */
static void yama_against_root(void **state)
{
	add_target(*state, &(struct fake){.uid = OTHER_USER});
	add_us(*state, 0, SYS_PTRACE);
	set_yama(*state, "3\n");
	expect(*state, SPROF_DENIAL_YAMA);
	set_yama(*state, "2\n");
	expect(*state, SPROF_DENIAL_UNKNOWN);
}

static void a_seccomp_filter(void **state)
{
	add_target(*state, &(struct fake){.uid = USER});
	add_process(*state, "self", &(struct fake){.uid = USER, .seccomp = 2});
	expect(*state, SPROF_DENIAL_SECCOMP);
	add_process(*state, "self", &(struct fake){.seccomp = 2, .effective = SYS_PTRACE});
	expect(*state, SPROF_DENIAL_SECCOMP);
	/* Podman's filter and others answer ENOSYS, which no kernel does. */
	assert_int_equal(find(*state, ENOSYS).cause, SPROF_DENIAL_SECCOMP);
}

static void another_errno_says_nothing_of_rights(void **state)
{
	add_target(*state, &(struct fake){.uid = OTHER_USER});
	add_us(*state, USER, NO_CAPABILITIES);
	assert_int_equal(find(*state, EIO).cause, SPROF_DENIAL_UNKNOWN);
}

static void expect_words(const struct sprof_denial_facts *facts, enum sprof_error_kind kind,
	const char *message, const char *hint)
{
	struct sprof_error err;

	assert_false(sprof_denial_error(facts, TARGET, EPERM, &err));
	assert_int_equal(err.kind, kind);
	assert_non_null(strstr(err.message, "attach to 4242: "));
	assert_non_null(strstr(err.message, message));
	assert_int_equal(!err.hint[0], !hint[0]);
	assert_non_null(strstr(err.hint, hint));
}

static void every_cause_has_its_words(void **state)
{
	static const struct {
		struct sprof_denial_facts facts;
		enum sprof_error_kind kind;
		const char *message, *hint;
	} cases[] = {
		{{SPROF_DENIAL_GONE}, SPROF_ERROR_TARGET_GONE, "no such process", ""},
		{{SPROF_DENIAL_KERNEL_THREAD}, SPROF_ERROR_UNSUPPORTED, "kernel thread", ""},
		{{SPROF_DENIAL_SELF}, SPROF_ERROR_USAGE, "sprof itself", ""},
		{{SPROF_DENIAL_TRACED, 777, "gdb", 0, 0}, SPROF_ERROR_PERMISSION, "not permitted",
			"777 (gdb)"},
		{{SPROF_DENIAL_TRACED, 777, "", 0, 0}, SPROF_ERROR_PERMISSION, "", "777 (?)"},
		{{SPROF_DENIAL_NAMESPACE}, SPROF_ERROR_PERMISSION, "", "user namespace"},
		{{SPROF_DENIAL_OTHER_USER, 0, "", 1001, 0}, SPROF_ERROR_PERMISSION, "", "id 1001"},
		{{SPROF_DENIAL_NOT_DUMPABLE}, SPROF_ERROR_PERMISSION, "", "undumpable"},
		{{SPROF_DENIAL_CAPABILITIES}, SPROF_ERROR_PERMISSION, "", "CAP_SYS_PTRACE"},
		{{SPROF_DENIAL_YAMA, 0, "", 0, 1}, SPROF_ERROR_PERMISSION, "", "sprof run"},
		{{SPROF_DENIAL_YAMA, 0, "", 0, 2}, SPROF_ERROR_PERMISSION, "", "as root"},
		{{SPROF_DENIAL_YAMA, 0, "", 0, 3}, SPROF_ERROR_PERMISSION, "", "next boot"},
		{{SPROF_DENIAL_SECCOMP}, SPROF_ERROR_PERMISSION, "", "seccomp"},
		{{SPROF_DENIAL_UNKNOWN}, SPROF_ERROR_PERMISSION, "", "sandbox"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_words(&cases[i].facts, cases[i].kind, cases[i].message, cases[i].hint);
}

static void the_real_proc(void **state)
{
	struct sprof_error err;

	assert_false(sprof_diagnose(getpid(), EPERM, &err));
	assert_int_equal(err.kind, SPROF_ERROR_USAGE);
	assert_false(sprof_diagnose(INT32_MAX, ESRCH, &err));
	assert_int_equal(err.kind, SPROF_ERROR_TARGET_GONE);
}

#define in_a_folder(test) \
	cmocka_unit_test_setup_teardown(test, test_folder_create, test_folder_remove)

TEST_MAIN("denial")
{
	const struct CMUnitTest tests[] = {
		in_a_folder(no_such_process),
		in_a_folder(a_zombie_is_gone),
		in_a_folder(ourselves),
		in_a_folder(a_kernel_thread),
		in_a_folder(traced_by_a_process_that_we_see),
		in_a_folder(traced_by_a_process_that_we_do_not_see),
		in_a_folder(another_user),
		in_a_folder(another_user_under_yama),
		in_a_folder(another_user_namespace),
		in_a_folder(another_user_namespace_of_ours),
		in_a_folder(nobody_is_another_user),
		in_a_folder(not_dumpable),
		in_a_folder(capabilities_that_we_lack),
		in_a_folder(yama_of_each_scope),
		in_a_folder(yama_against_root),
		in_a_folder(a_seccomp_filter),
		in_a_folder(another_errno_says_nothing_of_rights),
		cmocka_unit_test(every_cause_has_its_words),
		cmocka_unit_test(the_real_proc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
