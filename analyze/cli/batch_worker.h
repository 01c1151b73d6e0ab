/* SPDX-License-Identifier: MIT
 * batch_worker.h -- one process for each file: no file can take the others down.
 */
#ifndef ANALYZE_CLI_BATCH_WORKER_H
#define ANALYZE_CLI_BATCH_WORKER_H

#include "cli/batch_inputs.h"
#include "cli/command.h"

enum outcome_kind {
	OUTCOME_CRASHED, /* the process ended before it could say anything */
	OUTCOME_DONE,    /* DIR/results/KEY.json has the file's rows */
	OUTCOME_FAILED,  /* `words` say why */
	OUTCOME_LIMIT,   /* the same: the memory limit */
	OUTCOME_SKIPPED, /* no memory data */
	OUTCOME_SYSTEM,  /* the result could not be written */
};

#define BATCH_KEY_BYTES 65

/* What a worker tells; small enough to be written to a pipe at once. */
struct outcome {
	uint8_t kind; /* enum outcome_kind */
	bool reused;  /* the result was there already */
	bool has_hash;
	bool has_page;                                    /* DIR/pages has its interactive one */
	char key[BATCH_KEY_BYTES], hash[BATCH_KEY_BYTES]; /* hash: of the file; hexadecimal */
	char words[700];
};

struct batch_run {
	struct invocation *inv;    /* weak */
	const char *folder;        /* DIR/results; weak */
	const char *pages;         /* DIR/pages, NULL: no interactive ones; weak */
	const struct rules *rules; /* weak */
	const char *rules_hash;    /* of the file of --rules; "": none; weak */
	uint64_t limit;            /* bytes that one worker may use */
};

/* False when it is no regular file, or cannot be read. */
bool batch_hash_file(const char *name, char out[BATCH_KEY_BYTES]);
/* The name, without .html, of a file's interactive page: it goes with the result's key. */
void batch_page_name(const char *key, const char *file, char out[BATCH_KEY_BYTES]);

/* Read `in` and leave its result; in a process of its own. */
void batch_work(const struct batch_run *run, const struct batch_input *in, struct outcome *out);

/* Read all inputs with `jobs` processes; outcomes[i] of inputs->at[i]. Returns STATUS_DONE, or
 * STATUS_SYSTEM after a line on stderr when processes cannot be had. */
int batch_work_all(struct batch_run *run, const struct batch_inputs *inputs, size_t jobs,
		   struct outcome *outcomes);

/* How many processes: at most `most`, each with what the largest of the files needs by `limit`. */
size_t batch_jobs(const struct batch_inputs *inputs, size_t most, uint64_t limit);

#endif
