-- Tables of Apache Hudi. A heading names a table: {t} is that table. What is set holds until the
-- next heading.

-- table cow
CREATE TABLE {t} (id INT, text STRING, price DOUBLE, ts BIGINT) USING hudi
TBLPROPERTIES (type = 'cow', primaryKey = 'id', preCombineField = 'ts');
INSERT INTO {t} VALUES (1, 'a', 1.5, 1), (2, 'b', 2.5, 1);
UPDATE {t} SET text = 'c' WHERE id = 1;

-- table mor
CREATE TABLE {t} (id INT, text STRING, ts BIGINT) USING hudi
TBLPROPERTIES (type = 'mor', primaryKey = 'id', preCombineField = 'ts');
INSERT INTO {t} VALUES (1, 'a', 1), (2, 'b', 1);
UPDATE {t} SET text = 'c' WHERE id = 1;
DELETE FROM {t} WHERE id = 2;

-- table cow_of_version_6
SET hoodie.write.table.version = 6;
CREATE TABLE {t} (id INT, text STRING, ts BIGINT) USING hudi
TBLPROPERTIES (type = 'cow', primaryKey = 'id', preCombineField = 'ts', hoodie.write.table.version = '6');
INSERT INTO {t} VALUES (1, 'a', 1), (2, 'b', 1);
UPDATE {t} SET text = 'c' WHERE id = 1;

-- table mor_of_version_6
SET hoodie.write.table.version = 6;
CREATE TABLE {t} (id INT, text STRING, ts BIGINT) USING hudi
TBLPROPERTIES (type = 'mor', primaryKey = 'id', preCombineField = 'ts', hoodie.write.table.version = '6');
INSERT INTO {t} VALUES (1, 'a', 1), (2, 'b', 1);
UPDATE {t} SET text = 'c' WHERE id = 1;

-- table cow_of_version_8
SET hoodie.write.table.version = 8;
CREATE TABLE {t} (id INT, text STRING, ts BIGINT) USING hudi
TBLPROPERTIES (type = 'cow', primaryKey = 'id', preCombineField = 'ts', hoodie.write.table.version = '8');
INSERT INTO {t} VALUES (1, 'a', 1), (2, 'b', 1);

-- table scalars
CREATE TABLE {t} (
  id BIGINT, flag BOOLEAN, tiny TINYINT, small SMALLINT, number INT, single FLOAT, precise DOUBLE,
  price DECIMAL(12, 2), widest DECIMAL(38, 18), text STRING, raw BINARY, day DATE, at TIMESTAMP
) USING hudi TBLPROPERTIES (primaryKey = 'id');
INSERT INTO {t} SELECT 1, true, null, null, 2, 1.5, 2.5, 3.25, 4.5, 'a', null, DATE'2026-01-01', null;

-- table nested
CREATE TABLE {t} (
  id INT, s STRUCT<a: INT, b: STRUCT<c: STRING>>, l ARRAY<STRUCT<x: INT, y: ARRAY<DATE>>>,
  m MAP<STRING, STRUCT<k: DECIMAL(9, 3)>>
) USING hudi TBLPROPERTIES (primaryKey = 'id');
INSERT INTO {t} SELECT 1, named_struct('a', 1, 'b', named_struct('c', 'x')),
  array(named_struct('x', 1, 'y', array(DATE'2026-01-01'))), map('k', named_struct('k', CAST(1 AS DECIMAL(9, 3))));

-- table not_written_yet
CREATE TABLE {t} (id INT COMMENT 'The id', text STRING) USING hudi
COMMENT 'Nothing in it' TBLPROPERTIES (primaryKey = 'id');

-- table partitioned
CREATE TABLE {t} (id INT, text STRING, ts BIGINT, country STRING, day STRING) USING hudi
PARTITIONED BY (country, day) TBLPROPERTIES (primaryKey = 'id', preCombineField = 'ts');
INSERT INTO {t} VALUES (1, 'a', 1, 'de', '2026-01-01'), (2, 'b', 1, 'fr', '2026-01-02');

-- table partitioned_without_names
CREATE TABLE {t} (id INT, text STRING, part INT) USING hudi PARTITIONED BY (part)
TBLPROPERTIES (primaryKey = 'id', hoodie.datasource.write.hive_style_partitioning = 'false');
INSERT INTO {t} VALUES (1, 'a', 1), (2, 'b', 2);

-- table partitioned_by_times
CREATE TABLE {t} (id INT, text STRING, ts BIGINT) USING hudi PARTITIONED BY (ts) TBLPROPERTIES (
  primaryKey = 'id',
  hoodie.table.keygenerator.class = 'org.apache.hudi.keygen.TimestampBasedKeyGenerator',
  hoodie.keygen.timebased.timestamp.type = 'EPOCHMILLISECONDS',
  hoodie.keygen.timebased.output.dateformat = 'yyyy-MM-dd'
);
INSERT INTO {t} VALUES (1, 'a', 1767225600000);

-- table partitioned_by_custom_keys
CREATE TABLE {t} (id INT, text STRING, country STRING, ts BIGINT) USING hudi
PARTITIONED BY (country, ts) TBLPROPERTIES (
  primaryKey = 'id', hoodie.table.keygenerator.class = 'org.apache.hudi.keygen.CustomKeyGenerator',
  hoodie.datasource.write.partitionpath.field = 'country:SIMPLE,ts:TIMESTAMP',
  hoodie.keygen.timebased.timestamp.type = 'EPOCHMILLISECONDS',
  hoodie.keygen.timebased.output.dateformat = 'yyyyMMdd'
);
INSERT INTO {t} VALUES (1, 'a', 'de', 1767225600000);

-- table partition_columns_dropped
SET hoodie.datasource.write.drop.partition.columns = true;
CREATE TABLE {t} (id INT, text STRING, ts BIGINT, part STRING) USING hudi PARTITIONED BY (part)
TBLPROPERTIES (
  primaryKey = 'id', preCombineField = 'ts', hoodie.datasource.write.drop.partition.columns = 'true'
);
INSERT INTO {t} VALUES (1, 'a', 1, 'x'), (2, 'b', 1, 'y');

-- table keys_of_two_columns
CREATE TABLE {t} (id INT, sub STRING, text STRING, ts BIGINT) USING hudi
TBLPROPERTIES (primaryKey = 'id,sub', preCombineField = 'ts');
INSERT INTO {t} VALUES (1, 'x', 'a', 1), (1, 'y', 'b', 1);

-- table without_keys
CREATE TABLE {t} (id INT, text STRING) USING hudi;
INSERT INTO {t} VALUES (1, 'a'), (2, 'b');

-- table without_meta_columns
SET hoodie.populate.meta.fields = false;
CREATE TABLE {t} (id INT, text STRING) USING hudi
TBLPROPERTIES (primaryKey = 'id', hoodie.populate.meta.fields = 'false');
INSERT INTO {t} VALUES (1, 'a'), (2, 'b');

-- table columns_added
CREATE TABLE {t} (id INT, text STRING, ts BIGINT) USING hudi
TBLPROPERTIES (primaryKey = 'id', preCombineField = 'ts');
INSERT INTO {t} VALUES (1, 'a', 1);
ALTER TABLE {t} ADD COLUMNS (more DOUBLE COMMENT 'New');
INSERT INTO {t} VALUES (2, 'b', 1, 2.5);

-- table columns_added_to_mor
CREATE TABLE {t} (id INT, text STRING, ts BIGINT) USING hudi
TBLPROPERTIES (type = 'mor', primaryKey = 'id', preCombineField = 'ts');
INSERT INTO {t} VALUES (1, 'a', 1);
ALTER TABLE {t} ADD COLUMNS (more DOUBLE);

-- table evolved
SET hoodie.schema.on.read.enable = true;
SET hoodie.datasource.write.schema.allow.auto.evolution.column.drop = true;
CREATE TABLE {t} (id INT, old STRING, number INT, gone INT, ts BIGINT) USING hudi
TBLPROPERTIES (primaryKey = 'id', preCombineField = 'ts');
INSERT INTO {t} VALUES (1, 'a', 1, 1, 1);
ALTER TABLE {t} RENAME COLUMN old TO new;
ALTER TABLE {t} ALTER COLUMN number TYPE BIGINT;
ALTER TABLE {t} DROP COLUMN gone;
INSERT INTO {t} VALUES (2, 'b', 2, 1);

-- table compacted
SET hoodie.compact.inline = true;
SET hoodie.compact.inline.max.delta.commits = 2;
CREATE TABLE {t} (id INT, text STRING, ts BIGINT) USING hudi
TBLPROPERTIES (type = 'mor', primaryKey = 'id', preCombineField = 'ts');
INSERT INTO {t} VALUES (1, 'a', 1);
UPDATE {t} SET text = 'b' WHERE id = 1;
UPDATE {t} SET text = 'c' WHERE id = 1;

-- table clustered
SET hoodie.clustering.inline = true;
SET hoodie.clustering.inline.max.commits = 2;
CREATE TABLE {t} (id INT, text STRING, ts BIGINT) USING hudi
TBLPROPERTIES (primaryKey = 'id', preCombineField = 'ts');
INSERT INTO {t} VALUES (1, 'a', 1);
INSERT INTO {t} VALUES (2, 'b', 1);

-- table without_metadata_table
SET hoodie.metadata.enable = false;
CREATE TABLE {t} (id INT, text STRING) USING hudi
TBLPROPERTIES (primaryKey = 'id', hoodie.metadata.enable = 'false');
INSERT INTO {t} VALUES (1, 'a');

-- table change_capture
CREATE TABLE {t} (id INT, text STRING, ts BIGINT) USING hudi TBLPROPERTIES (
  primaryKey = 'id', preCombineField = 'ts', hoodie.table.cdc.enabled = 'true',
  hoodie.table.cdc.supplemental.logging.mode = 'data_before_after'
);
INSERT INTO {t} VALUES (1, 'a', 1);
UPDATE {t} SET text = 'b' WHERE id = 1;

-- table selected
CREATE TABLE {t} USING hudi PARTITIONED BY (part) TBLPROPERTIES (primaryKey = 'id') AS
SELECT id, CAST(id AS STRING) AS text, array(id) AS l, id % 2 AS part FROM range(4);

-- table overwritten
CREATE TABLE {t} (id INT, text STRING) USING hudi TBLPROPERTIES (primaryKey = 'id');
INSERT INTO {t} VALUES (1, 'a'), (2, 'b');
INSERT OVERWRITE {t} VALUES (3, 'c');

-- table truncated
CREATE TABLE {t} (id INT, text STRING, ts BIGINT) USING hudi
TBLPROPERTIES (primaryKey = 'id', preCombineField = 'ts');
INSERT INTO {t} VALUES (1, 'a', 1);
TRUNCATE TABLE {t};

-- table partition_dropped
CREATE TABLE {t} (id INT, text STRING, part STRING) USING hudi PARTITIONED BY (part)
TBLPROPERTIES (primaryKey = 'id');
INSERT INTO {t} VALUES (1, 'a', 'x'), (2, 'b', 'y');
ALTER TABLE {t} DROP PARTITION (part = 'x');

-- table archived
SET hoodie.keep.min.commits = 2;
SET hoodie.keep.max.commits = 3;
SET hoodie.clean.commits.retained = 1;
CREATE TABLE {t} (id INT, text STRING, ts BIGINT) USING hudi
TBLPROPERTIES (primaryKey = 'id', preCombineField = 'ts');
INSERT INTO {t} VALUES (1, 'a', 1);
INSERT INTO {t} VALUES (2, 'a', 1);
ALTER TABLE {t} ADD COLUMNS (more INT);
INSERT INTO {t} VALUES (3, 'a', 1, 1);
INSERT INTO {t} VALUES (4, 'a', 1, 1);
INSERT INTO {t} VALUES (5, 'a', 1, 1);

-- table loaded_in_bulk
SET hoodie.spark.sql.insert.into.operation = bulk_insert;
CREATE TABLE {t} (id INT NOT NULL, text STRING, s STRUCT<a: INT, b: STRING>) USING hudi
TBLPROPERTIES (primaryKey = 'id');
INSERT INTO {t} SELECT 1, 'a', named_struct('a', 1, 'b', 'x');

-- table merged
CREATE TABLE {t} (id INT, text STRING, ts BIGINT) USING hudi
TBLPROPERTIES (type = 'mor', primaryKey = 'id', preCombineField = 'ts');
INSERT INTO {t} VALUES (1, 'a', 1);
MERGE INTO {t} AS t USING (SELECT 1 AS id, 'b' AS text, CAST(2 AS BIGINT) AS ts) AS s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- table required
CREATE TABLE {t} (id INT NOT NULL, text STRING NOT NULL, price DECIMAL(5, 0)) USING hudi
TBLPROPERTIES (primaryKey = 'id');
INSERT INTO {t} VALUES (1, 'a', 1);

-- table names_with_signs
CREATE TABLE {t} (id INT, UPPER STRING, _under INT) USING hudi COMMENT 'With words'
TBLPROPERTIES (primaryKey = 'id');
INSERT INTO {t} VALUES (1, 'a', 1);

-- table evolved_on_read
SET hoodie.schema.on.read.enable = true;
CREATE TABLE {t} (id INT, s STRUCT<a: INT, b: STRING>, l ARRAY<STRUCT<x: INT>>, number INT, ts BIGINT)
USING hudi TBLPROPERTIES (primaryKey = 'id', preCombineField = 'ts');
INSERT INTO {t} SELECT 1, named_struct('a', 1, 'b', 'x'), array(named_struct('x', 1)), 1, 1;
ALTER TABLE {t} ADD COLUMNS (s.c INT, more STRING COMMENT 'New' AFTER id);
ALTER TABLE {t} ALTER COLUMN number TYPE DOUBLE;
ALTER TABLE {t} ALTER COLUMN s.a COMMENT 'Inside';
