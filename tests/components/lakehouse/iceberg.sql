-- Tables of Apache Iceberg. A heading names a table: {t} is that table, in a Hadoop catalog where
-- its name begins with `hadoop`, in a JDBC catalog else; {catalog} is the catalog. A third word is
-- the function of api_tables.py that creates it before the statements run.

-- table hadoop/scalars_v1
CREATE TABLE {t} (
  flag BOOLEAN, tiny TINYINT, small SMALLINT, number INT, big BIGINT, single FLOAT, precise DOUBLE,
  price DECIMAL(12, 2), widest DECIMAL(38, 18), digit DECIMAL(1, 0), text STRING, c CHAR(5),
  v VARCHAR(9), raw BINARY, day DATE, at TIMESTAMP, local TIMESTAMP_NTZ
) USING iceberg TBLPROPERTIES ('format-version' = '1');
INSERT INTO {t} (flag, number, text) VALUES (true, 1, 'a'), (false, 2, 'b');

-- table hadoop/scalars_v2
CREATE TABLE {t} (
  flag BOOLEAN, number INT, big BIGINT, single FLOAT, precise DOUBLE, price DECIMAL(12, 2),
  text STRING, raw BINARY, day DATE, at TIMESTAMP, local TIMESTAMP_NTZ
) USING iceberg TBLPROPERTIES ('format-version' = '2');
INSERT INTO {t} (flag, number) VALUES (true, 1), (false, 2), (null, null);

-- table hadoop/types_of_the_api types

-- table hadoop/types_without_spark types_without_spark

-- table hadoop/nested_v1
CREATE TABLE {t} (
  id BIGINT, s STRUCT<a: INT, b: STRUCT<c: STRING, d: ARRAY<DOUBLE>>>,
  l ARRAY<STRUCT<x: INT, y: ARRAY<ARRAY<DATE>>>>,
  m MAP<STRING, STRUCT<k: DECIMAL(9, 3), v: MAP<INT, BINARY>>>, k MAP<STRUCT<a: INT>, BOOLEAN>
) USING iceberg TBLPROPERTIES ('format-version' = '1');
INSERT INTO {t} (id) VALUES (1);

-- table hadoop/nested_v3
CREATE TABLE {t} (
  id BIGINT, s STRUCT<a: INT, b: STRUCT<c: STRING, d: ARRAY<DOUBLE>>>,
  l ARRAY<STRUCT<x: INT, y: VARIANT>>, m MAP<STRING, ARRAY<VARIANT>>
) USING iceberg TBLPROPERTIES ('format-version' = '3');
INSERT INTO {t} (id) VALUES (1);

-- table hadoop/required
CREATE TABLE {t} (
  id BIGINT NOT NULL, maybe INT, s STRUCT<a: INT NOT NULL, b: STRING>,
  must STRUCT<a: INT NOT NULL, b: INT> NOT NULL, l ARRAY<STRING> NOT NULL
) USING iceberg;
ALTER TABLE {t} ALTER COLUMN l DROP NOT NULL;
INSERT INTO {t} VALUES (1, null, null, named_struct('a', 1, 'b', null), null);

-- table hadoop/required_inside required_inside

-- table hadoop/identified
CREATE TABLE {t} (id BIGINT NOT NULL, at TIMESTAMP NOT NULL, s STRUCT<k: STRING NOT NULL> NOT NULL)
USING iceberg;
ALTER TABLE {t} SET IDENTIFIER FIELDS id, s.k;

-- table hadoop/identified_less
CREATE TABLE {t} (id BIGINT NOT NULL, key STRING NOT NULL) USING iceberg;
ALTER TABLE {t} SET IDENTIFIER FIELDS id, key;
ALTER TABLE {t} DROP IDENTIFIER FIELDS key;

-- table hadoop/added
CREATE TABLE {t} (id INT, s STRUCT<a: INT>, l ARRAY<STRUCT<a: INT>>, m MAP<STRING, STRUCT<a: INT>>)
USING iceberg;
INSERT INTO {t} (id) VALUES (1);
ALTER TABLE {t} ADD COLUMNS (more STRING COMMENT 'New', s.b DATE, l.element.b INT, m.value.b INT);
ALTER TABLE {t} ADD COLUMN first INT FIRST;
ALTER TABLE {t} ADD COLUMN s.between INT AFTER a;
INSERT INTO {t} (id, more) VALUES (2, 'a');

-- table hadoop/renamed
CREATE TABLE {t} (id INT, a STRING, s STRUCT<b: INT>, l ARRAY<STRUCT<c: INT>>) USING iceberg;
ALTER TABLE {t} RENAME COLUMN a TO text;
ALTER TABLE {t} RENAME COLUMN s.b TO number;
ALTER TABLE {t} RENAME COLUMN l.element.c TO number;

-- table hadoop/names_swapped
CREATE TABLE {t} (a INT, b INT) USING iceberg;
INSERT INTO {t} VALUES (1, 2);
ALTER TABLE {t} RENAME COLUMN a TO c;
ALTER TABLE {t} RENAME COLUMN b TO a;
ALTER TABLE {t} RENAME COLUMN c TO b;

-- table hadoop/dropped
CREATE TABLE {t} (id INT, gone STRING, s STRUCT<a: INT, gone: INT>, back INT) USING iceberg;
ALTER TABLE {t} DROP COLUMNS gone, s.gone;
ALTER TABLE {t} DROP COLUMN back;
ALTER TABLE {t} ADD COLUMN back BIGINT;

-- table hadoop/reordered
CREATE TABLE {t} (a INT, b INT, c INT, s STRUCT<x: INT, y: INT>) USING iceberg;
ALTER TABLE {t} ALTER COLUMN c FIRST;
ALTER TABLE {t} ALTER COLUMN a AFTER b;
ALTER TABLE {t} ALTER COLUMN s.y FIRST;

-- table hadoop/widened
CREATE TABLE {t} (a INT, b FLOAT, c DECIMAL(5, 2), s STRUCT<x: INT>, l ARRAY<FLOAT>) USING iceberg;
INSERT INTO {t} (a) VALUES (1);
ALTER TABLE {t} ALTER COLUMN a TYPE BIGINT;
ALTER TABLE {t} ALTER COLUMN b TYPE DOUBLE;
ALTER TABLE {t} ALTER COLUMN c TYPE DECIMAL(12, 2);
ALTER TABLE {t} ALTER COLUMN s.x TYPE BIGINT;
ALTER TABLE {t} ALTER COLUMN l.element TYPE DOUBLE;

-- table hadoop/partitioned
CREATE TABLE {t} (
  id BIGINT, text STRING, day DATE, at TIMESTAMP, local TIMESTAMP_NTZ, s STRUCT<a: INT, raw: BINARY>
) USING iceberg PARTITIONED BY (
  bucket(16, id), truncate(3, text), text, years(day), months(at), hours(local), s.a
);

-- table hadoop/partitioned_by_days
CREATE TABLE {t} (id BIGINT, at TIMESTAMP) USING iceberg PARTITIONED BY (days(at));
INSERT INTO {t} VALUES (1, TIMESTAMP'2026-01-01 00:00:00'), (2, TIMESTAMP'2026-01-02 00:00:00');

-- table hadoop/partitions_changed_v1
CREATE TABLE {t} (id BIGINT, day DATE, text STRING) USING iceberg PARTITIONED BY (text, months(day))
TBLPROPERTIES ('format-version' = '1');
INSERT INTO {t} VALUES (1, DATE'2026-01-01', 'a');
ALTER TABLE {t} DROP PARTITION FIELD text;
ALTER TABLE {t} ADD PARTITION FIELD bucket(4, id) AS shard;
INSERT INTO {t} VALUES (2, DATE'2026-01-01', 'a');

-- table hadoop/partitions_changed_v2
CREATE TABLE {t} (id BIGINT, day DATE, text STRING) USING iceberg PARTITIONED BY (text, months(day))
TBLPROPERTIES ('format-version' = '2');
INSERT INTO {t} VALUES (1, DATE'2026-01-01', 'a');
ALTER TABLE {t} DROP PARTITION FIELD text;
ALTER TABLE {t} REPLACE PARTITION FIELD day_month WITH days(day);
ALTER TABLE {t} ADD PARTITION FIELD truncate(id, 100);
ALTER TABLE {t} RENAME COLUMN id TO number;

-- table hadoop/partitions_removed
CREATE TABLE {t} (id BIGINT, text STRING) USING iceberg PARTITIONED BY (text);
INSERT INTO {t} VALUES (1, 'a');
ALTER TABLE {t} DROP PARTITION FIELD text;
ALTER TABLE {t} DROP COLUMN text;

-- table hadoop/sorted
CREATE TABLE {t} (id BIGINT, at TIMESTAMP, text STRING) USING iceberg;
ALTER TABLE {t} WRITE ORDERED BY days(at) DESC NULLS LAST, id, bucket(4, text) ASC NULLS FIRST;

-- table hadoop/sorted_no_more
CREATE TABLE {t} (id BIGINT) USING iceberg;
ALTER TABLE {t} WRITE ORDERED BY id DESC;
ALTER TABLE {t} WRITE UNORDERED;

-- table hadoop/distributed
CREATE TABLE {t} (id BIGINT, text STRING) USING iceberg PARTITIONED BY (text);
ALTER TABLE {t} WRITE DISTRIBUTED BY PARTITION LOCALLY ORDERED BY id;

-- table hadoop/branches
CREATE TABLE {t} (id BIGINT) USING iceberg;
INSERT INTO {t} VALUES (1);
ALTER TABLE {t} CREATE BRANCH audit;
ALTER TABLE {t} CREATE TAG `released-1` RETAIN 30 DAYS;
INSERT INTO {t}.branch_audit VALUES (2), (3);
ALTER TABLE {t} ADD COLUMN more INT;

-- table hadoop/deletes_v2
CREATE TABLE {t} (id BIGINT, text STRING) USING iceberg TBLPROPERTIES (
  'format-version' = '2', 'write.delete.mode' = 'merge-on-read', 'write.update.mode' = 'merge-on-read'
);
INSERT INTO {t} SELECT id, 'a' FROM range(0, 100, 1, 1);
DELETE FROM {t} WHERE id % 7 = 0;
UPDATE {t} SET text = 'b' WHERE id = 5;

-- table hadoop/deletes_v3
CREATE TABLE {t} (id BIGINT, text STRING) USING iceberg TBLPROPERTIES (
  'format-version' = '3', 'write.delete.mode' = 'merge-on-read', 'write.update.mode' = 'merge-on-read'
);
INSERT INTO {t} SELECT id, 'a' FROM range(0, 100, 1, 1);
DELETE FROM {t} WHERE id % 7 = 0;
UPDATE {t} SET text = 'b' WHERE id = 5;

-- table hadoop/row_lineage
CREATE TABLE {t} (id BIGINT, text STRING) USING iceberg TBLPROPERTIES ('format-version' = '3');
INSERT INTO {t} VALUES (1, 'a'), (2, 'b');
UPDATE {t} SET text = 'c' WHERE id = 1;

-- table hadoop/variants
CREATE TABLE {t} (id INT, v VARIANT, s STRUCT<w: VARIANT>) USING iceberg
TBLPROPERTIES ('format-version' = '3');
INSERT INTO {t} SELECT 1, parse_json('{"a": 1}'), null;

-- table hadoop/defaults defaults
INSERT INTO {t} (id) VALUES (1);

-- table hadoop/gzip
CREATE TABLE {t} (id INT, text STRING) USING iceberg
TBLPROPERTIES ('write.metadata.compression-codec' = 'gzip');
INSERT INTO {t} VALUES (1, 'a');
ALTER TABLE {t} ADD COLUMN more DOUBLE;

-- table hadoop/replaced
CREATE TABLE {t} (id INT, old STRING) USING iceberg PARTITIONED BY (old);
INSERT INTO {t} VALUES (1, 'a');
CREATE OR REPLACE TABLE {t} (old DOUBLE, key STRING NOT NULL) USING iceberg COMMENT 'Another one';

-- table hadoop/selected
CREATE TABLE {t} USING iceberg PARTITIONED BY (part) COMMENT 'From a query' AS
SELECT id, id % 2 AS part, CAST(id AS DECIMAL(10, 1)) AS price, array(id, null) AS l,
  named_struct('a', id, 'b', 'x') AS s, map('k', 1) AS m
FROM range(10);

-- table hadoop/upgraded
CREATE TABLE {t} (id INT, text STRING) USING iceberg TBLPROPERTIES ('format-version' = '1');
INSERT INTO {t} VALUES (1, 'a');
ALTER TABLE {t} SET TBLPROPERTIES ('format-version' = '2');
INSERT INTO {t} VALUES (2, 'a');
ALTER TABLE {t} SET TBLPROPERTIES ('format-version' = '3');
ALTER TABLE {t} ADD COLUMN v VARIANT;

-- table hadoop/rewritten
CREATE TABLE {t} (id INT, text STRING) USING iceberg TBLPROPERTIES (
  'write.metadata.delete-after-commit.enabled' = 'true', 'write.metadata.previous-versions-max' = '2'
);
INSERT INTO {t} VALUES (1, 'a');
INSERT INTO {t} VALUES (2, 'a');
INSERT INTO {t} VALUES (3, 'a');
CALL {catalog}.system.rewrite_data_files(table => '{t}', options => map('min-input-files', '2'));
CALL {catalog}.system.rewrite_manifests('{t}');
CALL {catalog}.system.expire_snapshots(table => '{t}', older_than => TIMESTAMP'2100-01-01 00:00:00');

-- table hadoop/rolled_back
CREATE TABLE {t} (id INT) USING iceberg;
INSERT INTO {t} VALUES (1);
ALTER TABLE {t} CREATE TAG first;
ALTER TABLE {t} ADD COLUMN more INT;
INSERT INTO {t} VALUES (2, 2), (3, 3);
CALL {catalog}.system.set_current_snapshot(table => '{t}', ref => 'first');

-- table hadoop/overwritten
CREATE TABLE {t} (id INT, text STRING) USING iceberg;
INSERT INTO {t} VALUES (1, 'a'), (2, 'b');
INSERT OVERWRITE {t} VALUES (3, 'c');
DELETE FROM {t} WHERE id = 7;

-- table hadoop/emptied
CREATE TABLE {t} (id INT) USING iceberg;
INSERT INTO {t} VALUES (1);
DELETE FROM {t};

-- table hadoop/properties
CREATE TABLE {t} (id INT COMMENT 'The id', s STRUCT<a: INT COMMENT 'Inside'>) USING iceberg
COMMENT 'A table with words' TBLPROPERTIES (
  'write.format.default' = 'orc', 'write.orc.compression-codec' = 'zstd', 'team' = 'ours',
  'history.expire.max-snapshot-age-ms' = '3600000', 'commit.retry.num-retries' = '7'
);
ALTER TABLE {t} UNSET TBLPROPERTIES ('team');

-- table hadoop/avro_files
CREATE TABLE {t} (id INT, text STRING) USING iceberg TBLPROPERTIES ('write.format.default' = 'avro');
INSERT INTO {t} VALUES (1, 'a');

-- table hadoop/names_with_signs
CREATE TABLE {t} (`a b` INT, `x.y` INT, `ü` STRING, s STRUCT<`p;q`: INT>, `UPPER` INT) USING iceberg;
INSERT INTO {t} VALUES (1, 2, 'a', null, 3);

-- table jdbc/plain
CREATE TABLE {t} (id INT NOT NULL, text STRING) USING iceberg PARTITIONED BY (text);
INSERT INTO {t} VALUES (1, 'a'), (2, 'b');

-- table jdbc/evolved
CREATE TABLE {t} (id INT, a STRING) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE {t} RENAME COLUMN a TO b;
ALTER TABLE {t} ADD COLUMN c VARIANT;
ALTER TABLE {t} ALTER COLUMN id TYPE BIGINT;

-- table jdbc/gzip
CREATE TABLE {t} (id INT) USING iceberg TBLPROPERTIES ('write.metadata.compression-codec' = 'gzip');
INSERT INTO {t} VALUES (1);

-- table jdbc/replaced
CREATE TABLE {t} (id INT) USING iceberg;
INSERT INTO {t} VALUES (1);
CREATE OR REPLACE TABLE {t} USING iceberg AS SELECT 'a' AS key, 1.5D AS value;

-- table hadoop/files_added
CREATE TABLE spark_catalog.default.plain_files USING parquet AS SELECT 1 AS id, 'a' AS text;
CREATE TABLE {t} (id INT, text STRING) USING iceberg;
CALL {catalog}.system.add_files(table => '{t}', source_table => 'spark_catalog.default.plain_files');

-- table hadoop/deep
CREATE TABLE {t} (
  a STRUCT<b: ARRAY<MAP<STRING, STRUCT<c: ARRAY<ARRAY<STRUCT<d: MAP<INT, ARRAY<STRUCT<e: STRUCT<f: INT>>>>>>>>>>>
) USING iceberg;

-- table hadoop/words_changed
CREATE TABLE {t} (id INT COMMENT 'Old', s STRUCT<a: INT>) USING iceberg;
COMMENT ON TABLE {t} IS 'New words';
ALTER TABLE {t} ALTER COLUMN id COMMENT 'New';
ALTER TABLE {t} ALTER COLUMN s.a COMMENT 'Inside';

-- table hadoop/published
CREATE TABLE {t} (id INT) USING iceberg TBLPROPERTIES ('write.wap.enabled' = 'true');
INSERT INTO {t} VALUES (1);
SET spark.wap.id = 'today';
INSERT INTO {t} VALUES (2), (3);

-- table hadoop/v3_evolved
CREATE TABLE {t} (id INT NOT NULL, a FLOAT, s STRUCT<x: INT>, day DATE) USING iceberg
PARTITIONED BY (days(day)) TBLPROPERTIES ('format-version' = '3');
INSERT INTO {t} VALUES (1, 1.5, null, DATE'2026-01-01');
ALTER TABLE {t} ALTER COLUMN a TYPE DOUBLE;
ALTER TABLE {t} RENAME COLUMN day TO date;
ALTER TABLE {t} ADD COLUMNS (s.y VARIANT, l ARRAY<STRUCT<z: BINARY>>);
ALTER TABLE {t} DROP COLUMN s.x;
ALTER TABLE {t} REPLACE PARTITION FIELD day_day WITH bucket(8, id);
DELETE FROM {t} WHERE id = 1;

-- table hadoop/equal_names
SET spark.sql.caseSensitive = true;
CREATE TABLE {t} (a INT, A STRING, s STRUCT<b: INT, B: INT>) USING iceberg;

-- view jdbc/numbers
CREATE VIEW {t} (number COMMENT 'A number', twice) COMMENT 'Numbers' AS
SELECT id, id * 2 FROM {jdbc/plain};
