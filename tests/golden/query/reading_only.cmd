# Statements that write, set, reach out of the file or run code are refused; those that ask are not.
"$VRAMSCOPE" batch --db -o out "$TESTDATA"/oom_split_pinned.pickle.zst >/dev/null 2>&1
cksum <out/summary.sqlite >before
ask() {
	echo "$1"
	"$VRAMSCOPE" query --csv out/summary.sqlite "$1"
	echo "status $?"
}
for sql in "INSERT INTO files (file) VALUES ('x')" 'UPDATE files SET file = 1' 'DROP TABLE files' \
	'CREATE TEMP TABLE t (x)' 'CREATE VIRTUAL TABLE temp.t USING fts5(x)' 'VACUUM INTO "other.sqlite"' \
	"ATTACH 'other.sqlite' AS x" 'BEGIN' 'REINDEX' 'ANALYZE' 'PRAGMA user_version = 7' \
	'PRAGMA journal_mode = WAL' 'PRAGMA temp_store_directory = "."' 'PRAGMA writable_schema = 1' \
	'PRAGMA hard_heap_limit = 0' 'SELECT * FROM pragma_journal_mode' \
	"SELECT replace(hex(zeroblob(60000000)), '0', '00')"; do
	ask "$sql"
done 2>&1
# What SQLite is built with, is told in its own words.
for sql in "SELECT load_extension('x')" "SELECT writefile('other', 'x')" "SELECT fts3_tokenizer('simple')" \
	'SELECT * FROM dbstat' "SELECT * FROM fts5vocab('a', 'b')"; do
	"$VRAMSCOPE" query out/summary.sqlite "$sql" 2>/dev/null && echo "$sql is answered"
done
for sql in 'PRAGMA user_version' 'SELECT count(*) FROM pragma_table_info("same_failure")' 'PRAGMA quick_check' \
	"SELECT value FROM json_each('[1,2]')" 'WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT sum(i) FROM n'; do
	ask "$sql"
done 2>&1
cksum <out/summary.sqlite | cmp - before
ls
