-- ALTER COLUMN never cuts what is stored.
create table t (id int not null primary key, a varchar(20), n nvarchar(20), b varbinary(20), d decimal(9, 3), c char(10), i int, m varchar(max))
insert t values (1, 'abcdef', N'abcdef', 0x0102030405, 123456.789, 'abcdef', 70000, replicate('m', 20))
go
alter table t alter column a varchar(3)
go
alter table t alter column n nvarchar(3)
go
alter table t alter column a nvarchar(5)
go
alter table t alter column n varchar(5)
go
alter table t alter column b varbinary(4)
go
alter table t alter column c char(5)
go
alter table t alter column m varchar(10)
go
alter table t alter column d decimal(5, 2)
go
alter table t alter column i smallint
go
alter table t alter column a int
go
alter table t alter column a datetime
go
select a, n, b, d, c, i, len(m) m from t
go
-- Blanks may go, and digits behind the point are rounded.
update t set a = 'abc   '
alter table t alter column a varchar(3)
alter table t alter column d decimal(9, 1)
alter table t alter column c char(6)
select '<' + a + '>' a, d, '<' + c + '>' c from t
go
update t set a = null
alter table t alter column a varchar(3) not null
go
select a from t
drop table t
go
-- A default forbids another type, and nothing else.
create table u (v varchar(10) constraint dv default 'x', d decimal(9, 2) constraint dd default 1.5, c char(10) constraint dc default 'y', i int constraint di default 1, t datetime2(3) constraint dt default sysdatetime())
insert u (v) values ('abcdef')
alter table u alter column v varchar(20)
alter table u alter column v varchar(6)
alter table u alter column v varchar(max)
alter table u alter column d decimal(12, 4)
alter table u alter column c char(5)
alter table u alter column t datetime2(7)
go
alter table u alter column v varchar(3)
go
alter table u alter column i bigint
go
alter table u alter column v nvarchar(10)
go
select name, max_length, precision, scale from sys.columns where object_id = object_id('u') order by column_id
insert u default values
select v, d, c, i from u
drop table u
go
-- A check allows another length of what has a variable one; an index a longer one.
create table k (v varchar(10) constraint ck check (len(v) < 9), d decimal(9, 2) constraint cd check (d > 0), x varchar(10), f char(4) constraint cf check (f <> 'z'))
create index ix on k (x)
insert k values ('abc', 1, 'abc', 'f')
alter table k alter column v varchar(5)
alter table k alter column v varchar(20)
alter table k alter column x varchar(11)
go
alter table k alter column d decimal(10, 2)
go
alter table k alter column f char(5)
go
alter table k alter column x varchar(5)
go
alter table k alter column x nvarchar(20)
go
insert k values ('abcdefghi', 1, 'a', 'f')
go
drop table k
go
-- Other columns use it.
create table p (a varchar(10), b as a + 'x')
go
alter table p alter column a varchar(20)
go
drop table p
go
create table m (id int not null primary key nonclustered, a varchar(20) not null) with (memory_optimized = on)
insert m values (1, 'abcdef')
go
alter table m alter column a varchar(3) not null
go
alter table m alter column a varchar(6) not null
select a from m
drop table m
go
