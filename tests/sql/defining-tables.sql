-- Which tables may be created.
create table t (id int identity(10, 5) primary key, name varchar(20) not null default 'x', twice as id * 2, constraint positive check (id > 0), index ix (name))
insert t (name) values ('a'), (default)
select * from t
go
insert t (name) values (null)
go
create table t (a int)
print 'not reached'
go
create table u (a int, a int)
go
create table u (a int primary key, b int primary key)
go
create table u (a nosuch)
go
create table u (a int identity, b int identity)
go
create table u (a varchar(10) identity)
go
create table u (a int null identity)
go
create table u (a int identity(1, 0))
go
create table u (a varchar(max) primary key)
go
create table u (a varchar(9000))
go
create table nosuch.u (a int)
go
create table u (a int null primary key)
go
create table u (a int, b as a * 2, c as b + 1)
go
create table u (b as 1)
go
create table u (a int, b as getdate() persisted)
go
create table u (a int, index i1 (a), index i1 (a))
go
create table u (a int, index i1 (b))
go
create table u (a int, index i1 (a, a))
go
create table u (a int, index i1 (a) include (a))
go
create table u (a int primary key clustered, b int unique clustered)
go
create table u (a rowversion, b rowversion)
go
create table u (a int rowguidcol)
go
create table u (a int collate Latin1_General_BIN2)
go
create table u (a varchar(5) collate Nowhere_CI_AS)
go
create table u (a int) on nowhere
go
create table u (a int) textimage_on [primary]
go
create table u (a char(8000), b char(100))
go
create table u (a int sparse not null)
go
create table u (a varchar(1000), index i (a))
select name from sys.indexes where object_id = object_id('u')
drop table u
go
create table u (a int not null, b varchar(5) collate Latin1_General_BIN2, c as a + 1 persisted, d uniqueidentifier rowguidcol default newid(), e rowversion, unique nonclustered (b desc, a))
insert u (a, b) values (1, 'x')
insert u (a, b) values (2, 'X')
select a, b, c from u order by b
select len(cast(d as varchar(40))), case when e > 0x0 then 1 end from u
go
select * into t from u
go
select a, 1 as one, identity(int, 5, 5) as n into v from u
select * from v
insert v (a, one) values (7, 8)
select * from v where a = 7
go
select a + 1 into w from u
go
drop table t, nope, u
select object_id('t'), object_id('u')
go
drop view v
go
drop table if exists nope
drop table nope
drop procedure v
go
