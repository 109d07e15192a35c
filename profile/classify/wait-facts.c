/*
 * A table of names. A fact holds for every version that has the function, if only libraries and
 * wrappers are between the function and the wait. An event loop calls the program's handlers, which
 * wait for other things. A program's own function with such a name is taken for the library's.
 */
#include "profile/classify/wait-facts.h"

#include <string.h>

#include "base/strings.h"
#include "profile/classify/boundaries.h"
#include "profile/classify/own-code.h"
#include "profile/model/stack-lines.h"

static const struct sprof_wait_fact facts[] = {
	/* PostgreSQL: its locks wait for a latch, as its main loops do (storage/lmgr) */
	{"ProcSleep$", SPROF_WAIT_KIND_LOCK, "row or table lock"},
	{"LWLockAcquire", SPROF_WAIT_KIND_LOCK, "lightweight lock"},
	{"LWLockWaitForVar$", SPROF_WAIT_KIND_LOCK, "lightweight lock"},
	{"ProcWaitForSignal$", SPROF_WAIT_KIND_LOCK, "buffer pin"},
	{"ProcArrayGroupClearXid$", SPROF_WAIT_KIND_LOCK, "end of a transaction"},
	{"SyncRepWaitForLSN$", SPROF_WAIT_KIND_IO, "synchronous standby"},
	{"ConditionVariableSleep$", SPROF_WAIT_KIND_LOCK, "condition variable"},
	{"ConditionVariableTimedSleep$", SPROF_WAIT_KIND_LOCK, "condition variable"},
	{"secure_read$", SPROF_WAIT_KIND_IDLE, NULL},
	{"secure_write$", SPROF_WAIT_KIND_IO, NULL},
	{"ServerLoop$", SPROF_WAIT_KIND_IDLE, NULL},
	{"PostmasterMain$", SPROF_WAIT_KIND_IDLE, NULL},
	{"WalWriterMain$", SPROF_WAIT_KIND_IDLE, NULL},
	{"CheckpointerMain$", SPROF_WAIT_KIND_IDLE, NULL},
	{"BackgroundWriterMain$", SPROF_WAIT_KIND_IDLE, NULL},
	{"AutoVacLauncherMain$", SPROF_WAIT_KIND_IDLE, NULL},
	{"StartAutoVacLauncher$", SPROF_WAIT_KIND_IDLE, NULL}, /* which is exported */
	{"ApplyLauncherMain$", SPROF_WAIT_KIND_IDLE, NULL},
	{"PgArchiverMain$", SPROF_WAIT_KIND_IDLE, NULL},
	/* libpq: a client waits for the server's answer */
	{"PQgetResult$", SPROF_WAIT_KIND_IO, NULL},
	{"PQconnectPoll$", SPROF_WAIT_KIND_IO, NULL},
	/* MariaDB: threads without a task, or without a connection */
	{"tpool::thread_pool_generic::wait_for_tasks", SPROF_WAIT_KIND_IDLE, NULL},
	{"do_handle_one_connection", SPROF_WAIT_KIND_IDLE, NULL},
	/* event loops */
	{"ngx_process_events_and_timers$", SPROF_WAIT_KIND_IDLE, NULL},
	{"ngx_epoll_process_events$", SPROF_WAIT_KIND_IDLE, NULL},
	{"ngx_master_process_cycle$", SPROF_WAIT_KIND_IDLE, NULL},
	{"aeApiPoll", SPROF_WAIT_KIND_IDLE, NULL},
	{"aeProcessEvents$", SPROF_WAIT_KIND_IDLE, NULL},
	{"aeMain$", SPROF_WAIT_KIND_IDLE, NULL},
	{"bioProcessBackgroundJobs$", SPROF_WAIT_KIND_IDLE, NULL},
	{"uv__io_poll$", SPROF_WAIT_KIND_IDLE, NULL},
	{"uv_run$", SPROF_WAIT_KIND_IDLE, NULL},
	{"event_base_loop$", SPROF_WAIT_KIND_IDLE, NULL},
	{"ev_run$", SPROF_WAIT_KIND_IDLE, NULL},
	{"g_main_context_iter", SPROF_WAIT_KIND_IDLE, NULL},
	{"g_main_loop_run$", SPROF_WAIT_KIND_IDLE, NULL},
	{"g_async_queue_", SPROF_WAIT_KIND_IDLE, NULL},
	{"sd_event_wait$", SPROF_WAIT_KIND_IDLE, NULL},
	{"boost::asio::detail::", SPROF_WAIT_KIND_IDLE, NULL},
	{"tokio::runtime::", SPROF_WAIT_KIND_IDLE, NULL},
	{"mio::poll::Poll::poll", SPROF_WAIT_KIND_IDLE, NULL},
	/* Python: a lock of threading is a semaphore, as a queue's is */
	{"_PollLikeSelector.select$", SPROF_WAIT_KIND_IDLE, NULL},
	{"EpollSelector.select$", SPROF_WAIT_KIND_IDLE, NULL},
	{"SelectSelector.", SPROF_WAIT_KIND_IDLE, NULL},
	{"Queue.get$", SPROF_WAIT_KIND_IDLE, NULL},
	{"_queue_SimpleQueue_get", SPROF_WAIT_KIND_IDLE, NULL},
	{"simplequeue_get", SPROF_WAIT_KIND_IDLE, NULL},
	{"Thread.join$", SPROF_WAIT_KIND_IDLE, "the end of a thread"},
	{"Thread._wait_for_tstate_lock$", SPROF_WAIT_KIND_IDLE, "the end of a thread"},
	{"ThreadHandle_join", SPROF_WAIT_KIND_IDLE, "the end of a thread"},
	{"_shutdown$", SPROF_WAIT_KIND_IDLE, "the end of a thread"},
	{"Condition.wait$", SPROF_WAIT_KIND_IDLE, "condition variable"},
	/* Java's virtual machine, and its queues */
	{"ObjectMonitor::enter", SPROF_WAIT_KIND_LOCK, "monitor"},
	{"ObjectMonitor::EnterI", SPROF_WAIT_KIND_LOCK, "monitor"},
	{"VMThread::", SPROF_WAIT_KIND_IDLE, NULL},
	{"WatcherThread::", SPROF_WAIT_KIND_IDLE, NULL},
	{"WorkerThread::", SPROF_WAIT_KIND_IDLE, NULL},
	{"GangWorker::", SPROF_WAIT_KIND_IDLE, NULL},
	{"ConcurrentGCThread::", SPROF_WAIT_KIND_IDLE, NULL},
	{"G1ServiceThread::", SPROF_WAIT_KIND_IDLE, NULL},
	{"G1ConcurrentRefineThread", SPROF_WAIT_KIND_IDLE, NULL},
	{"CompileBroker::compiler_thread_loop", SPROF_WAIT_KIND_IDLE, NULL},
	{"ServiceThread::", SPROF_WAIT_KIND_IDLE, NULL},
	{"MonitorDeflationThread::", SPROF_WAIT_KIND_IDLE, NULL},
	{"signal_thread_entry", SPROF_WAIT_KIND_IDLE, NULL},
	{"JVM_WaitForReferencePendingList$", SPROF_WAIT_KIND_IDLE, NULL},
};

/* CPython's locks, unless a fact about a Python module shows that the lock is a queue's. */
static const struct sprof_wait_fact python_lock = {"", SPROF_WAIT_KIND_LOCK, NULL};

static bool is_of(const struct sprof_wait_fact *fact, const char *name)
{
	const size_t length = strlen(fact->start);

	if (fact->start[length - 1] != '$')
		return strncmp(name, fact->start, length) == 0;
	return sprof_string_is(fact->start, length - 1, name);
}

static const struct sprof_wait_fact *fact_of(const char *name)
{
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		if (facts[i].start[0] == name[0] && is_of(&facts[i], name))
			return &facts[i];
	}
	return NULL;
}

struct sprof_known_wait sprof_known_wait_of(const struct sprof_profile *profile, uint32_t stack)
{
	struct sprof_known_wait found = {.function = SPROF_PROFILE_NONE};
	struct sprof_stack_lines at = {.stack = stack};
	const struct sprof_profile_line *line;

	while ((line = sprof_stack_lines_next(profile, &at))) {
		const struct sprof_profile_function *function = &profile->functions[line->function];
		const struct sprof_wait_fact *fact = fact_of(function->name);

		if (fact)
			return (struct sprof_known_wait){fact, line->function, line};
		if (sprof_profile_is_python_lock(function->name))
			found.fact = &python_lock;
		if (!line->kernel && !function->unresolved &&
			sprof_code_of(profile, line->function) == SPROF_CODE_OWN)
			break;
	}
	return found;
}
