-- Both tables are searched by their indexes.
create table emp (id int identity primary key, name nvarchar(30) not null, pay decimal(9, 2),
  valid_from datetime2 generated always as row start hidden not null, valid_to datetime2 generated always as row end hidden not null,
  period for system_time (valid_from, valid_to)) with (system_versioning = on (history_table = dbo.emp_past))
create index ix on emp_past (id)
insert emp values ('Ann', 10), ('Bob', 20)
update emp set pay = 30 where id = 1
go
set showplan_text on
go
select name from emp for system_time as of '2024-01-01' where id = 1
go
select name from emp for system_time contained in ('2023-01-01', '2024-01-01')
go
update emp set pay = 1 where id = 1
go
set showplan_text off
go
