/* SPDX-License-Identifier: MIT
 * sim_place.c -- where a driver might put segments: what no file tells, so several ways are tried.
 */
#include "replay/sim_place.h"

#include <string.h>

#include "base/hash.h"
#include "base/num.h"

#define MIDDLE      (UINT64_C(1) << 62)
#define RESERVATION (UINT64_C(32) << 20)
#define UNIT        (UINT64_C(2) << 20)

void sim_placer_init(struct sim_placer *p, enum sim_strategy strategy, uint64_t seed,
		     struct budget *budget)
{
	*p = (struct sim_placer){
		.budget = budget,
		.strategy = strategy,
		.low = MIDDLE,
		.high = MIDDLE,
		.random = hash_u64(seed),
	};
}

void sim_placer_release(struct sim_placer *p)
{
	vec_release(&p->holes, p->budget);
	vec_release(&p->taken, p->budget);
}

static uint64_t rising(struct sim_placer *p, uint64_t size)
{
	uint64_t at = p->high;

	p->high += size;
	return at;
}

static uint64_t falling(struct sim_placer *p, uint64_t size)
{
	p->low -= size;
	return p->low;
}

/* Two segments over each other are as good as impossible, and would do no harm. */
static uint64_t shuffled(struct sim_placer *p)
{
	p->random += 0x9e3779b97f4a7c15u;
	return hash_u64(p->random) >> 1 & ~(UNIT - 1);
}

static void remove_hole(struct sim_placer *p, size_t i)
{
	memmove(&p->holes.at[i], &p->holes.at[i + 1], (p->holes.n - i - 1) * sizeof *p->holes.at);
	p->holes.n--;
}

/* The first hole that starts behind `address`. */
static size_t hole_after(const struct sim_placer *p, uint64_t address)
{
	size_t low = 0, high = p->holes.n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (p->holes.at[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A hole that finds no room is never used again: an order like any other. */
static void add_hole(struct sim_placer *p, struct sim_hole hole)
{
	size_t i = hole_after(p, hole.start);
	struct error err;

	if (i > 0 && p->holes.at[i - 1].end == hole.start &&
	    p->holes.at[i - 1].reservation == hole.reservation) {
		hole.start = p->holes.at[--i].start;
		remove_hole(p, i);
	}
	if (i < p->holes.n && p->holes.at[i].start == hole.end &&
	    p->holes.at[i].reservation == hole.reservation) {
		hole.end = p->holes.at[i].end;
		remove_hole(p, i);
	}
	if (p->holes.n == SIM_HOLES) {
		if (i == SIM_HOLES)
			return;
		p->holes.n--;
	}
	if (vec_reserve(&p->holes, 1, p->budget, &err) < 0)
		return;
	memmove(&p->holes.at[i + 1], &p->holes.at[i], (p->holes.n - i) * sizeof *p->holes.at);
	p->holes.at[i] = hole;
	p->holes.n++;
}

static uint64_t by_driver(struct sim_placer *p, uint64_t size)
{
	uint64_t reserved = num_round_up(size, RESERVATION);
	struct sim_hole all;
	struct error err;

	for (size_t i = 0; i < p->holes.n; i++) {
		struct sim_hole *h = &p->holes.at[i];
		uint64_t at = h->start;

		if (h->end - h->start < size)
			continue;
		h->start += size;
		if (h->start == h->end)
			remove_hole(p, i);
		return at;
	}
	p->low -= reserved;
	all = (struct sim_hole){p->low, p->low + reserved, (uint32_t)p->taken.n};
	if (vec_push(&p->taken, all, p->budget, &err) == 0 && reserved > size)
		add_hole(p, (struct sim_hole){all.start + size, all.end, all.reservation});
	return all.start;
}

/* Reservations lie by falling address: the one that holds `address`. */
static uint32_t reservation_of(const struct sim_placer *p, uint64_t address)
{
	size_t low = 0, high = p->taken.n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (p->taken.at[middle].start > address)
			low = middle + 1;
		else
			high = middle;
	}
	return (uint32_t)low;
}

static uint64_t place_at(void *ctx, uint64_t size, uint32_t lane, bool is_range)
{
	struct sim_placer *p = ctx;

	(void)lane;
	if (is_range) /* as low as possible: what lies in it is never compared with segments */
		return UNIT * 10;
	switch (p->strategy) {
	case SIM_FALLING:
		return falling(p, size);
	case SIM_DRIVER:
		return by_driver(p, size);
	case SIM_SHUFFLED:
		return shuffled(p);
	default:
		return rising(p, size);
	}
}

static void place_gone(void *ctx, uint64_t address, uint64_t size)
{
	struct sim_placer *p = ctx;

	if (p->strategy == SIM_DRIVER)
		add_hole(p, (struct sim_hole){address, address + size, reservation_of(p, address)});
}

struct sim_place sim_placer_place(struct sim_placer *p)
{
	return (struct sim_place){place_at, place_gone, p};
}
