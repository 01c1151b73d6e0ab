/* SPDX-License-Identifier: MIT
 * measure.c -- run a command and print what it took: wall seconds, peak KiB, exit status.
 *
 *     measure COMMAND [ARGUMENT ...]
 *
 * The peak is the kernel's ru_maxrss of that process (mapped pages included). Its standard output
 * is thrown away.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void run(char **argv)
{
	int null = open("/dev/null", O_WRONLY);

	if (null >= 0)
		dup2(null, STDOUT_FILENO);
	execvp(argv[0], argv);
	fprintf(stderr, "measure: cannot run '%s': %s\n", argv[0], strerror(errno));
	_exit(127);
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int status;
	double start;
	pid_t pid;

	if (argc < 2)
		return 2;
	start = now_s();
	pid = fork();
	if (pid == 0)
		run(argv + 1);
	if (pid < 0 || wait4(pid, &status, 0, &usage) < 0) {
		perror("measure");
		return 1;
	}
	printf("%.4f %ld %d\n", now_s() - start, usage.ru_maxrss,
	       WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}
