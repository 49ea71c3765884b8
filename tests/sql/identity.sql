create table t (id int identity(5, 5) primary key, v int)
insert t values (1), (2)
select scope_identity() as s, @@identity as i, ident_current('t') as c
insert t (v) select 3
select * from t
go
insert t (id, v) values (1, 1)
go
set identity_insert t on
insert t (id, v) values (100, 1)
insert t values (1)
set identity_insert t off
insert t values (4)
select id from t order by id
go
-- values of what failed are gone
begin tran insert t values (1) rollback
insert t values (5)
select max(id) as m from t
go
dbcc checkident ('t', reseed, 500) with no_infomsgs
insert t values (6)
select max(id) as m, ident_seed('t') as s, ident_incr('t') as i from t
go
truncate table t
insert t values (7)
select id from t
go
update t set id = 1
go
create table small (id tinyint identity(255, 1))
insert small default values
insert small default values
go
-- sequences
create sequence s start with 10 increment by 2 maxvalue 14
select next value for s as a, next value for s as b
select next value for s as a
select next value for s as a
select next value for s as a
alter sequence s restart with 10
select current_value as c from sys.sequences
select next value for s as a
create table u (id int default (next value for s), v int)
insert u (v) values (1)
select * from u
