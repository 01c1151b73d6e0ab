/* SPDX-License-Identifier: MIT
 * run_child.c -- run a program as if it had been started alone: signals and exit status are its own.
 */
#include "cli/run_child.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"

/* What people and schedulers send to the process they started. The terminal sends SIGINT and
 * SIGQUIT to the program too, so those are only kept from ending us first. */
static const int passed_on[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
static const int ignored[] = {SIGINT, SIGQUIT};

#define COUNT(a) (sizeof(a) / sizeof *(a))

static volatile sig_atomic_t child;

static void pass_on(int signum)
{
	if (child > 0)
		kill((pid_t)child, signum);
}

struct saved_actions {
	sigset_t mask;
	struct sigaction passed_on[COUNT(passed_on)], ignored[COUNT(ignored)];
};

static void take_signals(struct saved_actions *s)
{
	struct sigaction pass = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	sigset_t all;

	/* Until `child` is known, what arrives has to wait. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &s->mask);
	for (size_t i = 0; i < COUNT(passed_on); i++)
		sigaction(passed_on[i], &pass, &s->passed_on[i]);
	for (size_t i = 0; i < COUNT(ignored); i++)
		sigaction(ignored[i], &ignore, &s->ignored[i]);
}

static void give_signals(const struct saved_actions *s)
{
	for (size_t i = 0; i < COUNT(passed_on); i++)
		sigaction(passed_on[i], &s->passed_on[i], NULL);
	for (size_t i = 0; i < COUNT(ignored); i++)
		sigaction(ignored[i], &s->ignored[i], NULL);
	sigprocmask(SIG_SETMASK, &s->mask, NULL);
}

static void become(char *const *argv, const struct saved_actions *s)
{
	give_signals(s);
	execvp(argv[0], argv);
	int status = errno == ENOENT ? 127 : 126;
	complain("cannot run '%s': %s", argv[0], strerror(errno));
	_exit(status);
}

int run_child(char *const *argv)
{
	struct saved_actions saved;
	int status = 0;

	take_signals(&saved);
	pid_t pid = fork();
	if (pid == 0)
		become(argv, &saved);
	child = pid;
	sigprocmask(SIG_SETMASK, &saved.mask, NULL);
	if (pid < 0) {
		complain("cannot start a process: %s", strerror(errno));
	} else {
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	child = 0;
	give_signals(&saved);
	if (pid < 0)
		return STATUS_SYSTEM;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
