create table #a (id int identity primary key, v varchar(10) default 'x')
insert #a default values
insert #a (v) values ('y')
select * from #a
go
select name from tempdb.sys.tables where name like '#a%' and len(name) <> 128
select object_id('tempdb..#a') - object_id('tempdb..#a') as zero
create table #a (b int)
go
alter table #a add w int null
go
select * from #a
create index ix on #a (v)
update #a set w = id * 2
select v, w from #a order by v
truncate table #a
insert #a (v) values ('z')
select id, v from #a
drop table #a
go
select * from #a
go
-- created in dynamic SQL: gone with it
exec('create table #b (a int)') select * from #b
go
-- SELECT INTO
select 1 as a, cast('x' as varchar(5)) as b into #c
insert #c values (2, 'y')
select * from #c
drop table if exists #c
drop table if exists #c
go
-- transactions
begin tran create table #d (a int) insert #d values (1) rollback
select * from #d
go
create table #d (a int) begin tran insert #d values (1) rollback select count(*) as n from #d
drop table #d
go
-- global
create table ##g (a int) insert ##g values (5)
go
select * from tempdb..##g
drop table ##g
go
-- table variables do not take part in transactions
declare @t table (id int primary key, v int check (v > 0))
begin tran insert @t values (1, 1) rollback
select * from @t
insert @t values (1, 2)
insert @t values (2, -1)
insert @t values (2, 2)
update @t set v = v * 10 output deleted.v, inserted.v
delete @t where id = 1
select * from @t
-- What a transaction has dropped, a rollback brings back: all of it, or as far as a savepoint.
CREATE TABLE #kept (a int); INSERT #kept VALUES (1);
BEGIN TRAN; DROP TABLE #kept; ROLLBACK;
SELECT a FROM #kept;
GO
BEGIN TRAN; INSERT #kept VALUES (2); SAVE TRAN s; DROP TABLE #kept; ROLLBACK TRAN s; SELECT a FROM #kept; COMMIT;
SELECT a FROM #kept;
GO
-- A table of that name that was made in its place goes, and the old one is back.
BEGIN TRAN; DROP TABLE #kept;
GO
CREATE TABLE #kept (b char(1)); INSERT #kept VALUES ('x'); SELECT b FROM #kept;
ROLLBACK;
GO
SELECT a FROM #kept;
GO
BEGIN TRAN; TRUNCATE TABLE #kept; ALTER TABLE #kept ADD c int NULL; ROLLBACK;
SELECT * FROM #kept;
GO
BEGIN TRAN; CREATE INDEX i ON #kept (a); ROLLBACK;
SELECT count(*) AS indexes FROM tempdb.sys.indexes WHERE object_id = object_id('tempdb..#kept') AND name = 'i';
GO
BEGIN TRAN; CREATE TABLE #made (a int); ROLLBACK;
SELECT * FROM #made;
GO
BEGIN TRAN; DROP TABLE #kept; COMMIT;
SELECT * FROM #kept;
GO
CREATE TABLE ##kept (a int); INSERT ##kept VALUES (7);
BEGIN TRAN; DROP TABLE ##kept; ROLLBACK;
SELECT a FROM ##kept;
DROP TABLE ##kept;
GO
-- A procedure's table is gone with the procedure, whatever becomes of the transaction that it leaves open.
CREATE PROCEDURE leaves_open AS CREATE TABLE #own (a int); INSERT #own VALUES (1); BEGIN TRAN; DROP TABLE #own; CREATE TABLE #own (b int);
GO
CREATE TABLE #own (c int); INSERT #own VALUES (3);
EXEC leaves_open;
SELECT c FROM #own;
ROLLBACK;
SELECT c FROM #own;
GO
SELECT count(*) AS tables FROM tempdb.sys.tables WHERE name LIKE '#own%';
DROP TABLE #own;
SELECT count(*) AS tables FROM tempdb.sys.tables WHERE name LIKE '#own%';
GO
-- A session's temporary table is there in the batches after the one that made it.
create table #a (x int) insert #a values (1), (2) select count(*) as n from #a
go
select * from #a
go
drop table #a
select * from #a
go
