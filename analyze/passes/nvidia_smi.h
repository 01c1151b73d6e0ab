/* SPDX-License-Identifier: MIT
 * nvidia_smi.h -- what `nvidia-smi -q -x` tells of each card: its memory, and who holds it.
 */
#ifndef ANALYZE_PASSES_NVIDIA_SMI_H
#define ANALYZE_PASSES_NVIDIA_SMI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/input.h"
#include "passes/oom_log.h"

struct smi_card {
	struct amount total, reserved, used, free; /* whole MiB, rounded by nvidia-smi */
	bool is_mig; /* cut into instances: these amounts are no process's card */
	size_t first_process, n_processes; /* rows of nvidia_smi.processes */
};

struct nvidia_smi {
	struct budget *budget;      /* weak */
	VEC(struct smi_card) cards; /* in the order of nvidia-smi, that of CUDA by PCI bus */
	VEC(struct oom_process) processes;
};

/* Errors: those of xml_read; ERR_SCHEMA when the document is another one. */
int nvidia_smi_read(struct nvidia_smi *out, struct input *in, struct budget *budget,
		    struct error *err);
void nvidia_smi_release(struct nvidia_smi *s);

/* The card of a CUDA device: that with its index, or the only one. NULL: there is none. */
const struct smi_card *nvidia_smi_card(const struct nvidia_smi *s, int32_t device);

/* What programs can have of the card: total less reserved; not known when the total is not. */
struct amount smi_card_capacity(const struct smi_card *c);

#endif
