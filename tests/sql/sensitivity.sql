create schema hr
go
create table hr.people (id int primary key, name nvarchar(50), mail varchar(100), pay money, doubled as pay * 2)
create table t (a int, [odd name] int)
go
add sensitivity classification to hr.people.name, hr.people.mail
  with (label = 'Confidential', label_id = '643f7acd-776a-438d-890c-79c3f2a520d6', information_type = N'Contact info',
    information_type_id = '5c503e21-22c6-81fa-620b-f369b8ec38d1', rank = medium)
add sensitivity classification to hr.people.pay with (label = 'Highly confidential', rank = critical)
add sensitivity classification to t.[odd name], dbo.t.a with (information_type = 'Other')
go
select object_name(major_id) o, col_name(major_id, minor_id) c, class, class_desc, label, label_id, information_type t,
  information_type_id ti, rank, rank_desc
from sys.sensitivity_classifications order by o, minor_id
go
-- The last word counts
add sensitivity classification to hr.people.pay with (rank = none)
select label, rank, rank_desc from sys.sensitivity_classifications where major_id = object_id('hr.people') and minor_id = 4
go
-- Names and columns are followed
exec sp_rename 't.a', 'b', 'COLUMN'
exec sp_rename 'hr.people', 'persons'
alter schema dbo transfer hr.persons
alter table persons alter column name nvarchar(60)
alter table t drop column [odd name]
go
select object_name(major_id) o, col_name(major_id, minor_id) c, label from sys.sensitivity_classifications order by o, minor_id
go
truncate table persons
drop sensitivity classification from t.b, persons.name
drop sensitivity classification from t.b
select object_name(major_id) o, col_name(major_id, minor_id) c from sys.sensitivity_classifications order by o, minor_id
go
begin transaction
drop sensitivity classification from dbo.persons.mail
select count(*) n from sys.sensitivity_classifications
rollback
select count(*) n from sys.sensitivity_classifications
go
-- Errors
add sensitivity classification to nowhere.a with (label = 'x')
go
add sensitivity classification to t.nothing with (label = 'x')
go
add sensitivity classification to t.b, t.nothing with (label = 'x')
go
create view v as select b from t
go
add sensitivity classification to v.b with (label = 'x')
go
drop sensitivity classification from v.b
go
add sensitivity classification to t.b with (rank = huge)
go
add sensitivity classification to t.b with (label = 'x', label = 'y')
go
add sensitivity classification to t.b with ()
go
add sensitivity classification to t.b
go
add sensitivity classification to b with (label = 'x')
go
add sensitivity classification to [sensitivity].dbo.t.b with (label = 'x')
go
add something
go
declare @text nvarchar(400) = 'add sensitivity classification to t.b with (label = ''' + replicate('x', 129) + ''')'
exec (@text)
go
select count(*) n from sys.sensitivity_classifications where major_id = object_id('t')
go
-- Permissions
create user viewer without login
create user classifier without login
create user other without login
grant view any sensitivity classification to viewer
grant alter any sensitivity classification to classifier
grant select on persons to other
grant view definition to other
go
execute as user = 'viewer'
select count(*) n from sys.sensitivity_classifications
go
add sensitivity classification to t.b with (label = 'x')
go
revert
go
execute as user = 'classifier'
add sensitivity classification to t.b with (label = 'x')
select count(*) n from sys.sensitivity_classifications
go
revert
go
execute as user = 'other'
select count(*) n from sys.sensitivity_classifications
select has_perms_by_name(null, 'database', 'view any sensitivity classification') p
go
revert
deny view any sensitivity classification to classifier
deny alter any sensitivity classification to classifier
go
execute as user = 'classifier'
select count(*) n from sys.sensitivity_classifications
go
drop sensitivity classification from t.b
go
revert
select permission_name, state_desc, type, user_name(grantee_principal_id) u from sys.database_permissions
where type in ('AASC', 'VASC') order by 1, 4
go
-- Events
create trigger tell on database for ddl_sensitivity_events as
declare @event xml = eventdata()
declare @told nvarchar(200) = concat(@event.value('(/EVENT_INSTANCE/EventType)[1]', 'nvarchar(100)'), ' ',
  @event.value('(/EVENT_INSTANCE/TargetObjectName)[1]', 'nvarchar(100)'), '.', @event.value('(/EVENT_INSTANCE/ObjectName)[1]', 'nvarchar(100)'))
print @told
go
add sensitivity classification to t.b, persons.mail with (label = 'x')
drop sensitivity classification from t.b
go
drop trigger tell on database
go
-- What shows classified columns works as before
insert persons values (1, 'Ann', 'ann@example.com', 10)
select name, mail, pay, doubled from persons
update persons set pay = 11 output deleted.mail, inserted.pay
select max(mail) m, count(pay) n from persons
