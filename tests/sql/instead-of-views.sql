-- INSTEAD OF triggers of a view over a join, and of a table whose trigger inserts into it again.
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
create view sales.v as select c.id, c.name, o.amount from sales.c c join sales.o o on o.c = c.id
go
create table sales.log (what varchar(10), id int, name nvarchar(30), amount money)
go
create trigger sales.vi on sales.v instead of insert as insert sales.log select 'v', id, name, amount from inserted
go
create trigger sales.vu on sales.v instead of update as update o set amount = i.amount from sales.o o
join inserted i on i.id = o.c join deleted d on d.id = i.id where d.amount < i.amount
go
create trigger sales.vd on sales.v instead of delete as insert sales.log select 'd', id, name, amount from deleted
go
create trigger sales.ci on sales.c instead of insert as insert sales.c (name, kind)
select name + N'*', isnull(kind, 'b') from inserted
go
insert sales.v (id, name) values (7, N'x'), (8, null)
go
update sales.v set amount = amount + 1 where name > N'b'
go
select c, amount from sales.o order by c
go
delete sales.v where amount > 30
go
select * from sales.log order by id
go
insert sales.c (name, kind) values (N'dan', 'a')
go
select name, both from sales.c where id > 3
go
delete sales.c where id = 1
go
