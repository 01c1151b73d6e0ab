cat >x.json <<'JSON'
{"segments": [{"device": 0, "address": 2097152, "total_size": 2097152, "stream": 0,
 "segment_type": "small", "segment_pool_id": [0, 0], "is_expandable": false,
 "allocated_size": 512, "active_size": 512, "requested_size": 100, "frames": [],
 "blocks": [{"address": 2097152, "size": 1024, "requested_size": 100, "state": "active_allocated", "frames": []},
  {"address": 2098176, "size": 2096128, "requested_size": 0, "state": "inactive", "frames": []}]}],
 "device_traces": [[
  {"action": "segment_alloc", "addr": 2097152, "size": 2097152, "stream": 0, "time_us": 5, "frames": []},
  {"action": "alloc", "addr": 2097152, "size": 100, "stream": 0, "time_us": 4, "frames": []},
  {"action": "alloc", "addr": 9000000, "size": 100, "stream": 0, "time_us": 6, "frames": []},
  {"action": "free_requested", "addr": 2098176, "size": 100, "stream": 0, "time_us": 7, "frames": []}]]}
JSON
"$VRAMSCOPE" validate x.json
