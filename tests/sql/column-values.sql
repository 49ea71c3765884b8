-- The values that a table gives its rows: defaults, identities, computed columns, cascades.
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
select id, name, kind, both, twice from sales.c where id < 3
go
select id, c, amount from sales.o where c > 1
go
update sales.c set kind = 'b' output deleted.both, inserted.both where name like N'b%'
go
insert sales.c (name) values (N'dan') select scope_identity()
go
delete sales.c where id = 1 select count(*) from sales.o
go
-- An identity value may be given while the session says so, and the next one follows it.
set identity_insert sales.c on insert sales.c (id, name) values (50, N'eve')
set identity_insert sales.c off insert sales.c (id, name) values (51, N'fay')
go
insert sales.c (name) values (N'gus') select scope_identity()
go
