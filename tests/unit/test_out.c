/* SPDX-License-Identifier: MIT
 * test_out.c -- the byte sink: files that appear whole or not at all, failures that are remembered.
 */
#include "reports/out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/tap.h"

static char folder[] = "/tmp/test_out.XXXXXX";

static const char *in_folder(char buf[256], const char *name)
{
	snprintf(buf, 256, "%s/%s", folder, name);
	return buf;
}

static long file_size(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 ? -1 : (long)st.st_size;
}

static void test_memory(void)
{
	struct error err;
	struct out *o;
	size_t n;
	char *large = malloc(300000);

	memset(large, 'a', 300000);
	is_i64(out_open_memory(&o, &err), 0, "memory opens");
	out_text(o, "x=");
	out_printf(o, "%d;", 5);
	is_str(out_memory(o, &n), "x=5;", "what was written");
	out_bytes(o, large, 300000);
	large[299999] = '\0';
	out_printf(o, "%s", large);
	out_memory(o, &n);
	is_u64(n, 4 + 300000 + 299999, "it grows");
	is_u64(out_size(o), n, "and counts");
	is_i64(out_close(o, &err), 0, "nothing failed");
	free(large);
}

static void test_path(void)
{
	char path[256], link[256];
	struct error err;
	struct out *o;
	struct stat st;

	in_folder(path, "new.txt");
	umask(027);
	is_i64(out_open_path(&o, path, &err), 0, "a file opens");
	out_text(o, "hello");
	is_i64(file_size(path), -1, "it is not there before it is closed");
	is_i64(out_close(o, &err), 0, "it closes");
	is_i64(file_size(path), 5, "then it is");
	stat(path, &st);
	is_u64(st.st_mode & 0777, 0640, "with the permissions of any new file");

	chmod(path, 0604);
	out_open_path(&o, path, &err);
	out_text(o, "again and longer");
	out_abandon(o);
	is_i64(file_size(path), 5, "abandoned: the old one stays");

	in_folder(link, "link.txt");
	ok(symlink("new.txt", link) == 0, "a link to it");
	out_open_path(&o, link, &err);
	out_text(o, "again and longer");
	is_i64(out_close(o, &err), 0, "writing through the link");
	is_i64(file_size(path), 16, "replaces what it points to");
	lstat(link, &st);
	ok(S_ISLNK(st.st_mode), "and the link stays one");
	stat(path, &st);
	is_u64(st.st_mode & 0777, 0604, "a file that is replaced keeps its permissions");
	unlink(link);
	unlink(path);
}

static void test_failures(void)
{
	char path[256];
	struct error err = {0};
	struct out *o;

	is_i64(out_open_path(&o, in_folder(path, "no/such/folder"), &err), ERR_SYSTEM,
	       "no such folder");
	ok(strstr(err.text, "No such file") != NULL, "and says so: %s", err.text);
	is_i64(out_open_path(&o, folder, &err), ERR_SYSTEM, "a folder is no file");

	if (access("/dev/full", W_OK) == 0) {
		is_i64(out_open_path(&o, "/dev/full", &err), 0, "a full device opens");
		for (int i = 0; i < 100000; i++)
			out_text(o, "many bytes ");
		is_i64(out_close(o, &err), ERR_SYSTEM, "but what is written fails");
		ok(strstr(err.text, "No space") != NULL, "with the first failure: %s", err.text);
	} else {
		skip("no /dev/full here");
	}
	out_open_memory(&o, &err);
	out_fail(o, EIO);
	out_fail(o, ENOMEM);
	is_i64(out_close(o, &err), ERR_SYSTEM, "a writer's own failure counts, the first one");
	out_open_memory(&o, &err);
	out_fail(o, ENOMEM);
	is_i64(out_close(o, &err), ERR_NOMEM, "memory that ran out is told apart");
	is_i64(out_close(NULL, &err), 0, "nothing closes");
	out_abandon(NULL);
}

static void test_fd(void)
{
	char path[256], got[16] = "";
	int fd = open(in_folder(path, "fd"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct error err;
	struct out *o;

	is_i64(out_open_fd(&o, fd, &err), 0, "a descriptor opens");
	out_text(o, "to fd");
	is_i64(out_close(o, &err), 0, "it is flushed");
	ok(pread(fd, got, sizeof got - 1, 0) == 5, "and stays open");
	is_str(got, "to fd", "what was written");
	close(fd);
	unlink(path);
}

int main(void)
{
	if (!mkdtemp(folder))
		return skip_all("no folder for temporary files");
	test_memory();
	test_path();
	test_failures();
	test_fd();
	ok(rmdir(folder) == 0, "nothing is left behind");
	return done_testing();
}
