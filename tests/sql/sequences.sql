-- Sequences: values, ranges, ends, rounds, and what the views say.
create sequence s as int start with 1
go
select next value for s
select cast(current_value as int), cast(last_used_value as int), is_cached, cache_size from sys.sequences where name = 's'
go
-- A rollback gives nothing back.
begin tran
declare @i int = next value for s
rollback
select next value for s
go
-- ALTER goes on where it was.
alter sequence s increment by 10 no cache
select next value for s
select is_cached, cache_size from sys.sequences where name = 's'
alter sequence s cache 7
select is_cached, cache_size from sys.sequences where name = 's'
select next value for s
alter sequence s restart with 100
select next value for s
alter sequence s restart
select next value for s
go
create sequence c as tinyint start with 250 cache 10
alter sequence c cache 5
drop sequence c
go
-- Ends.
create sequence e as tinyint start with 254
select next value for e
select next value for e
select is_exhausted from sys.sequences where name = 'e'
select next value for e
go
alter sequence e minvalue 250 cycle
select next value for e
go
create sequence b start with 9223372036854775807
select next value for b
select next value for b
go
create sequence d as int start with 2 increment by -1 minvalue 1 maxvalue 3 cycle
select next value for d
select next value for d
select next value for d
go
-- In an order of their own.
create table o (name varchar(10), n int null)
insert o (name) values ('cherry'), ('apple'), ('banana')
create sequence q as int start with 1
create sequence q2 as int start with 10 increment by 10
go
select next value for q over (order by name) as number, name from o order by name desc
select next value for q over (order by name desc) + 100 as number, next value for q2 over (order by name) as other, name from o order by name
insert o (name, n) select 'copy ' + left(name, 3), next value for q over (order by name desc) from o
select name, n from o where n is not null order by n
go
select next value for q over (order by name), next value for q over (order by n) from o
go
drop table o
drop sequence q, q2
go
-- Ranges.
create sequence r as smallint start with 1 increment by 2 minvalue 1 maxvalue 9
go
declare @first sql_variant, @last sql_variant, @cycles int, @step sql_variant, @min sql_variant, @max sql_variant
exec sys.sp_sequence_get_range N'r', 3, @first output, @last output, @cycles output, @step output, @min output, @max output
select cast(@first as int) f, cast(@last as int) l, @cycles c, cast(@step as int) s, cast(@min as int) lo, cast(@max as int) hi,
  sql_variant_property(@first, 'BaseType') t
go
-- What is refused is not taken.
declare @first sql_variant
exec sp_sequence_get_range 'dbo.r', 3, @first output
go
select next value for r
alter sequence r cycle
go
declare @first sql_variant, @last sql_variant, @cycles int
exec sp_sequence_get_range @sequence_name = N'r', @range_size = 8, @range_first_value = @first output, @range_last_value = @last output, @range_cycle_count = @cycles output
select cast(@first as int) f, cast(@last as int) l, @cycles c
go
declare @first sql_variant
exec sp_sequence_get_range N'missing', 1, @first output
go
declare @first sql_variant
exec sp_sequence_get_range N'r', 0, @first output
go
create table t (id int not null default next value for s, a int)
go
declare @first sql_variant
exec sp_sequence_get_range N't', 1, @first output
go
insert t (a) values (1), (2)
select id, a from t
go
alter database scoped configuration set identity_cache = off
go
create table i (id int identity, a int)
insert i values (1)
select ident_current('i')
go
alter database scoped configuration set identity_cache = on
go
alter database scoped configuration set identity_cache = 3
go
select iif(next value for s > 0, 'a', 'b')
go
select case when 1 = 1 then next value for s end
go
select isnull(next value for s, 1)
go
select choose(1, next value for s, 2), coalesce(1, next value for s), nullif(next value for s, 1)
go
drop table t, i
drop sequence s, e, b, d, r
go
