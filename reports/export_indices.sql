-- SPDX-License-Identifier: MIT
-- export_indices.sql -- made when the rows are there: sorting once is faster than one by one.

CREATE INDEX allocations_address ON allocations (address);
CREATE INDEX allocations_stack ON allocations (stack_id);
CREATE INDEX allocations_free ON allocations (free_event);
CREATE INDEX blocks_stack ON blocks (stack_id);
ANALYZE;
