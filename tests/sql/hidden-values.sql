-- Ways around masks and policies: none shows what the user may not see.
create user ann without login
create user maker without login
go
create schema sec
go
create schema own authorization ann
go
create table kept (id int not null, secret varchar(40) masked with (function = 'email()') not null, num int masked with (function = 'default()') not null, made as secret + '!' persisted, constraint kept_key primary key (id, secret), index by_num unique (num))
insert kept (id, secret, num) values (1, 'rob@example.org', 4711), (2, 'rob@example.org', 4712)
grant select, insert, update, delete on kept to ann
grant create view to ann
go
-- columns that rows hold, computed of masked ones
execute as user = 'ann'
select id, made from kept
update kept set num = num output inserted.made, deleted.made as was where id = 7
-- a recursion that passes a column on step by step
;with r as (select 0 as n, cast('' as varchar(40)) as a, cast('' as varchar(40)) as b, cast('' as varchar(40)) as c union all select r.n + 1, k.secret, r.a, r.b from r join kept k on k.id = 1 where r.n < 3) select * from r
revert
go
-- changes of a tracked table, whose key is masked
alter database current set change_tracking = on
go
create table followed (mail varchar(40) masked with (function = 'email()') not null, id int not null, constraint followed_key primary key (mail, id))
alter table followed enable change_tracking
insert followed (mail, id) values ('rob@example.org', 5)
grant select, view change tracking on followed to ann
go
execute as user = 'ann'
select c.mail, c.id, c.sys_change_operation from changetable(changes followed, 0) c
select upper(c.mail) as mail, max(c.id) as id from changetable(changes followed, 0) c group by c.mail
revert
select c.mail, c.id from changetable(changes followed, 0) c
go
-- errors: of conditions that stand alone, of queries in conditions, of keys
execute as user = 'ann'
if (select top 1 cast(secret as int) from kept) > 0 print 'shown'
go
select 1 as a where exists (select 1 from kept where cast(secret as int) = 1)
go
declare @i int = (select top 1 1 from kept where cast(secret as smallint) = 1)
go
select id from kept where parse(secret as int) = 1
go
select id from kept where sysdatetimeoffset() at time zone secret > '2000-01-01'
go
select id from kept where format(1, 'N', secret) = 'x'
go
select id from kept where json_value(secret, '$.a') = '1'
go
select id from kept where convert(varchar(30), getdate(), num) = ''
go
select id from kept where hierarchyid::Parse(secret) is null
go
update kept set id = 1
go
insert kept (id, secret, num) values (3, 'new', 4711)
go
begin try
  update kept set id = 1
end try
begin catch
  select error_number() as n, error_message() as m
end catch
go
revert
go
update kept set id = 1
go
-- triggers of a view that is the user's own
create view own.shown as select id, secret, num from dbo.kept
go
create trigger own.shown_delete on own.shown instead of delete as select * from deleted
go
create trigger own.shown_update on own.shown instead of update as select * from deleted select * from inserted
go
execute as user = 'ann'
delete own.shown
update own.shown set id = 9 where id = 2
merge own.shown v using (values (1)) s (id) on v.id = s.id when matched then update set id = 3;
revert
delete own.shown
go
-- of a view whose owner has the table, too: what is written back is what was there
create view dbo.edited as select id, secret, num from dbo.kept
go
create trigger dbo.edited_update on dbo.edited instead of update as update k set num = i.num, secret = i.secret from kept k join inserted i on i.id = k.id
go
grant select, update on dbo.edited to ann
execute as user = 'ann'
update edited set num = 5000 where id = 2
revert
select id, secret, num from kept order by id
go
-- statistics
execute as user = 'ann'
dbcc show_statistics ('kept', 'kept_key') with histogram
go
dbcc show_statistics ('kept', 'by_num') with histogram
revert
go
grant unmask on kept to ann
execute as user = 'ann'
dbcc show_statistics ('kept', 'by_num') with histogram
revert
go
create function sec.mine (@owner sysname) returns table with schemabinding as return select 1 as ok where @owner = user_name()
go
create table guarded (id int primary key, owner sysname not null, note varchar(20), index by_note (note))
insert guarded values (1, 'ann', 'plain'), (2, 'bob', 'hidden')
grant select on guarded to ann
grant select on guarded to maker
alter role db_ddladmin add member maker
go
execute as user = 'ann'
dbcc show_statistics ('guarded', 'by_note') with histogram
revert
go
create security policy sec.guard add filter predicate sec.mine(owner) on dbo.guarded
go
execute as user = 'ann'
dbcc show_statistics ('guarded', 'by_note') with histogram
revert
go
execute as user = 'maker'
dbcc show_statistics ('guarded', 'by_note') with histogram
revert
go
-- a function that the server calls reads as the user does
create function dbo.notes_of (@id int) returns varchar(20) as begin return (select max(note) from dbo.guarded where id = @id) end
go
create table judged (id int primary key, constraint unseen check (dbo.notes_of(id) is null))
insert judged values (2)
dbcc checkconstraints (judged)
go
