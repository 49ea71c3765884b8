-- What each function shows of each type, and to whom.
create user ann without login
create user bob without login
create table people (
  id int identity primary key,
  name nvarchar(30) masked with (function = 'partial(1, "...", 2)') null,
  mail varchar(40) masked with (function = 'email()') null,
  code char(3) masked with (function = 'default()') null,
  note varchar(max) masked with (function = 'default()') null,
  age int masked with (function = 'default()') not null default 30,
  pay money masked with (function = 'random(5, 5)') null,
  rate decimal(6, 2) masked with (function = 'random(1.5, 1.5)') null,
  born datetime2(0) masked with (function = 'datetime("Y")') null,
  seen date masked with (function = 'default()') null,
  at_time time(0) masked with (function = 'datetime("h")') null,
  flag bit masked with (function = 'default()') null,
  doc xml masked with (function = 'default()') null,
  raw varbinary(10) masked with (function = 'default()') null,
  own uniqueidentifier masked with (function = 'default()') null,
  plain int null,
  index by_age (age))
insert people (name, mail, code, note, age, pay, rate, born, seen, at_time, flag, doc, raw, own, plain) values
  (N'Roberta', 'rob@example.org', 'abc', 'long', 41, 100, 2.5, '2011-12-13 14:15:16', '2011-12-13', '14:15:16', 1, '<a/>', 0x0102, '11111111-1111-1111-1111-111111111111', 1),
  (N'Al', '', 'x', '', 22, 200, 3.5, '2020-02-29 01:02:03', null, null, null, null, null, null, 2),
  (null, null, null, null, 33, null, null, null, null, null, null, null, null, null, 3)
grant select, insert, update, delete on people to ann
grant select on people to bob
go
select id, name, mail, code, note, age, pay, rate from people order by id
execute as user = 'ann'
select id, name, mail, code, note, age, pay, rate from people order by id
select id, born, seen, at_time, flag, doc, raw, own, plain from people order by id
-- conditions, groups and orders see what there is
select id, age from people where age > 30 order by age desc
select id from people where name = N'Roberta'
select age, count(*) as n from people group by age order by age
select id, case when age > 40 then 'old' else 'young' end as how from people order by id
select p.id, q.id as other from people p join people q on q.age = p.age + 11 order by p.id
select distinct age from people
select top 1 id from people order by pay desc
if exists (select 1 from people where age = 41) print 'there'
if (select max(age) from people) = 41 print 'seen'
-- what is computed of it
select id, age + 1 as more, name + N'!' as loud, upper(mail) as mail, len(name) as length, cast(age as varchar(10)) as shown, coalesce(name, mail) as any_of, isnull(name, N'none') as named, plain + 1 as free from people order by id
select max(age) as most, min(name) as least, sum(pay) as total, count(age) as n, avg(rate) as mean from people
select id, (select max(q.age) from people q) as most, (select q.mail from people q where q.id = p.id) as mail, row_number() over (order by age) as place, lag(age) over (order by id) as before from people p order by id
select name from people where id = 1 union all select name from people where id = 2
select name from people where id = 1 union all select mail from people where id = 2
select name from people where id = 1 union all select N'free text'
;with c as (select mail, name as n from people) select * from c order by 1
select d.mail, d.two from (select mail, age * 2 as two from people) d order by 2, 1
select id, x.v from people cross apply (values (mail), (code)) x (v) where id = 1
select id, v, k from (select id, cast(mail as varchar(40)) as mail, cast(note as varchar(40)) as note from people) p unpivot (v for k in (mail, note)) u order by id, k
select id, name, age from people order by id for json path
select id, name, age from people where id = 1 for xml raw
select string_agg(name, N',') as names from people
go
select convert(int, code) as c from people
go
revert
go
-- views and modules: their owner's chain shows nothing
create view shown as select id, mail, age, age + 1 as older from people
go
create procedure listed as select id, mail from people order by id
go
create procedure listed_as_owner with execute as owner as select id, mail from people order by id
go
create function mails () returns table as return select id, mail from dbo.people
go
grant select on shown to ann
grant execute on listed to ann
grant execute on listed_as_owner to ann
grant select on mails to ann
execute as user = 'ann'
select * from shown order by id
exec listed
exec listed_as_owner
exec listed
select * from mails() order by id
exec sp_executesql N'select mail from people where age = @a', N'@a int', 41
revert
exec listed
go
-- what is stored, assigned and returned is masked
create table copies (id int, name nvarchar(30), mail varchar(40), age int)
grant select, insert on copies to ann
execute as user = 'ann'
insert copies (id, name, mail, age) select id, name, mail, age from people
select id, name, mail into #t from people
select * from #t order by id
declare @name nvarchar(30), @age int
select @name = name, @age = age from people where id = 1
print @name
print @age
set @name = (select name from people where id = 1)
print @name
update people set plain = age, name = mail where id = 1
update people set age = age + 1 output inserted.age, deleted.age as was, inserted.plain where id = 2
insert people (name, age) output inserted.name, inserted.age values (N'Zacharias', 77)
delete people output deleted.name, deleted.mail where id = 4
merge people t using (select 3 as id) s on s.id = t.id when matched then update set mail = 'new@example.org' output $action, inserted.mail, deleted.age;
declare c cursor static for select name, age from people order by id
open c
fetch next from c
close c
deallocate c
declare c cursor dynamic for select id, mail from people where id = 3
open c
fetch next from c
close c
deallocate c
revert
select * from copies order by id
select id, name, mail, age, plain from people order by id
go
-- UNMASK of all, of a schema, a table, a column
grant unmask to bob
execute as user = 'bob'
select id, mail, age from people order by id
exec sp_executesql N'select max(age) as most from people'
revert
deny unmask on people (age) to bob
execute as user = 'bob'
select id, mail, age, age + 1 as more from people order by id
revert
revoke unmask on people (age) to bob
revoke unmask to bob
grant unmask on people (mail) to bob
execute as user = 'bob'
select id, mail, age from people order by id
revert
revoke unmask on people (mail) to bob
grant unmask on people to bob
execute as user = 'bob'
select id, mail, age from people order by id
revert
revoke unmask on people to bob
grant unmask on schema::dbo to bob
execute as user = 'bob'
select id, mail, age from people order by id
revert
revoke unmask on schema::dbo to bob
execute as user = 'bob'
select id, mail, age from people order by id
revert
grant unmask on shown to bob
go
grant control on people to bob
execute as user = 'bob'
select id, mail from people where id = 3
revert
revoke control on people to bob
go
-- columns are changed
select c.name, c.masking_function, c.is_masked, t.name as of_table from sys.masked_columns c join sys.tables t on t.object_id = c.object_id order by c.column_id
select name, is_masked from sys.columns where object_id = object_id('people') and name in ('id', 'name')
select columnproperty(object_id('people'), 'age', 'IsMasked') as a, columnproperty(object_id('people'), 'plain', 'IsMasked') as p
alter table people alter column plain add masked with (function = 'default()')
alter table people alter column mail drop masked
alter table people alter column name nvarchar(40) masked with (function = 'partial(0, "?", 0)') null
alter table people alter column note varchar(50) null
alter table people add late varchar(10) masked with (function = 'default()') null
select name, masking_function from sys.masked_columns where name in ('plain', 'mail', 'name', 'note', 'late') order by column_id
execute as user = 'ann'
select id, name, mail, plain, note from people order by id
revert
alter table people alter column mail add masked with (function = 'email()')
alter table people alter column mail add masked with (function = 'default()')
select masking_function from sys.masked_columns where name = 'mail'
go
alter table people alter column mail drop masked
alter table people alter column mail drop masked
go
alter table people alter column nothing drop masked
go
-- what is refused
create table bad (a int masked with (function = 'unheard()'))
go
create table bad (a int masked with (function = ''))
go
create table bad (a int masked with (function = 'email()'))
go
create table bad (a varchar(10) masked with (function = 'random(1, 2)'))
go
create table bad (a varchar(10) masked with (function = 'partial(1)'))
go
create table bad (a varchar(10) masked with (function = 'partial(1, x, 2)'))
go
create table bad (a tinyint masked with (function = 'random(1, 300)'))
go
create table bad (a int masked with (function = 'random(2, 1)'))
go
create table bad (a date masked with (function = 'datetime("h")'))
go
create table bad (a int masked with (function = 'default'))
go
create table made (a int, b as a * 2)
alter table made alter column b add masked with (function = 'default()')
go
create table held (a int not null, b as a * 2, c int)
alter table held alter column a add masked with (function = 'default()')
go
drop table made, held
go
-- who may change masks
grant alter on people to ann
execute as user = 'ann'
alter table people alter column age drop masked
revert
go
execute as user = 'ann'
alter table people alter column age add masked with (function = 'default()')
revert
go
grant alter any mask to ann
execute as user = 'ann'
alter table people alter column age drop masked
revert
select count(*) as n from sys.masked_columns where name = 'age'
go
-- a computed column of a masked one; memory-optimized and temporal tables
create table counted (id int primary key, a int masked with (function = 'default()') not null, twice as a * 2)
insert counted (id, a) values (1, 21)
grant select on counted to ann
execute as user = 'ann'
select * from counted
revert
create table past (id int primary key, v int masked with (function = 'default()'), s datetime2 generated always as row start hidden, e datetime2 generated always as row end hidden, period for system_time (s, e)) with (system_versioning = on (history_table = dbo.past_rows))
insert past (id, v) values (1, 7)
update past set v = 8
grant select on past to ann
grant select on past_rows to ann
execute as user = 'ann'
select id, v from past for system_time all
select id, v from past_rows
revert
select object_name(object_id) as t, name from sys.masked_columns where object_id in (object_id('past'), object_id('past_rows')) order by 1
go
create table swift (id int not null primary key nonclustered, v varchar(20) masked with (function = 'email()') not null) with (memory_optimized = on, durability = schema_only)
go
create procedure swift_read with native_compilation, schemabinding as begin atomic with (transaction isolation level = snapshot, language = 'us_english') select id, v, v + '!' as w from dbo.swift end
go
create procedure swift_as_owner with native_compilation, schemabinding, execute as owner as begin atomic with (transaction isolation level = snapshot, language = 'us_english') select id, v from dbo.swift end
go
insert swift values (1, 'quick@example.org')
grant select on swift to ann
grant execute on swift_read to ann
grant execute on swift_as_owner to ann
exec swift_read
execute as user = 'ann'
select id, v from swift where v like 'quick%'
exec swift_read
exec swift_as_owner
exec swift_read
revert
exec swift_read
go
