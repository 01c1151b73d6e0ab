cat >two.json <<'END'
{"segments": [
{"device": 0, "address": 1048576, "total_size": 62914560, "allocated_size": 20971520, "active_size": 20971520, "requested_size": 20971520, "stream": 0, "segment_type": "large", "segment_pool_id": [0, 0], "is_expandable": false, "frames": [], "blocks": [
 {"address": 1048576, "size": 20971520, "requested_size": 20971520, "state": "active_allocated", "frames": []},
 {"address": 22020096, "size": 41943040, "requested_size": 0, "state": "inactive", "frames": []}]},
{"device": 0, "address": 104857600, "total_size": 62914560, "allocated_size": 20971520, "active_size": 20971520, "requested_size": 20971520, "stream": 99, "segment_type": "large", "segment_pool_id": [3, 0], "is_expandable": false, "frames": [], "blocks": [
 {"address": 104857600, "size": 20971520, "requested_size": 20971520, "state": "active_allocated", "frames": []},
 {"address": 125829120, "size": 41943040, "requested_size": 0, "state": "inactive", "frames": []}]},
{"device": 1, "address": 1048576, "total_size": 41943040, "allocated_size": 0, "active_size": 0, "requested_size": 0, "stream": 0, "segment_type": "large", "segment_pool_id": [0, 0], "is_expandable": false, "frames": [], "blocks": [
 {"address": 1048576, "size": 41943040, "requested_size": 0, "state": "inactive", "frames": []}]}],
"device_traces": [[
 {"action": "segment_alloc", "addr": 1048576, "size": 62914560, "stream": 0, "time_us": 1000000, "pool_id": [0, 0], "frames": []},
 {"action": "alloc", "addr": 1048576, "size": 20971520, "stream": 0, "time_us": 1000001, "pool_id": [0, 0], "frames": [{"name": "load", "filename": "/app/data.py", "line": 7}]},
 {"action": "segment_alloc", "addr": 104857600, "size": 62914560, "stream": 99, "time_us": 1000002, "pool_id": [3, 0], "frames": []},
 {"action": "alloc", "addr": 104857600, "size": 20971520, "stream": 99, "time_us": 1000003, "pool_id": [3, 0], "frames": [{"name": "capture", "filename": "/app/graph.py", "line": 9}]},
 {"action": "oom", "device_free": 4194304, "size": 41943552, "stream": 0, "time_us": 1000004, "pool_id": [0, 0], "frames": [{"name": "step", "filename": "/app/train.py", "line": 3}]},
 {"action": "oom", "device_free": 4194304, "size": 41943040, "stream": 99, "time_us": 1000005, "pool_id": [0, 0], "frames": [{"name": "step", "filename": "/app/train.py", "line": 4}]}],
[
 {"action": "segment_alloc", "addr": 1048576, "size": 41943040, "stream": 0, "time_us": 1000000, "pool_id": [0, 0], "frames": []},
 {"action": "alloc", "addr": 1048576, "size": 41943040, "stream": 0, "time_us": 1000001, "pool_id": [0, 0], "frames": [{"name": "load", "filename": "/app/data.py", "line": 7}]},
 {"action": "oom", "device_free": 4194304, "size": 1073741824, "stream": 0, "time_us": 1000002, "pool_id": [0, 0], "frames": [{"name": "step", "filename": "/app/train.py", "line": 5}]},
 {"action": "free_requested", "addr": 1048576, "size": 41943040, "stream": 0, "time_us": 1000007, "pool_id": [0, 0], "frames": []},
 {"action": "free_completed", "addr": 1048576, "size": 41943040, "stream": 0, "time_us": 1000007, "pool_id": [0, 0], "frames": []}]],
"external_annotations": [
 {"name": "epoch", "stage": "START", "device": 0, "time_us": 1000000},
 {"name": "step", "stage": "START", "device": 0, "time_us": 1000003}]}
END
"$VRAMSCOPE" validate two.json
"$VRAMSCOPE" explain two.json
"$VRAMSCOPE" explain --device 1 two.json
"$VRAMSCOPE" explain --json two.json | grep '"verdict"\|"device"\|"event"\|"pool_id"\|"fact"\|"action"\|annotations\|"name"'
