-- Each case begins with the same four rows and without cursors.
create procedure fresh as
set nocount on
if cursor_status('global', 'c') <> -3 deallocate c
if cursor_status('global', 's') <> -3 deallocate s
if cursor_status('global', 'k') <> -3 deallocate k
drop table if exists t, k
create table t (id int primary key, v varchar(10))
insert t values (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')
go
-- A loop sees each row once.
set nocount off exec fresh
go
declare @id int, @v varchar(10), @all varchar(100) = '';
declare c cursor for select id, v from t where id > 1 order by id desc;
open c;
fetch next from c into @id, @v;
while @@fetch_status = 0
begin
    set @all += @v + cast(@id as varchar);
    fetch next from c into @id, @v;
end
close c;
deallocate c;
print @all;
print @@fetch_status;
go
-- Scroll cursors go anywhere.
set nocount off exec fresh
go
set nocount on;
declare @id int, @all varchar(200) = '';
declare c cursor scroll for select id from t order by id;
open c;
fetch last from c into @id; set @all += concat(@id, ' ');
fetch prior from c into @id; set @all += concat(@id, ' ');
fetch first from c into @id; set @all += concat(@id, ' ');
fetch relative 2 from c into @id; set @all += concat(@id, ' ');
fetch relative -1 from c into @id; set @all += concat(@id, ' ');
fetch prior from c into @id;
fetch prior from c into @id; set @all += concat(@@fetch_status, ' ');
fetch next from c into @id; set @all += concat(@id, ' ', @@cursor_rows);
print @all;
declare s cursor static for select id from t order by id;
open s;
fetch absolute -2 from s into @id; print @id;
fetch absolute 9 from s into @id; print @@fetch_status;
print @@cursor_rows
go
-- Rows go to the client without INTO.
set nocount off exec fresh
go
declare c cursor for select id, v as w from t order by id;
open c; fetch c; fetch next from c
go
-- Rows are changed where the cursor stands.
set nocount off exec fresh
go
set nocount on;
declare @id int;
declare c cursor for select id from t order by id;
open c;
fetch c into @id;
while @@fetch_status = 0
begin
    if @id = 3 delete t where current of c;
    else update t set v = v + '!' where current of c;
    fetch c into @id;
end
select * from t
go
-- A static cursor does not show changes.
set nocount off exec fresh
go
set nocount on;
declare @id int, @v varchar(10), @all varchar(100) = '';
declare c cursor static for select id, v from t order by id;
open c;
update t set v = 'x' where id = 2;
delete t where id = 3;
insert t values (5, 'e');
fetch c into @id, @v;
while @@fetch_status <> -1
begin
    set @all += concat(@@fetch_status, @v, ' ');
    fetch c into @id, @v;
end
print @all
go
-- A keyset shows changes and where rows are gone.
set nocount off exec fresh
go
set nocount on;
declare @id int, @v varchar(10), @all varchar(100) = '';
declare c cursor keyset for select id, v from t order by id;
open c;
update t set v = 'x' where id = 2;
delete t where id = 3;
insert t values (5, 'e');
fetch c into @id, @v;
while @@fetch_status <> -1
begin
    set @all += concat(@@fetch_status, @v, ' ');
    fetch c into @id, @v;
end
print @all
go
-- Variables count as they were when the cursor was declared.
set nocount off exec fresh
go
set nocount on;
declare @least int = 3, @id int;
declare @ids table (id int primary key);
insert @ids values (4);
declare c cursor for select t.id from t join @ids i on i.id = t.id where t.id >= @least;
set @least = 9;
open c;
fetch c into @id;
print concat(@id, ' ', (select count(*) from @ids))
go
-- Cursor variables refer to cursors.
set nocount off exec fresh
go
set nocount on;
declare @c cursor, @d cursor, @id int;
print cursor_status('variable', '@c');
set @c = cursor scroll for select id from t order by id;
print cursor_status('variable', '@c');
set @d = @c;
open @d;
print cursor_status('variable', '@c');
fetch last from @c into @id;
deallocate @c;
print cursor_status('variable', '@c');
fetch prior from @d into @id;
print @id;
go
-- Local cursors end with their batch, and global ones stay.
set nocount off exec fresh
go
declare l cursor local for select id from t
go
declare g cursor global for select id from t order by id; open g
go
open l
go
fetch g
go
create procedure p as begin declare @i int; fetch g into @i; print @i end
go
exec p
go
print cursor_status('global', 'g')
go
close g; print cursor_status('global', 'g')
go
deallocate g; print cursor_status('global', 'g')
go
-- The end of a transaction closes cursors: a rollback those that are not static, and a commit all if the session says so.
set nocount off exec fresh
go
declare k cursor keyset for select id from t; declare s cursor static for select id from t
go
open k; open s; begin tran commit; print concat(cursor_status('global', 'k'), cursor_status('global', 's'))
go
open k; open s; close k; close s; open k; open s; begin tran rollback; print concat(cursor_status('global', 'k'), cursor_status('global', 's'))
go
close s; set cursor_close_on_commit on
go
open k; open s; begin tran commit; print concat(cursor_status('global', 'k'), cursor_status('global', 's'))
go
set cursor_close_on_commit off
go
-- Procedures give cursors back, which are local to them.
set nocount off exec fresh
go
create procedure q @c cursor varying output as
    set @c = cursor local scroll for select id from t order by id; open @c
go
declare @c cursor, @i int; exec q @c output; fetch last from @c into @i; print @i;
exec q @c output
go
-- Rows of joins are changed table by table.
set nocount off exec fresh
go
set nocount on;
create table k (id int primary key, t int, n int);
insert k values (10, 1, 100), (20, 2, 200), (30, 3, 300);
declare @id int, @v varchar(10);
declare c cursor for select k.id, t.v from k join t on t.id = k.t where k.id < 30 order by k.id;
open c;
fetch c into @id, @v;
update t set v = 'x' where current of c;
update k set n += 1 where current of c;
fetch c into @id, @v;
delete k where current of c;
fetch c into @id, @v;
print concat(@id, @v, @@fetch_status);
select string_agg(concat(id, v), ' ') within group (order by id) as t from t;
select string_agg(concat(id, '=', n), ' ') within group (order by id) as k from k
go
-- Joins show what has changed under them.
set nocount off exec fresh
go
set nocount on;
create table k (id int primary key, t int);
insert k values (10, 1), (20, 2), (30, 3), (40, 4);
declare @v varchar(10), @all varchar(100) = '';
declare c cursor keyset for select t.v from k, t where t.id = k.t order by k.id;
open c;
update t set v = 'new' where id = 2;
delete k where id = 30;
while 1 = 1
begin
    fetch c into @v;
    if @@fetch_status = -1 break;
    set @all += concat(@v, @@fetch_status, ' ');
end
print @all
go
-- Dynamic cursors pass over rows that are gone.
set nocount off exec fresh
go
set nocount on;
declare @id int;
declare c cursor scroll dynamic for select id from t order by id;
open c;
fetch c into @id;
delete t where id in (2, 3);
fetch next from c into @id;
print concat(@id, ' ', @@fetch_status);
fetch prior from c into @id;
print concat(@id, ' ', @@fetch_status)
go
-- Keyset cursors tell of them.
set nocount off exec fresh
go
set nocount on;
declare @id int;
declare c cursor scroll keyset for select id from t order by id;
open c;
fetch c into @id;
delete t where id in (2, 3);
fetch next from c into @id;
print concat(@id, ' ', @@fetch_status);
fetch prior from c into @id;
print concat(@id, ' ', @@fetch_status)
go
