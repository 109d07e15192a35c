/*
 * blocked/sockets: the lines of /proc/net, and this process's own sockets.
 */
#include "blocked/sockets.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "blocked/socket-ask.h"
#include "blocked/unix-diag.h"
#include "tests/unit/check.h"

#define REST "00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0 0 10 0\n"

static struct sprof_listening listening;

static void expect(const char *line, const char *protocol, const char *text)
{
	struct sprof_socket socket;

	assert_true(sprof_socket_parse_inet(line, protocol, &listening, &socket));
	assert_int_equal(socket.inode, 4711);
	assert_string_equal(socket.text, text);
}

static void lines_of_tcp_and_udp(void **state)
{
	struct sprof_socket socket;

	expect("   0: 0100007F:18EB 00000000:0000 0A " REST, "tcp", "tcp 127.0.0.1:6379 listening");
	expect("  12: 0100007F:BB2A 0200000A:1538 01 " REST, "tcp",
		"tcp 127.0.0.1:47914 -> 10.0.0.2:5432");
	expect("   1: 00000000000000000000000001000000:18EB 00000000000000000000000000000000:0000 "
	       "0A " REST,
		"tcp6", "tcp6 [::1]:6379 listening");
	expect("   1: 0000000000000000FFFF00000100007F:18EB 0000000000000000FFFF00000100007F:BB2A "
	       "01 " REST,
		"tcp6", "tcp6 127.0.0.1:6379 <- 127.0.0.1:47914");
	expect("  99: 00000000:0035 00000000:0000 07 " REST, "udp", "udp 0.0.0.0:53");
	/* A TCP socket listens on the port; UDP has other ports. */
	expect("  99: 0100007F:18EB 0100007F:0035 01 " REST, "udp",
		"udp 127.0.0.1:6379 -> 127.0.0.1:53");
	assert_false(sprof_socket_parse_inet(
		"  sl  local_address rem_address   st tx_queue rx_queue tr\n", "tcp", &listening,
		&socket));
	assert_false(sprof_socket_parse_inet("", "tcp", &listening, &socket));
	/* Gone, and waiting for its end only. */
	assert_false(sprof_socket_parse_inet(
		"   1: 0100007F:BB2A 0100007F:9B4D 06 "
		"00000000:00000000 03:00001607 00000000     0        0 0 3 0\n",
		"tcp", &listening, &socket));
}

static void lines_of_unix(void **state)
{
	struct sprof_socket socket;

	assert_true(sprof_socket_parse_unix(
		"00000000c3a0: 00000002 00000000 00010000 0001 01 4712 /run/x y.sock\n", &socket));
	assert_int_equal(socket.inode, 4712);
	assert_string_equal(socket.text, "unix /run/x y.sock listening");
	assert_true(sprof_socket_parse_unix(
		"00000000c3a0: 00000003 00000000 00000000 0001 03  1142\n", &socket));
	assert_string_equal(socket.text, "unix socket:[1142]");
	assert_true(sprof_socket_parse_unix(
		"00000000c3a0: 00000003 00000000 00000000 0002 01  7 @abstract\n", &socket));
	assert_string_equal(socket.text, "unix @abstract");
	assert_true(sprof_socket_parse_unix(
		"00000000c3a0: 00000003 00000000 00000000 0002 01  7 @padded@@@@\n", &socket));
	assert_string_equal(socket.text, "unix @padded");
	assert_false(sprof_socket_parse_unix(
		"Num       RefCount Protocol Flags    Type St Inode Path\n", &socket));
}

static uint64_t inode_of(int fd)
{
	struct stat status;

	assert_int_equal(fstat(fd, &status), 0);
	return status.st_ino;
}

static void own_sockets(void **state)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t size = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0), pair[2];
	struct sprof_sockets sockets = {0};
	char expected[128];

	assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	snprintf(expected, sizeof(expected), "tcp 127.0.0.1:%u listening", ntohs(address.sin_port));
	assert_string_equal(sprof_sockets_find(&sockets, getpid(), inode_of(listener)), expected);
	snprintf(expected, sizeof(expected), "unix socket:[%llu] -> socket:[%llu]",
		(unsigned long long)inode_of(pair[0]), (unsigned long long)inode_of(pair[1]));
	assert_string_equal(sprof_sockets_find(&sockets, getpid(), inode_of(pair[0])), expected);
	/* What isn't there is not looked for again at once. */
	assert_null(sprof_sockets_find(&sockets, getpid(), UINT64_MAX));
	sprof_sockets_finish(&sockets);
	close(listener);
	close(pair[0]);
	close(pair[1]);
}

static void expect_asked(int fd, struct sprof_listening *of, const char *text)
{
	struct sprof_socket socket;

	assert_true(sprof_socket_ask(getpid(), fd, inode_of(fd), of, &socket));
	assert_string_equal(socket.text, text);
}

/* Sockets that no table has, or not yet. */
static void sockets_describe_themselves(void **state)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t size = sizeof(address);
	const int listener = socket(AF_INET, SOCK_STREAM, 0),
		  client = socket(AF_INET, SOCK_STREAM, 0),
		  kernel = socket(AF_NETLINK, SOCK_RAW, 0);
	struct sockaddr_in peer;
	struct sprof_listening ports = {0};
	struct sprof_socket socket;
	char expected[128];
	int served, pair[2];

	assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
	assert_int_equal(connect(client, (struct sockaddr *)&address, size), 0);
	assert_int_equal(getsockname(client, (struct sockaddr *)&peer, &size), 0);
	served = accept(listener, NULL, NULL);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	/* Seccomp may forbid it. */
	if (!sprof_socket_ask(getpid(), listener, inode_of(listener), &ports, &socket))
		skip();
	snprintf(expected, sizeof(expected), "tcp 127.0.0.1:%u listening", ntohs(address.sin_port));
	expect_asked(listener, &ports, expected);
	snprintf(expected, sizeof(expected), "tcp 127.0.0.1:%u <- 127.0.0.1:%u",
		ntohs(address.sin_port), ntohs(peer.sin_port));
	expect_asked(served, &ports, expected);
	snprintf(expected, sizeof(expected), "tcp 127.0.0.1:%u -> 127.0.0.1:%u",
		ntohs(peer.sin_port), ntohs(address.sin_port));
	expect_asked(client, &ports, expected);
	expect_asked(kernel, &ports, "netlink socket");
	assert_false(sprof_socket_ask(getpid(), listener, inode_of(client), &ports, &socket));
	assert_false(sprof_socket_ask(getpid(), pair[0], inode_of(pair[0]), &ports, &socket));
	assert_int_equal(sprof_socket_ask_peer(getpid(), pair[0], inode_of(pair[0])), getpid());
	close(listener);
	close(client);
	close(served);
	close(kernel);
	close(pair[0]);
	close(pair[1]);
}

static void a_client_has_its_servers_name(void **state)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0),
	    served;
	struct sprof_sockets sockets = {0};
	char expected[128];

	snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "sprof-test-%d", getpid());
	assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(connect(client, (struct sockaddr *)&address, sizeof(address)), 0);
	served = accept(listener, NULL, NULL);
	snprintf(expected, sizeof(expected), "unix -> @sprof-test-%d", getpid());
	assert_memory_equal(sprof_sockets_find(&sockets, getpid(), inode_of(client)), expected,
		strlen(expected));
	sprof_sockets_finish(&sockets);
	close(served);
	close(client);
	close(listener);
}

static void answers_that_are_none(void **state)
{
	uint32_t answer[8] = {0}, peer;

	assert_false(sprof_unix_diag_peer(answer, 0, &peer));
	for (size_t size = 0; size <= sizeof(answer); size++) {
		answer[0] = (uint32_t)size;
		answer[1] = 20; /* SOCK_DIAG_BY_FAMILY */
		assert_false(sprof_unix_diag_peer(answer, size, &peer));
	}
	answer[0] = UINT32_MAX;
	assert_false(sprof_unix_diag_peer(answer, sizeof(answer), &peer));
}

TEST_MAIN("sockets")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_tcp_and_udp),
		cmocka_unit_test(lines_of_unix),
		cmocka_unit_test(own_sockets),
		cmocka_unit_test(sockets_describe_themselves),
		cmocka_unit_test(a_client_has_its_servers_name),
		cmocka_unit_test(answers_that_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
