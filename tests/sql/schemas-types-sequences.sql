-- Schemas, types and sequences are created, changed and dropped.
create schema q create table q1 (a int) create view q2 as select 1 as x
go
select * from q.q2
create schema q
go
alter schema dbo transfer q.q1
select * from dbo.q1
alter schema nope transfer dbo.q1
go
alter schema dbo transfer q.nope
go
drop schema q
go
drop view q.q2
drop schema q
drop schema if exists q
drop schema dbo
drop schema q
go
create type al from varchar(10) not null
create table ta (a al, b al null)
insert ta values (null, null)
drop type al
go
create type al from int
go
create type ty from nosuch
go
create type tb as table (id int primary key, x int constraint positive check (x > 0))
go
declare @x tb
insert @x values (1, 1)
insert @x values (1, 2)
select * from @x
drop type tb
drop type tb
drop type if exists tb
go
create sequence s as tinyint start with 250 maxvalue 252
select next value for s, next value for s
select next value for s
select next value for s
select next value for s
go
alter sequence s restart with 251
select next value for s
alter sequence s increment by 0
go
alter sequence s start with 1
alter sequence s maxvalue 5
go
alter sequence nope restart
go
alter sequence q1 restart
go
create sequence s2 as varchar(10)
go
create sequence s2 as int minvalue 5 maxvalue 5
go
create sequence s2 as int start with 5 maxvalue 4
go
create sequence s2 as tinyint maxvalue 256
go
create sequence s2 cache 0
go
create sequence s2 start with 3 increment by -1 minvalue 1 cycle cache 10
select next value for s2
select next value for s2
select next value for s2
select next value for s2
go
create table ts (id int default next value for s2)
drop sequence s2
drop table ts
drop sequence s2, s
go
