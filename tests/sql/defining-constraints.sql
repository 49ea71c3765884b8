-- Which keys, foreign keys, checks and defaults a table may be defined with.
create table parent (id int primary key, other int not null, code varchar(5) collate Latin1_General_BIN2 not null, constraint uq_code unique (code))
create table child (id int primary key, parent int constraint fk foreign key references parent)
insert parent values (1, 1, 'a')
insert child values (1, 1)
insert child values (2, 9)
delete parent
go
drop table parent
go
create table c2 (p int constraint fk2 references parent (other))
go
create table c2 (p bigint constraint fk2 references parent (id))
go
create table c2 (p int constraint fk2 references nowhere (id))
go
create table c2 (p int constraint fk2 references parent (nothing))
go
create table c2 (p int, constraint fk2 foreign key (q) references parent (id))
go
create table c2 (p int, constraint fk2 foreign key (p, p) references parent (id))
go
create table c2 (p varchar(5) collate Latin1_General_CI_AS constraint fk2 references parent (code))
go
create table c2 (p varchar(9) collate Latin1_General_BIN2 constraint fk2 references parent (code))
drop table c2
go
create table c2 (p int constraint fk2 references #temp (id))
go
create table c2 (p int not null constraint fk2 references parent on delete set null)
go
create table c2 (p int not null constraint fk2 references parent on delete set default)
go
create table c2 (id int primary key, p int constraint fk2 references c2 on delete cascade)
go
create table a (id int primary key)
create table b (id int primary key, a int constraint fk_a references a on delete cascade)
create table c (id int primary key, a int constraint fk_ca references a on delete cascade, b int constraint fk_cb references b on delete cascade)
go
create view v as select 1 as id
go
create table c2 (p int constraint fk2 references v (id))
go
create table c2 (a int constraint c1 primary key, b int constraint c1 unique)
go
create table c2 (a int constraint parent primary key)
go
create table c2 (a int constraint #x primary key)
go
create table c2 (a int check (b > 0), b int)
go
create table c2 (a int check (nothing > 0))
go
create table c2 (a int check (exists (select 1)))
go
create table c2 (a int default getdate())
go
create table c2 (a int default b, b int)
go
create table c2 (a int identity default 1)
go
create table c2 (a rowversion default 1)
go
create table c2 (a int default 1 default 2)
go
create table c2 (a int, b int constraint positive check (a + b > 0), constraint two check (a <> b))
go
create table c2 (a int, b int, constraint positive check (a + b > 0), constraint two check (a <> b))
insert c2 values (1, 1)
insert c2 values (-1, 0)
insert c2 values (1, null)
go
select name, definition from sys.check_constraints order by name
go
