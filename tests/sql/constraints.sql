create table p (id int constraint pk_p primary key, code varchar(5) constraint uq_code unique)
create table c (
    id int not null primary key,
    p_id int constraint fk_p references p (id),
    n int constraint ck_n check (n between 1 and 10),
    d varchar(10) not null constraint df_d default ('def'),
    total as n * 2
)
insert p values (1, 'a'), (2, null)
insert c (id, p_id, n) values (1, 1, 5)
select * from c
go
insert c (id, p_id, n) values (2, 9, 5)
insert c (id, p_id, n) values (2, 1, 11)
insert c (id, p_id, n, d) values (2, 1, 1, null)
insert p values (3, 'a')
insert p values (1, 'z')
insert p values (4, null)
delete p where id = 1
update p set id = 7 where id = 1
update c set n = null
drop table p
go
insert c (id, p_id, n) values (3, null, 3)
select count(*) as n from c
go
-- cascades
create table cc (id int primary key, p_id int references p (id) on delete cascade on update set null)
insert p values (10, 'x'), (11, 'y')
insert cc values (1, 10), (2, 10), (3, 11)
delete p where id = 10
update p set id = 12 where id = 11
select * from cc
go
-- itself
create table tree (id int primary key, parent int references tree (id))
insert tree values (1, null), (2, 1), (3, 2)
delete tree where id = 1
delete tree
select count(*) as n from tree
go
-- added later
alter table c add constraint ck_d check (len(d) < 3)
go
alter table c with nocheck add constraint ck_d check (len(d) < 3)
insert c (id) values (4)
alter table c nocheck constraint ck_d
insert c (id) values (4)
alter table c drop constraint ck_d
select id from c order by id
go
-- NULL in conditions passes
insert c (id, n, d) values (5, null, '')
go
merge c as target using (values (5, 1), (6, 99)) as s(id, n) on s.id = target.id
when matched then update set n = s.n when not matched then insert (id, n) values (s.id, s.n);
select id, n from c where id > 4
go
-- bytes in keys
create table bytes (k varbinary(8) null constraint uq_k unique, n int, b binary(3), v rowversion)
insert bytes (k, n, b) values (0x4142, 1, 0x0a), (null, 2, 0x0b), (0x, 3, 0x0c)
insert bytes (k) values (0x4142)
insert bytes (k) values (null)
insert bytes (k) values (0x)
create unique index ix on bytes (n, b)
insert bytes (k, n, b) values (0x01, 1, 0x0a0000)
drop index ix on bytes
insert bytes (k, n, b) values (0x02, 1, 0x0a)
go
create unique index ix on bytes (n, b)
go
declare @t table (k binary(2) primary key, n int)
insert @t values (0xff, 1), (0xff00, 2)
go
drop table bytes
go
-- statements that fail leave nothing behind
create schema sales
go
create table sales.c (id int identity primary key, name nvarchar(20) not null constraint uq unique,
    kind char(1) not null default 'a' constraint ck check (kind in ('a', 'b')), v rowversion,
    both as name + N'/' + kind persisted, twice as id * 2)
go
create table sales.o (id int identity(10, 5) primary key,
    c int not null constraint fk references sales.c (id) on delete cascade, amount money not null default 0)
go
insert sales.c (name) values (N'ann'), (N'bob'), (N'cid')
insert sales.o (c, amount) select id, id * 10 from sales.c
go
insert sales.o (c) values (1), (99)
go
insert sales.c (name, kind) values (N'x', 'x')
go
insert sales.c (name) values (null)
go
update sales.c set name = N'ann'
go
select count(*) from sales.c select count(*) from sales.o
go
