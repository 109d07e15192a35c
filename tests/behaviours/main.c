/*
 * Shows one behaviour by name: says that it is ready, waits for the word to go (a line on stdin, or
 * its end) and acts. Knows the topics; what a behaviour is belongs to its topic's file.
 *
 *     behaviours --list            lines of a topic and a name
 *     behaviours [--ready FD] NAME
 *     behaviours --first-argument  "hidden" or "shown": what tests/ptrace/kernel.h asks
 *     behaviours --again NAME      acts at once: for a program that runs itself again
 *
 * A name with a dot in front is such a second part, and not listed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/behaviours/behaviour.h"
#include "tests/ptrace/kernel.h"

static const struct topic {
	const char *name;
	const struct behaviour *table;
} topics[] = {
	{"signals", signal_behaviours},
	{"interruptions", interruption_behaviours},
	{"stops", stop_behaviours},
	{"faults", fault_behaviours},
	{"deaths", death_behaviours},
	{"births", birth_behaviours},
	{"exec", exec_behaviours},
	{"ids", id_behaviours},
	{"launch", launch_behaviours},
	{"waits", wait_behaviours},
	{"sockets", socket_behaviours},
	{"transfers", transfer_behaviours},
	{"incoming", incoming_behaviours},
};

#define TOPICS (sizeof(topics) / sizeof(topics[0]))

static int list(void)
{
	for (size_t i = 0; i < TOPICS; i++) {
		for (const struct behaviour *b = topics[i].table; b->name != NULL; b++) {
			if (b->name[0] != '.')
				printf("%s %s\n", topics[i].name, b->name);
		}
	}
	return 0;
}

static const struct behaviour *find(const char *name)
{
	for (size_t i = 0; i < TOPICS; i++) {
		for (const struct behaviour *b = topics[i].table; b->name != NULL; b++) {
			if (strcmp(b->name, name) == 0)
				return b;
		}
	}
	fprintf(stderr, "behaviours: there is no %s\n", name);
	exit(98);
}

/* Byte by byte, for what follows belongs to the behaviour; a closed stdin is a word, too. */
static void wait_for_word(void)
{
	char byte = 0;

	while (byte != '\n' && read(STDIN_FILENO, &byte, 1) == 1)
		;
}

int main(int argc, char *argv[])
{
	const struct behaviour *behaviour;

	target_init(&argc, argv);
	if (argc == 2 && strcmp(argv[1], "--list") == 0)
		return list();
	if (argc == 2 && strcmp(argv[1], "--first-argument") == 0)
		return puts(kernel_hides_first_argument() ? "hidden" : "shown") < 0;
	if (argc >= 3 && strcmp(argv[1], "--again") == 0)
		return find(argv[2])->act();
	if (argc < 2)
		return 98;
	behaviour = find(argv[1]);
	target_ready("%d", (int)getpid());
	wait_for_word();
	return behaviour->act();
}
