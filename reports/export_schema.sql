-- SPDX-License-Identifier: MIT
-- export_schema.sql -- one device of a snapshot as tables; `.schema` in sqlite3 shows these words.
--
-- PRAGMA user_version is the number of this schema. Addresses and streams are unsigned 64-bit
-- numbers in signed columns: printf('0x%x', address) shows them. NULL is what the file does not
-- tell. A moment "at event N" is just after it.

CREATE TABLE meta (
	name TEXT PRIMARY KEY, -- schema, file, device, history, events, partial ...
	value
) WITHOUT ROWID;

CREATE TABLE settings ( -- allocator_settings; members of lists and dicts as name.member
	name TEXT NOT NULL,
	value
);

CREATE TABLE frames (
	frame_id INTEGER PRIMARY KEY,
	function TEXT,
	file TEXT,
	line INTEGER,
	is_user INTEGER NOT NULL -- 1: the user's own code, 0: a library's
);

CREATE TABLE stacks (
	stack_id INTEGER PRIMARY KEY, -- 0: no stack was kept, 1: a stack without frames
	depth INTEGER NOT NULL,
	site TEXT NOT NULL -- "path:line function" of its innermost frame of the user's own code
);

CREATE TABLE stack_frames (
	stack_id INTEGER NOT NULL REFERENCES stacks,
	position INTEGER NOT NULL, -- 0: innermost
	frame_id INTEGER NOT NULL REFERENCES frames,
	PRIMARY KEY (stack_id, position)
) WITHOUT ROWID;

CREATE TABLE events (
	event INTEGER PRIMARY KEY, -- its index in the device's trace
	action TEXT NOT NULL, -- alloc, free_requested, free_completed, segment_alloc, oom ...
	address INTEGER,
	size INTEGER, -- as in the trace: of alloc and free what was asked for
	time_us INTEGER, -- Unix time
	stream INTEGER,
	stack_id INTEGER NOT NULL REFERENCES stacks,
	reserved_bytes INTEGER, -- of the device just after the event, as are the next three
	allocated_bytes INTEGER,
	active_bytes INTEGER,
	requested_bytes INTEGER
);

CREATE TABLE allocations ( -- every life, those that began before event 0 first
	allocation_id INTEGER PRIMARY KEY,
	address INTEGER NOT NULL,
	size INTEGER NOT NULL, -- of the block
	requested_size INTEGER,
	alloc_event INTEGER REFERENCES events, -- NULL: before event 0
	free_requested_event INTEGER, -- -1: before event 0
	free_event INTEGER REFERENCES events, -- NULL: alive at the end
	alloc_time_us INTEGER,
	free_time_us INTEGER,
	stream INTEGER NOT NULL,
	pool TEXT NOT NULL, -- default, or "[1, 0]" of a CUDA graph, "[0, 1]" of a MemPool
	category TEXT NOT NULL, -- PARAMETER, GRADIENT, ACTIVATION ...
	confidence TEXT NOT NULL, -- of the category: low, medium, high
	phase TEXT NOT NULL, -- what the program was doing: forward, backward, optimizer ...
	step INTEGER REFERENCES steps,
	annotation TEXT, -- the innermost one open when it was made
	stack_id INTEGER NOT NULL REFERENCES stacks
);

CREATE TABLE states ( -- the moments whose segments and blocks are here
	moment TEXT PRIMARY KEY, -- start, peak, oom, end, and the one of --at in its words
	event INTEGER NOT NULL, -- just after this one; -1: before event 0
	exact INTEGER NOT NULL, -- 0: what lived before event 0 is not known
	reserved_bytes INTEGER,
	allocated_bytes INTEGER,
	active_bytes INTEGER,
	requested_bytes INTEGER
);

CREATE TABLE segments (
	moment TEXT NOT NULL REFERENCES states,
	segment INTEGER NOT NULL, -- counts from 0 in each moment, by address
	address INTEGER NOT NULL,
	size INTEGER NOT NULL,
	allocated_bytes INTEGER,
	active_bytes INTEGER,
	requested_bytes INTEGER,
	stream INTEGER NOT NULL,
	pool TEXT NOT NULL,
	kind TEXT, -- small, large
	is_expandable INTEGER NOT NULL,
	alloc_event INTEGER REFERENCES events,
	alloc_stack_id INTEGER NOT NULL REFERENCES stacks, -- of the request that made it
	PRIMARY KEY (moment, segment)
) WITHOUT ROWID;

CREATE TABLE blocks (
	moment TEXT NOT NULL REFERENCES states,
	segment INTEGER NOT NULL,
	block INTEGER NOT NULL, -- counts from 0 in each moment, by address
	address INTEGER NOT NULL,
	size INTEGER NOT NULL,
	requested_size INTEGER,
	state TEXT NOT NULL, -- active_allocated, active_pending_free, inactive
	category TEXT, -- NULL: inactive, as are the next two
	allocation_id INTEGER REFERENCES allocations,
	stack_id INTEGER REFERENCES stacks,
	PRIMARY KEY (moment, block)
) WITHOUT ROWID;

CREATE TABLE steps (
	step INTEGER PRIMARY KEY,
	first_event INTEGER NOT NULL,
	last_event INTEGER NOT NULL,
	start_us INTEGER,
	end_us INTEGER,
	label TEXT, -- of the annotation that told it
	whole INTEGER NOT NULL -- 0: the trace begins or ends in the middle of it
);

CREATE TABLE phases ( -- runs of one phase; whatever nobody knows the phase of is in the run before
	phase TEXT NOT NULL,
	first_event INTEGER NOT NULL,
	last_event INTEGER NOT NULL
);

CREATE TABLE annotations (
	annotation_id INTEGER PRIMARY KEY,
	name TEXT NOT NULL,
	start_us INTEGER NOT NULL,
	end_us INTEGER NOT NULL,
	begun_before INTEGER NOT NULL, -- 1: its start was lost; start_us is the first mark of all
	never_ended INTEGER NOT NULL -- 1: it was open at the end; end_us is the last mark of all
);

CREATE TABLE ooms (
	oom INTEGER PRIMARY KEY, -- K of `--at oom:K`
	event INTEGER NOT NULL REFERENCES events,
	time_us INTEGER,
	requested_bytes INTEGER NOT NULL, -- rounded by the allocator
	device_free_bytes INTEGER,
	retried INTEGER NOT NULL, -- 1: the program asked again for less, or elsewhere, and went on
	stack_id INTEGER NOT NULL REFERENCES stacks
);

-- Questions people ask.

CREATE VIEW top_sites AS -- as `vramscope top`
SELECT moment, site, sum(size) AS bytes, count(*) AS blocks
FROM blocks JOIN stacks USING (stack_id) GROUP BY moment, site ORDER BY moment, bytes DESC, site;

CREATE VIEW top_categories AS
SELECT moment, category, sum(size) AS bytes, count(*) AS blocks
FROM blocks WHERE category IS NOT NULL GROUP BY moment, category
ORDER BY moment, bytes DESC, category;

CREATE VIEW lives AS -- allocations with their site and how long they lived
SELECT a.*, s.site, free_event - alloc_event AS lived_events,
	free_time_us - alloc_time_us AS lived_us
FROM allocations a JOIN stacks s USING (stack_id);

CREATE VIEW never_freed AS -- made in the trace and alive at its end
SELECT site, count(*) AS blocks, sum(size) AS bytes, min(alloc_event) AS first_event,
	max(alloc_event) AS last_event
FROM allocations JOIN stacks USING (stack_id)
WHERE alloc_event IS NOT NULL AND free_event IS NULL GROUP BY site ORDER BY bytes DESC, site;

CREATE VIEW step_memory AS -- of each step the highest and the last value
SELECT step, label, whole, max(e.allocated_bytes) AS peak_allocated_bytes,
	max(e.reserved_bytes) AS peak_reserved_bytes,
	(SELECT allocated_bytes FROM events WHERE event = steps.last_event) AS end_allocated_bytes
FROM steps JOIN events e ON e.event BETWEEN first_event AND last_event
GROUP BY step ORDER BY step;

CREATE VIEW idle_segments AS -- what is reserved and not used
SELECT s.moment, s.address, s.size, s.pool, s.stream, s.size - s.active_bytes AS idle_bytes,
	max(CASE WHEN state = 'inactive' THEN b.size ELSE 0 END) AS largest_hole_bytes,
	sum(state <> 'inactive') AS live_blocks
FROM segments s JOIN blocks b USING (moment, segment)
GROUP BY moment, segment HAVING idle_bytes > 0 ORDER BY s.moment, idle_bytes DESC, s.address;

CREATE VIEW stack_text AS -- the frames of a stack as lines, innermost first
SELECT stack_id, group_concat(words, char(10)) AS frames FROM (
	SELECT stack_id, ifnull(file, '') || ':' || ifnull(line, 0) || ' ' ||
		ifnull(function, '') AS words
	FROM stack_frames JOIN frames USING (frame_id) ORDER BY stack_id, position)
GROUP BY stack_id;
