-- What cursors refuse. Each case begins without the cursor.
create table t (id int primary key, v varchar(10))
insert t values (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')
go
create procedure fresh as if cursor_status('global', 'c') <> -3 deallocate c
go
open c
go
exec fresh
go
declare @c cursor; open @c
go
exec fresh
go
declare c cursor for select 1 a; declare c cursor for select 1 a
go
exec fresh
go
declare c cursor scroll fast_forward for select id from t
go
exec fresh
go
declare c cursor static for select id from t for update
go
exec fresh
go
declare c cursor for select nothing from t
go
exec fresh
go
declare c cursor for select id from nowhere
go
-- What depends on whether it is open, and on its row.
exec fresh
go
declare @a int, @b int; declare c cursor for select id from t; fetch c
go
exec fresh
go
declare @a int, @b int; declare c cursor for select id from t; close c
go
exec fresh
go
declare @a int, @b int; declare c cursor for select id from t; open c; open c
go
exec fresh
go
declare @a int, @b int; declare c cursor for select id from t; open c; fetch last from c
go
exec fresh
go
declare @a int, @b int; declare c cursor for select id from t; open c; fetch c into @a, @b
go
exec fresh
go
declare @a int, @b int; declare c cursor for select id from t; open c; update t set v = 'x' where current of c
go
exec fresh
go
declare @a int, @b int; declare c cursor for select id from t; update t set v = 'x' where current of c
go
exec fresh
go
declare @a int, @b int; declare c cursor for select id from t; deallocate c; deallocate c
go
-- What names no row of one table is read-only.
exec fresh
go
declare c cursor for select v, count(*) n from t group by v; open c; fetch c;
update t set v = 'x' where current of c
go
exec fresh
create table k (id int primary key)
create table h (id int)
insert h values (1)
insert k values (1)
go
declare c cursor for select a.v from t a join t b on b.id = a.id; open c; fetch c; update t set v = 'x' where current of c
go
exec fresh
go
declare c cursor for select t.v from t cross apply (select 1 as one) as k; open c; fetch c; update t set v = 'x' where current of c
go
exec fresh
go
declare c cursor keyset for select t.v from t join h on h.id = t.id; open c; fetch c; update t set v = 'x' where current of c
go
exec fresh
go
declare c cursor for select distinct t.v from t join k on k.id = t.id; open c; fetch c; update t set v = 'x' where current of c
go
-- The cursor's row is of other tables.
exec fresh
create table o (id int primary key)
go
declare c cursor for select t.v from t join k on k.id = t.id;
open c; fetch c; delete o where current of c
go
