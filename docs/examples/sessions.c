/* A server that remembers what its users did, and forgets to forget it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct session {
	struct session *next;
	char *history;
	unsigned user;
};

static struct session *sessions;

static char *read_history(unsigned user)
{
	char *history = malloc(4096);

	memset(history, (int)(user & 0x7f), 4096);
	return history;
}

static struct session *open_session(unsigned user)
{
	struct session *session = malloc(sizeof(*session));

	session->user = user;
	session->history = read_history(user);
	session->next = sessions;
	sessions = session;
	return session;
}

/* The text of an answer is freed; the session that it is about never is. */
static void answer(unsigned user)
{
	const struct session *session = open_session(user);
	char *text = malloc(512);

	snprintf(text, 512, "user %u: %.20s", session->user, session->history);
	free(text);
}

int main(void)
{
	for (unsigned i = 0; i < 20000; i++)
		answer(i);
	printf("done\n");
	return 0;
}
