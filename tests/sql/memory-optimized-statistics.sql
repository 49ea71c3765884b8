-- What views tell of memory-optimized tables and their indexes.
create table m (id int not null primary key nonclustered hash with (bucket_count = 1000), k int not null,
  note varchar(100) not null, index ix_k (k)) with (memory_optimized = on)
go
insert m select value, value, replicate('x', 100) from generate_series(1, 2000)
go
-- Memory consumers add up to what tables and indexes use.
select memory_consumer_id, memory_consumer_type, memory_consumer_type_desc, memory_consumer_desc, index_id
  from sys.dm_db_xtp_memory_consumers where object_id = object_id('m') order by index_id
go
select count(*) from sys.dm_db_xtp_table_memory_stats t
  join (select object_id, sum(case when index_id is null then allocated_bytes else 0 end) as rows,
      sum(case when index_id is null then used_bytes else 0 end) as used_rows,
      sum(case when index_id is null then 0 else allocated_bytes end) as indexes,
      sum(case when index_id is null then 0 else used_bytes end) as used_indexes
      from sys.dm_db_xtp_memory_consumers group by object_id) c on c.object_id = t.object_id
  where (c.rows + 1023) / 1024 = t.memory_allocated_for_table_kb
  and (c.used_rows + 1023) / 1024 = t.memory_used_by_table_kb
  and (c.indexes + 1023) / 1024 = t.memory_allocated_for_indexes_kb
  and (c.used_indexes + 1023) / 1024 = t.memory_used_by_indexes_kb and t.memory_used_by_table_kb > 200
go
-- The queues of the collector may have no memory.
select memory_consumer_type_desc, memory_consumer_desc from sys.dm_xtp_system_memory_consumers
  where allocated_bytes > 0 and (used_bytes <= allocated_bytes or used_bytes is null)
  and memory_consumer_desc <> 'Garbage collection queues' order by 2
go
-- Buckets are counted, and rows of a key are a chain.
create table one (id int not null primary key nonclustered, k int not null index i hash with (bucket_count = 64),
  n int not null index j hash with (bucket_count = 8)) with (memory_optimized = on)
go
insert one select value, 7, value % 100 from generate_series(1, 500)
go
select index_id, total_bucket_count, empty_bucket_count, avg_chain_length, max_chain_length
  from sys.dm_db_xtp_hash_index_stats where object_id = object_id('one') and index_id <= 3
-- A hundred keys, so that there are more buckets than were asked for. The average is, as documented, rows by buckets
-- that have some.
select index_id, iif(total_bucket_count between 64 and 256, 'more', 'odd') as buckets,
    iif(avg_chain_length = 500 / (total_bucket_count - empty_bucket_count), 'right', 'wrong') as average,
    iif(max_chain_length % 5 = 0 and max_chain_length >= avg_chain_length, 'right', 'wrong') as longest
  from sys.dm_db_xtp_hash_index_stats where object_id = object_id('one') and index_id > 3
-- Chains of an index that is unique.
select index_id, iif(total_bucket_count & (total_bucket_count - 1) = 0 and total_bucket_count >= 1024, 'right', 'wrong') as buckets,
    iif(empty_bucket_count > 0 and avg_chain_length = 2000 / (total_bucket_count - empty_bucket_count), 'right', 'wrong') as average,
    iif(max_chain_length between 2 and 19, 'right', 'wrong') as longest
  from sys.dm_db_xtp_hash_index_stats where object_id = object_id('m')
go
-- A range index tells what happens to its pages: each row that is there has updated one, and each that was removed two.
insert m select value, value, 'x' from generate_series(10001, 20000)
go
select index_id, iif(page_update_count = (select count(*) from m) + 2 * (select max(rows_expired_removed)
      from sys.dm_db_xtp_index_stats where object_id = object_id('m')), 'right', 'wrong') as updates,
    page_update_retry_count, page_split_retry_count, page_merge_retry_count, delta_pages,
    iif(page_split_count > 0 and leaf_pages > 1 and internal_pages > 0, 'right', 'wrong') as splits,
    iif(outstanding_retired_nodes between 0 and page_split_count + 2 * page_merge_count + 1, 'right', 'wrong') as retired,
    page_consolidation_count, page_consolidation_retry_count, key_split_count, key_merge_count
  from sys.dm_db_xtp_nonclustered_index_stats where object_id = object_id('m')
go
-- Searches and scans of indexes are counted.
create table s (h int not null primary key nonclustered hash with (bucket_count = 64), r int not null index r)
  with (memory_optimized = on)
go
insert s select value, value from generate_series(1, 1000)
go
create view counts as
select index_id, scans_started, scans_retries, rows_returned, rows_touched, rows_expiring, phantom_scans_started,
    phantom_rows_touched
  from sys.dm_db_xtp_index_stats where object_id = object_id('s')
go
-- What has been counted since they were looked at last.
create procedure look as
set nocount on
select c.index_id, c.scans_started - b.scans_started as scans, c.scans_retries - b.scans_retries as retries,
    c.rows_returned - b.rows_returned as returned, c.rows_touched - b.rows_touched as touched,
    c.rows_expiring - b.rows_expiring as expiring, c.phantom_scans_started - b.phantom_scans_started as phantom_scans,
    c.phantom_rows_touched - b.phantom_rows_touched as phantom_rows
  from counts c join before b on b.index_id = c.index_id order by c.index_id
delete before
insert before select * from counts
go
select * into before from counts
go
select r from s where h = 7
exec look
go
select r from s where h = 7000
exec look
go
select count(h) as n from s where r between 101 and 400
exec look
go
-- Two statements, and what the commit looks through again for the first.
begin tran
select h from s with (serializable) where r between 1 and 10
update s with (snapshot) set r = -1 where h = 500
commit
exec look
go
-- Rows that are gone are still in the index: they are touched as well.
delete s where h between 1 and 20 or h = 500
delete before
insert before select * from counts
go
select count(h) as n from s where r between 1 and 100
select c.index_id, c.scans_started - b.scans_started as scans, c.rows_returned - b.rows_returned as returned,
    iif(c.rows_touched - b.rows_touched = c.rows_returned - b.rows_returned + c.rows_expiring - b.rows_expiring, 'right', 'wrong') as touched
  from counts c join before b on b.index_id = c.index_id where c.index_id = 3
go
