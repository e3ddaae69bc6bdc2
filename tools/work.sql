-- Work of a known size for sqlite3, all of it on one CPU: the demo profiles it, the benchmark
-- measures with it. How much is set by   sqlite3 -cmd '.parameter set :n 400000' :memory:
CREATE TABLE word (id INTEGER PRIMARY KEY, w TEXT, n INTEGER);
WITH RECURSIVE i(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM i WHERE k < :n)
	INSERT INTO word
	SELECT k, printf('%08x', k * 2654435761 % 4294967296), k * 7919 % 30011 FROM i;
CREATE INDEX word_n ON word (n, w);
SELECT count(*) FROM word WHERE w GLOB '*[a-f]?[0-4]*' AND w LIKE '%3%';
SELECT sum(length(a.w || b.w)) FROM word a JOIN word b ON a.n = b.n WHERE a.id % 3 = 0;
SELECT n, length(group_concat(w)) FROM word GROUP BY n ORDER BY sum(length(w)) DESC, n LIMIT 3;
SELECT count(*)
	FROM (SELECT row_number() OVER (PARTITION BY n ORDER BY w) AS r FROM word) WHERE r = 2;
