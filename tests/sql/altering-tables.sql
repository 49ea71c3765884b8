-- What ALTER TABLE and the statements for indexes and statistics do to tables with rows.
create table t (id int not null, a varchar(10), b int)
insert t values (1, 'x', 10), (2, 'y', null), (3, 'y', 30)
go
alter table t add c int not null default 7, d datetime null
select * from t
go
alter table t add e int not null
go
alter table t add f as b * 2 persisted, g int identity(5, 2), v rowversion
go
select id, f, g from t
insert t (id, a) values (4, 'z')
select id, f, g from t where id = 4
select count(distinct v) from t
go
alter table t add constraint pk primary key (id)
alter table t add constraint uq unique (a)
go
create unique index ux on t (a)
go
create index ix on t (a desc) include (b) where b is not null
alter table t alter column a int
go
alter table t alter column a varchar(20) not null
drop index ix on t
alter table t alter column a varchar(30)
go
alter table t alter column b int not null
go
alter table t alter column b tinyint
go
alter table t drop column f
update t set b = 300 where b is null
alter table t alter column b tinyint
go
update t set b = 30 where b > 255
alter table t alter column b tinyint not null
select id, b from t
go
alter table t add constraint ck check (b > 15)
go
alter table t with nocheck add constraint ck check (b > 15)
insert t (id, a, b) values (9, 'q', 1)
go
alter table t nocheck constraint ck
insert t (id, a, b) values (9, 'q', 1)
go
alter table t with check check constraint ck
go
alter table t check constraint ck
insert t (id, a, b) values (10, 'q', 1)
go
alter table t nocheck constraint pk
go
alter table t nocheck constraint nope
go
alter table t drop constraint nope
go
alter table t drop constraint if exists nope
alter table t drop column if exists nope
alter table t drop column nope
go
alter table t drop column id
go
alter table t drop constraint pk, column id
select a, b, c from t order by a, b
go
alter table t add constraint df default 'q' for a
insert t (b) values (99)
select a from t where b = 99
alter table t add constraint df2 default 'r' for a
go
alter table t drop constraint df
alter table nope add x int
alter table t alter column nope int
go
create table p (id int constraint pk_p primary key)
create table c (id int primary key, p int)
insert c values (1, 5)
alter table c add constraint fk foreign key (p) references p
go
alter table c with nocheck add constraint fk foreign key (p) references p
select name, is_not_trusted, is_disabled from sys.foreign_keys
alter table p drop constraint pk_p
go
truncate table p
go
truncate table c
select * from c
go
create index i1 on c (p)
create index i1 on c (p)
go
alter index i1 on c disable
alter index i1 on c rebuild with (fillfactor = 80)
alter index i1 on c reorganize
alter index all on c set (ignore_dup_key = off)
alter index i2 on c rebuild
go
drop index c.i1
drop index if exists c.i1
drop index i1 on c
go
create index i on nowhere (a)
go
create statistics st on c (p)
create statistics st on c (id)
update statistics c st
update statistics c nope
select name, user_created from sys.stats where object_id = object_id('c') and name = 'st'
alter table c drop column p
drop statistics c.st
drop statistics c.nope
go
begin tran
create table x (a int)
insert x values (1)
alter table x add b int default 5 with values
select * from x
rollback
select * from x
go
create table one (a int)
alter table one drop column a
go
create table o (id int)
insert o values (1)
begin tran
alter table o add more int default 3 with values
select * from o
save tran s
alter table o drop column id
rollback tran s
select * from o
commit
select * from o
go
