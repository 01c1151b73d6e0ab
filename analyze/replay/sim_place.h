/* SPDX-License-Identifier: MIT
 * sim_place.h -- where a driver might put segments: what no file tells, so several ways are tried.
 *
 * Only the order of addresses matters, for ties. Rising and falling are the two extremes;
 * shuffled ones are drawn from a fixed seed; the driver's way is the one seen on real traces:
 * units of 2 MiB, the low end of the lowest hole that fits, else a new reservation (a multiple of
 * 32 MiB) directly below the lowest one; holes of different reservations do not join.
 */
#ifndef ANALYZE_REPLAY_SIM_PLACE_H
#define ANALYZE_REPLAY_SIM_PLACE_H

#include "replay/sim_allocator.h"

enum sim_strategy { SIM_RISING, SIM_FALLING, SIM_DRIVER, SIM_SHUFFLED };

struct sim_hole {
	uint64_t start, end;
	uint32_t reservation;
};

/* Holes beyond this many, the highest ones, are forgotten. */
#define SIM_HOLES 4096

struct sim_placer {
	struct budget *budget; /* weak */
	enum sim_strategy strategy;
	uint64_t low, high; /* all addresses given lie in [low, high) */
	uint64_t random;
	VEC(struct sim_hole) holes; /* by address */
	VEC(struct sim_hole) taken; /* reservations, by falling address; all of [start, end) */
};

void sim_placer_init(struct sim_placer *p, enum sim_strategy strategy, uint64_t seed,
		     struct budget *budget);
void sim_placer_release(struct sim_placer *p);
struct sim_place sim_placer_place(struct sim_placer *p);

#endif
