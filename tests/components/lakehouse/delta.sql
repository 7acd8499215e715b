-- Tables of Delta Lake. A heading names a table: {t} is that table, {name} is another one. A third
-- word is the function of api_tables.py that creates it before the statements run. A statement ends
-- with a semicolon at the end of a line; what is set holds until the next heading.

-- table scalars
CREATE TABLE {t} (
  flag BOOLEAN, tiny TINYINT, small SMALLINT, number INT, big BIGINT, single FLOAT, precise DOUBLE,
  price DECIMAL(12, 2), widest DECIMAL(38, 18), digit DECIMAL(1, 0), exact DECIMAL(5, 5),
  text STRING, raw BINARY, day DATE, at TIMESTAMP, local TIMESTAMP_NTZ
) USING delta;
INSERT INTO {t} (flag, number, text) VALUES (true, 1, 'a'), (false, 2, 'b'), (null, null, null);

-- table nested
CREATE TABLE {t} (
  id BIGINT,
  s STRUCT<a: INT, b: STRUCT<c: STRING, d: ARRAY<DOUBLE>>>,
  l ARRAY<STRUCT<x: INT, y: ARRAY<ARRAY<DATE>>>>,
  m MAP<STRING, STRUCT<k: DECIMAL(9, 3), v: MAP<INT, BINARY>>>,
  k MAP<STRUCT<a: INT, b: STRING>, BOOLEAN>
) USING delta;
INSERT INTO {t} (id) VALUES (1);

-- table required
CREATE TABLE {t} (
  id BIGINT NOT NULL,
  maybe INT,
  s STRUCT<a: INT NOT NULL, b: STRING, c: STRUCT<d: DATE NOT NULL>>,
  must STRUCT<a: INT NOT NULL, b: INT> NOT NULL,
  l ARRAY<STRING> NOT NULL
) USING delta;
INSERT INTO {t} VALUES (
  1, null, named_struct('a', 1, 'b', null, 'c', named_struct('d', DATE'2026-01-01')),
  named_struct('a', 1, 'b', null), array('x')
);

-- table not_required_any_more
CREATE TABLE {t} (id BIGINT NOT NULL, s STRUCT<a: INT NOT NULL>) USING delta;
ALTER TABLE {t} ALTER COLUMN id DROP NOT NULL;
ALTER TABLE {t} ALTER COLUMN s.a DROP NOT NULL;

-- table text_lengths
CREATE TABLE {t} (
  c CHAR(5), v VARCHAR(10), l ARRAY<VARCHAR(3)>, m MAP<CHAR(2), VARCHAR(4)>,
  s STRUCT<a: CHAR(3), b: ARRAY<VARCHAR(7)>, plain: STRING>, plain STRING
) USING delta;
INSERT INTO {t} (c, v) VALUES ('abc', 'defg');

-- table text_lengths_changed
CREATE TABLE {t} (v VARCHAR(10), w VARCHAR(10), s STRUCT<a: VARCHAR(3)>) USING delta;
ALTER TABLE {t} ALTER COLUMN v TYPE VARCHAR(20);
ALTER TABLE {t} ALTER COLUMN w TYPE STRING;

-- table collations
SET spark.databricks.delta.schema.typeCheck.enabled = false;
CREATE TABLE {t} (
  plain STRING, lower STRING COLLATE UTF8_LCASE, other STRING COLLATE UNICODE_CI,
  l ARRAY<STRING COLLATE UTF8_LCASE>, m MAP<STRING, STRING COLLATE UNICODE>,
  s STRUCT<a: STRING COLLATE UTF8_LCASE, b: STRING>
) USING delta;
INSERT INTO {t} (plain, lower) VALUES ('a', 'B');

-- table variants
CREATE TABLE {t} (id INT, v VARIANT, s STRUCT<w: VARIANT>, l ARRAY<VARIANT>) USING delta;
INSERT INTO {t} SELECT 1, parse_json('{"a": 1}'), null, null;

-- table nothing_yet
CREATE TABLE {t} (id INT, v VOID) USING delta;

-- table mapped_by_name
CREATE TABLE {t} (
  id INT, s STRUCT<a: INT, b: STRUCT<c: INT>>, l ARRAY<STRUCT<x: INT>>, m MAP<INT, STRUCT<y: INT>>
) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
INSERT INTO {t} (id) VALUES (1), (2);

-- table mapped_by_id
CREATE TABLE {t} (id INT, s STRUCT<a: INT, b: STRING>, text STRING) USING delta
TBLPROPERTIES ('delta.columnMapping.mode' = 'id');
INSERT INTO {t} VALUES (1, null, 'a');

-- table mapped_later
CREATE TABLE {t} (id INT, old STRING, s STRUCT<a: INT>) USING delta;
INSERT INTO {t} VALUES (1, 'a', null);
ALTER TABLE {t} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
ALTER TABLE {t} RENAME COLUMN old TO new;
ALTER TABLE {t} ADD COLUMNS (more INT);

-- table renamed
CREATE TABLE {t} (id INT, a STRING, s STRUCT<b: INT, c: INT>) USING delta
TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
ALTER TABLE {t} RENAME COLUMN a TO text;
ALTER TABLE {t} RENAME COLUMN s.b TO number;
ALTER TABLE {t} RENAME COLUMN s TO struct;
INSERT INTO {t} VALUES (1, 'a', named_struct('number', 1, 'c', 2));

-- table names_swapped
CREATE TABLE {t} (a INT, b INT) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
INSERT INTO {t} VALUES (1, 2);
ALTER TABLE {t} RENAME COLUMN a TO c;
ALTER TABLE {t} RENAME COLUMN b TO a;
ALTER TABLE {t} RENAME COLUMN c TO b;

-- table dropped
CREATE TABLE {t} (id INT, gone STRING, s STRUCT<a: INT, gone: INT>, back INT) USING delta
TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
INSERT INTO {t} VALUES (1, 'a', null, 1);
ALTER TABLE {t} DROP COLUMNS (gone, s.gone);
ALTER TABLE {t} DROP COLUMN back;
ALTER TABLE {t} ADD COLUMN back BIGINT;

-- table nested_added
CREATE TABLE {t} (
  s STRUCT<a: INT>, l ARRAY<STRUCT<a: INT>>, m MAP<STRING, STRUCT<a: INT>>
) USING delta;
ALTER TABLE {t} ADD COLUMNS (s.b STRING AFTER a, l.element.b DATE, m.value.b ARRAY<INT>);
ALTER TABLE {t} ADD COLUMNS (first INT COMMENT 'The first' FIRST, s.zero INT FIRST);

-- table reordered
CREATE TABLE {t} (a INT, b INT, c INT, s STRUCT<x: INT, y: INT>) USING delta;
INSERT INTO {t} VALUES (1, 2, 3, null);
ALTER TABLE {t} ALTER COLUMN c FIRST;
ALTER TABLE {t} ALTER COLUMN a AFTER b;
ALTER TABLE {t} ALTER COLUMN s.y FIRST;

-- table widened
CREATE TABLE {t} (
  a TINYINT, b SMALLINT, c INT, d FLOAT, e DECIMAL(10, 2), f DATE, g INT, h INT,
  s STRUCT<x: TINYINT>, l ARRAY<SMALLINT>, m MAP<TINYINT, INT>
) USING delta TBLPROPERTIES (
  'delta.enableTypeWidening' = 'true', 'delta.feature.timestampNtz' = 'supported'
);
INSERT INTO {t} (a, c) VALUES (1, 2);
ALTER TABLE {t} ALTER COLUMN a TYPE SMALLINT;
ALTER TABLE {t} ALTER COLUMN a TYPE INT;
ALTER TABLE {t} ALTER COLUMN b TYPE INT;
ALTER TABLE {t} ALTER COLUMN c TYPE BIGINT;
ALTER TABLE {t} ALTER COLUMN d TYPE DOUBLE;
ALTER TABLE {t} ALTER COLUMN e TYPE DECIMAL(14, 4);
ALTER TABLE {t} ALTER COLUMN f TYPE TIMESTAMP_NTZ;
ALTER TABLE {t} ALTER COLUMN g TYPE DOUBLE;
ALTER TABLE {t} ALTER COLUMN h TYPE DECIMAL(12, 2);
ALTER TABLE {t} ALTER COLUMN s.x TYPE INT;
ALTER TABLE {t} ALTER COLUMN l.element TYPE INT;
ALTER TABLE {t} ALTER COLUMN m.key TYPE SMALLINT;
ALTER TABLE {t} ALTER COLUMN m.value TYPE BIGINT;
INSERT INTO {t} (a, c) VALUES (100000, 20000000000);

-- table generated generated
INSERT INTO {t} (id, at) VALUES (1, TIMESTAMP'2026-01-01 00:00:00');

-- table identity identity
INSERT INTO {t} (text) VALUES ('a'), ('b');

-- table defaults
CREATE TABLE {t} (
  id INT DEFAULT 7, text STRING DEFAULT 'it''s', day DATE DEFAULT current_date(),
  price DECIMAL(5, 2) DEFAULT 1.50, flag BOOLEAN DEFAULT true, none INT
) USING delta TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported');
INSERT INTO {t} (none) VALUES (1);
ALTER TABLE {t} ALTER COLUMN none SET DEFAULT 5;
ALTER TABLE {t} ALTER COLUMN flag DROP DEFAULT;

-- table constraints
CREATE TABLE {t} (id INT NOT NULL, price DOUBLE, text STRING) USING delta;
ALTER TABLE {t} ADD CONSTRAINT positive CHECK (price > 0);
ALTER TABLE {t} ADD CONSTRAINT named CHECK (text IS NOT NULL AND length(text) < 10);
ALTER TABLE {t} ADD CONSTRAINT temporary CHECK (id < 1000);
ALTER TABLE {t} DROP CONSTRAINT temporary;
INSERT INTO {t} VALUES (1, 1.5, 'a');

-- table clustered
CREATE TABLE {t} (id INT, day DATE, s STRUCT<a: INT, b: STRING>) USING delta
CLUSTER BY (day, s.a);
INSERT INTO {t} VALUES (1, DATE'2026-01-01', null);

-- table clustered_and_renamed
CREATE TABLE {t} (id INT, day DATE, text STRING) USING delta CLUSTER BY (day, id)
TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
ALTER TABLE {t} RENAME COLUMN day TO date;

-- table clustered_no_more
CREATE TABLE {t} (id INT, day DATE) USING delta CLUSTER BY (day);
INSERT INTO {t} VALUES (1, DATE'2026-01-01');
ALTER TABLE {t} CLUSTER BY NONE;

-- table partitioned
CREATE TABLE {t} (id INT, country STRING, day DATE, hour INT) USING delta
PARTITIONED BY (day, country);
INSERT INTO {t} VALUES (1, 'de', DATE'2026-01-01', 1), (2, null, DATE'2026-01-02', 2);

-- table partitioned_and_renamed
CREATE TABLE {t} (id INT, country STRING, Day DATE) USING delta PARTITIONED BY (country, Day)
TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
INSERT INTO {t} VALUES (1, 'de', DATE'2026-01-01');
ALTER TABLE {t} RENAME COLUMN country TO land;

-- table deletion_vectors
CREATE TABLE {t} (id BIGINT, text STRING) USING delta
TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');
INSERT INTO {t} SELECT id, 'a' FROM range(0, 100, 1, 1);
DELETE FROM {t} WHERE id % 7 = 0;
UPDATE {t} SET text = 'b' WHERE id = 5;

-- table checkpointed
CREATE TABLE {t} (id INT, s STRUCT<a: INT>) USING delta
TBLPROPERTIES ('delta.checkpointInterval' = '2');
INSERT INTO {t} VALUES (1, null);
INSERT INTO {t} VALUES (2, null);
ALTER TABLE {t} ADD COLUMNS (more STRING);
INSERT INTO {t} VALUES (3, null, 'a');
INSERT INTO {t} VALUES (4, null, 'a');

-- table checkpointed_in_parts
SET spark.databricks.delta.checkpoint.partSize = 2;
CREATE TABLE {t} (id INT, text STRING) USING delta TBLPROPERTIES ('delta.checkpointInterval' = '4');
INSERT INTO {t} VALUES (1, 'a');
INSERT INTO {t} VALUES (2, 'a');
INSERT INTO {t} VALUES (3, 'a');
INSERT INTO {t} VALUES (4, 'a');
INSERT INTO {t} VALUES (5, 'a');

-- table checkpointed_v2
SET spark.databricks.delta.checkpointV2.topLevelFileFormat = parquet;
SET spark.databricks.delta.checkpoint.partSize = 2;
CREATE TABLE {t} (id INT, text STRING) USING delta
TBLPROPERTIES ('delta.checkpointPolicy' = 'v2', 'delta.checkpointInterval' = '4');
INSERT INTO {t} VALUES (1, 'a');
INSERT INTO {t} VALUES (2, 'a');
INSERT INTO {t} VALUES (3, 'a');
INSERT INTO {t} VALUES (4, 'a');
DELETE FROM {t} WHERE id = 2;
INSERT INTO {t} VALUES (5, 'a');

-- table checkpointed_v2_as_json
SET spark.databricks.delta.checkpointV2.topLevelFileFormat = json;
CREATE TABLE {t} (id INT, text STRING) USING delta CLUSTER BY (id)
TBLPROPERTIES ('delta.checkpointPolicy' = 'v2', 'delta.checkpointInterval' = '2');
INSERT INTO {t} VALUES (1, 'a');
INSERT INTO {t} VALUES (2, 'a');
INSERT INTO {t} VALUES (3, 'a');

-- table checkpointed_with_struct_stats
CREATE TABLE {t} (id INT, text STRING) USING delta TBLPROPERTIES (
  'delta.checkpointInterval' = '2', 'delta.checkpoint.writeStatsAsStruct' = 'true',
  'delta.checkpoint.writeStatsAsJson' = 'false'
);
INSERT INTO {t} VALUES (1, 'a'), (2, 'b');
INSERT INTO {t} VALUES (3, 'a');

-- table many_commits
CREATE TABLE {t} (id INT) USING delta;
INSERT INTO {t} VALUES (1);
INSERT INTO {t} VALUES (2);
INSERT INTO {t} VALUES (3);
ALTER TABLE {t} ADD COLUMNS (a INT);
UPDATE {t} SET a = 1 WHERE id = 2;
DELETE FROM {t} WHERE id = 3;
ALTER TABLE {t} ADD COLUMNS (b STRING);
MERGE INTO {t} AS t USING (SELECT 1 AS id) AS s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET b = 'x' WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id);
INSERT INTO {t} VALUES (5, 5, 'five');
OPTIMIZE {t};
COMMENT ON TABLE {t} IS 'Grew with time';
ALTER TABLE {t} ALTER COLUMN id COMMENT 'The id';

-- table replaced
CREATE TABLE {t} (id INT, old STRING) USING delta PARTITIONED BY (old);
INSERT INTO {t} VALUES (1, 'a');
CREATE OR REPLACE TABLE {t} (key STRING NOT NULL, value DOUBLE) USING delta COMMENT 'Another one';
INSERT INTO {t} VALUES ('a', 1.5), ('b', 2.5);

-- table replaced_and_mapped
CREATE TABLE {t} (id INT, old STRING) USING delta
TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
CREATE OR REPLACE TABLE {t} (id INT, value DOUBLE) USING delta
TBLPROPERTIES ('delta.columnMapping.mode' = 'name');

-- table selected
CREATE TABLE {t} USING delta PARTITIONED BY (part) COMMENT 'From a query' AS
SELECT id, id % 2 AS part, CAST(id AS DECIMAL(10, 1)) AS price, array(id, null) AS l,
  named_struct('a', id, 'b', 'x') AS s, map('k', 1) AS m, current_timestamp() AS at
FROM range(10);

-- table overwritten
CREATE TABLE {t} (id BIGINT, text STRING) USING delta;
INSERT INTO {t} VALUES (1, 'a'), (2, 'b');
INSERT OVERWRITE {t} VALUES (3, 'c');

-- table restored
CREATE TABLE {t} (id INT) USING delta;
INSERT INTO {t} VALUES (1);
ALTER TABLE {t} ADD COLUMNS (more STRING);
INSERT INTO {t} VALUES (2, 'a');
RESTORE TABLE {t} TO VERSION AS OF 1;

-- table properties
CREATE TABLE {t} (id INT COMMENT 'The id', s STRUCT<a: INT COMMENT 'Inside'>) USING delta
COMMENT 'A table with words' TBLPROPERTIES (
  'delta.appendOnly' = 'true', 'delta.logRetentionDuration' = 'interval 10 days',
  'delta.dataSkippingNumIndexedCols' = '3', 'team' = 'ours', 'delta.randomizeFilePrefixes' = 'true'
);

-- table cloned
CREATE TABLE {t} SHALLOW CLONE {mapped_by_name};

-- table row_tracking
CREATE TABLE {t} (id INT, text STRING) USING delta TBLPROPERTIES ('delta.enableRowTracking' = 'true');
INSERT INTO {t} VALUES (1, 'a'), (2, 'b');
UPDATE {t} SET text = 'c' WHERE id = 1;

-- table commit_timestamps
CREATE TABLE {t} (id INT) USING delta TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true');
INSERT INTO {t} VALUES (1);

-- table change_feed
CREATE TABLE {t} (id INT, text STRING) USING delta
TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true');
INSERT INTO {t} VALUES (1, 'a'), (2, 'b');
UPDATE {t} SET text = 'c' WHERE id = 1;

-- table names_with_signs
CREATE TABLE {t} (
  `a b` INT, `x.y` STRUCT<`p;q`: INT, `r.s`: ARRAY<INT>>, `ü` STRING, `UPPER` INT, `back``tick` INT
) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
INSERT INTO {t} VALUES (1, null, 'a', 2, 3);

-- table for_iceberg
CREATE TABLE {t} (id INT, l ARRAY<STRUCT<x: INT>>, m MAP<STRING, ARRAY<INT>>) USING delta
TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.enableIcebergCompatV2' = 'true');
INSERT INTO {t} VALUES (1, null, null);

-- table schema_merged
SET spark.databricks.delta.schema.autoMerge.enabled = true;
CREATE TABLE {t} (id INT, s STRUCT<a: INT>) USING delta;
INSERT INTO {t} SELECT 1 AS id, named_struct('a', 1, 'b', 'x') AS s;
INSERT INTO {t} BY NAME SELECT 2 AS id, named_struct('a', 1, 'b', 'x') AS s, true AS new;

-- table feature_dropped
CREATE TABLE {t} (id INT, text STRING) USING delta
TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.enableTypeWidening' = 'true');
INSERT INTO {t} VALUES (1, 'a'), (2, 'b');
ALTER TABLE {t} DROP FEATURE typeWidening;

-- table converted
CREATE TABLE {t} (id INT, text STRING, part INT) USING parquet PARTITIONED BY (part);
INSERT INTO {t} VALUES (1, 'a', 1), (2, 'b', 2);
CONVERT TO DELTA {t};

-- table vacuumed
SET spark.databricks.delta.retentionDurationCheck.enabled = false;
CREATE TABLE {t} (id INT, text STRING) USING delta;
INSERT INTO {t} VALUES (1, 'a'), (2, 'b');
UPDATE {t} SET text = 'c';
VACUUM {t} RETAIN 0 HOURS;

-- table mapped_no_more
CREATE TABLE {t} (id INT, s STRUCT<a: INT>) USING delta
TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
INSERT INTO {t} VALUES (1, named_struct('a', 1));
ALTER TABLE {t} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'none');

-- table required_in_lists
SET spark.databricks.delta.constraints.allowUnenforcedNotNull.enabled = true;
CREATE TABLE {t} (
  l ARRAY<STRUCT<a: INT NOT NULL>>, m MAP<STRING, STRUCT<b: STRING NOT NULL, c: DATE>>
) USING delta;

-- table deep
CREATE TABLE {t} (
  a STRUCT<b: ARRAY<MAP<STRING, STRUCT<c: ARRAY<ARRAY<STRUCT<d: MAP<INT, ARRAY<STRUCT<e: STRUCT<f: INT>>>>>>>>>>>
) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'id');

-- table mapped_and_widened
CREATE TABLE {t} (a INT, s STRUCT<x: SMALLINT, y: INT>) USING delta TBLPROPERTIES (
  'delta.columnMapping.mode' = 'name', 'delta.enableTypeWidening' = 'true'
);
INSERT INTO {t} VALUES (1, null);
ALTER TABLE {t} ALTER COLUMN a TYPE BIGINT;
ALTER TABLE {t} RENAME COLUMN a TO b;
ALTER TABLE {t} ALTER COLUMN s.x TYPE INT;
ALTER TABLE {t} RENAME COLUMN s.x TO z;
ALTER TABLE {t} ALTER COLUMN b FIRST;

-- table shredded
CREATE TABLE {t} (id INT, v VARIANT) USING delta
TBLPROPERTIES ('delta.enableVariantShredding' = 'true');

-- table times
SET spark.sql.timeType.enabled = true;
SET spark.databricks.delta.schema.typeCheck.enabled = false;
CREATE TABLE {t} (id INT, t TIME(6)) USING delta;

-- table intervals
SET spark.databricks.delta.schema.typeCheck.enabled = false;
CREATE TABLE {t} (
  y INTERVAL YEAR TO MONTH, d INTERVAL DAY TO SECOND, m INTERVAL MONTH, h INTERVAL HOUR TO MINUTE
) USING delta;
