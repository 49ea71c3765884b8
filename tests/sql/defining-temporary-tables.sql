-- Which temporary tables may be created, and how they may be changed.
create table #t (a int constraint pk primary key, b varchar(5) default 'x')
insert #t (a) values (1)
select * from #t
create table #t (a int)
go
create index ix on #t (b)
alter table #t add c int not null default 3
insert #t (a) values (2)
select * from #t
truncate table #t
select * from #t
go
create procedure outer_proc as create table #p (a int) insert #p values (1) exec inner_proc select * from #p
go
create procedure inner_proc as select * from #p create table #p (b varchar(3)) insert #p values ('x') select * from #p
go
exec outer_proc
select * from #p
go
begin tran
create table #r (a int)
insert #r values (1)
rollback
select * from #r
go
select 1 as a, 'x' as b into #u
select * from #u
drop table #u, #t
select * from #t
go
create table ##g (a int)
insert ##g values (3)
select * from ##g
create table ##g (a int)
go
drop table ##g
go
create table #fk (a int references t (id))
drop table #fk
go
declare @t table (id int identity primary key, a varchar(5) default 'q' check (a <> 'z'), unique (a), index ix (id, a))
insert @t (a) values ('a'), (default)
select * from @t
insert @t (a) values ('z')
insert @t (a) values ('a')
go
declare @t table (id nosuch)
go
declare @t table (id int primary key, id2 int primary key)
go
create table #abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghij (a int)
go
