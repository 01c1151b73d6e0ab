/* SPDX-License-Identifier: MIT
 * load_input.h -- from a file name on the command line to a model, a device and a moment.
 *
 * Every function returns STATUS_DONE, or another exit status after one line on stderr.
 */
#ifndef ANALYZE_CLI_LOAD_INPUT_H
#define ANALYZE_CLI_LOAD_INPUT_H

#include "cli/command.h"
#include "model/model.h"
#include "replay/moment.h"
#include "replay/replay.h"

/* Load `file` within the budget, with a progress bar when it takes long. A damaged file is loaded
 * as far as it goes: STATUS_DONE, one line on stderr, and model->partial, for which the command
 * exits with load_status. */
int load_model(struct invocation *inv, const char *file, struct model **out);

/* Name frames that are a place in a library, as --symbols says; load_model has done so. `m` NULL: only
 * see whether it can be done. */
int load_symbols(struct invocation *inv, struct model *m);

/* STATUS_INPUT for a partial model, else `status`. */
int load_status(const struct model *m, int status);

/* The device of --device, or *device = NULL when it was not given. */
int load_named_device(struct invocation *inv, const struct model *m, const struct device **device);

/* The device of --device, or the one with the highest peak of allocated bytes (lowest index on a
 * tie, host memory only when asked for), and its replay, which the caller frees. */
int load_device(struct invocation *inv, const struct model *m, const struct device **device,
		struct replay **replay);

/* --filter and --exclude over the frames of m, or *out = NULL without them; filter_free it. */
struct filter;
int load_filter(struct invocation *inv, const struct model *m, struct filter **out);

/* A question about one moment: all of the above and --at. */
struct loaded {
	struct model *model;
	const struct device *device; /* of the model */
	struct replay *replay;
	struct moment at;
};

/* `at`: the moment when --at is not given. On success loaded_release is the caller's. */
int load_moment(struct invocation *inv, const char *file, const char *at, struct loaded *out);
/* The same where the device's last oom comes first when --at is not given, else `otherwise`. */
int load_oom_moment(struct invocation *inv, const char *file, const char *otherwise,
		    struct loaded *out);
void loaded_release(struct loaded *l);

/* "oom" for a device that had one, else `otherwise`. */
const char *load_oom_or(const struct model *m, const struct device *d, const char *otherwise);

#endif
