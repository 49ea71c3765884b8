-- Functions that read JSON text, and OPENJSON.
select isjson('{}'), json_value('{"a":1}', '$.a')
select isjson('{}', object), isjson('{}', array), isjson('1', scalar), isjson('true', VALUE)
go
select isjson('{}', thing)
go
select isjson('{}', 'object')
go
select json_value('{"a":{"b":[10,{"c":"x\u0041"}]}}', '$.a.b[1].c'),
       json_query('{"a" : {"b" : [10, 20]}}', 'lax $.a'),
       json_path_exists('{"a":1}', '$.a'), json_path_exists('{"a":1}', '$.b')
go
-- What is wrong is said with its place.
select json_value('{a:1}', '$.a')
go
select json_value(N'{"ä":"ö"} x', '$.b')
go
select json_query('{"a":[1,2', '$.a')
go
select json_value('{}', 'x.a')
go
select json_value('{"a":1}', 'strict $.b')
go
select json_value('{"a":[1]}', 'strict $.a')
go
select json_query('{"a":1}', 'strict $.a')
go
select json_value('{}', null)
go
select json_value(17, '$.a')
go
declare @path nvarchar(20)
select json_value('{}', @path)
go
-- Rows of a document.
select * from openjson('[1,2]')
select * from openjson(N'{"text":"ä","number":1.50,"yes":true,"nothing":null,"list":[1, 2],"object":{ "a":1 }}')
select [key], value from openjson('{"a":{"b":[5,6]}}', '$.a.b')
select * from openjson('{"a":1}', '$.b')
select * from openjson(null)
go
select * from openjson('{"a":1}', 'strict $.b')
go
select * from openjson('{"a":1}', 'strict $.a')
go
select * from openjson('{"a":1,"b":}')
go
select * from openjson('{"a":[1]}', null)
go
-- Rows with columns of their own.
declare @orders nvarchar(max) = N'[
  {"Order": {"Number":"SO43659", "Date":"2011-05-31T00:00:00"}, "Account":"AW29825", "Item":{"Price":2024.9940, "Quantity":1}},
  {"Order": {"Number":"SO43661", "Date":"2011-06-01T00:00:00"}, "Account":"AW73565", "Item":{"Price":2024.9940, "Quantity":3}}]'
select * from openjson(@orders) with (
    Number varchar(200) '$.Order.Number',
    Date datetime '$.Order.Date',
    Account varchar(10),
    Quantity int '$.Item.Quantity',
    Price money '$.Item.Price',
    [Order] nvarchar(max) as json,
    Missing bit)
select Account, sum(Quantity) as Quantity
from openjson(@orders) with (Account varchar(10), Quantity int '$.Item.Quantity') as o
group by Account order by Account desc
go
select v from openjson('["x","y",null]') with (v nvarchar(max) '$')
select * from openjson('[{"v":"abcdef","n":12345,"b":"AQID"}]')
    with (v varchar(3), c char(8) '$.v', n varchar(3), one nvarchar '$.v', b varbinary(10), p binary(5) '$.b')
select concat([a b], '|', [c"d]) as both from openjson('[{"a b":5,"c\"d":6}]') with ([a b] int, [c"d] int)
select v from openjson('[{"v":[1,2]},{"v":{"a":1}},{"v":7}]') with (v int)
go
select * from openjson('[{"v":true}]') with (v int)
go
select * from openjson('[{"v":[1]}]') with (v int 'strict $.v')
go
select * from openjson('[{"v":1}]') with (w int 'strict $.w')
go
select * from openjson('[{"v":1}]') with (v int as json)
go
select * from openjson('[{"v":1}]') with (v text)
go
select * from openjson('[{"v":1}]') with (v int collate Latin1_General_BIN)
go
select * from openjson('[{"v":"x"}]') with (v varbinary(10))
go
select * from openjson('[{"v":"AQIDBA=="}]') with (v varbinary(2))
go
select count(*) from openjson('[{"v":"a"}]') with (v nvarchar(10) collate Latin1_General_CS_AS) where v = 'A'
go
-- One part of a text is changed.
select json_modify('{"name":"Ann","skills":["C#"]}', '$.name', N'Änne')
select json_modify(json_modify(json_modify('{"name":"Ann","skills":["C#"]}', '$.name', null), 'append $.skills', 'T-SQL'), '$.age', 7)
select json_modify('{"a":1}', '$.b', json_query('{ "z" : [1, 2] }')), json_modify('{"a":1}', '$.b', '{ "z" : 3 }')
select json_modify('{"a":1}', '$.b', json_object('z' : 1)), json_modify('{"a":1}', '$.a', json_value('{"q":"s"}', '$.q'))
select json_modify('{"a":1}', '$.a', cast(1 as bit)), json_modify('{"a":1}', '$.a', 1.50), json_modify('{"a":1}', '$.a', 1e0)
go
select json_modify('{"a":1}', 'strict $.b', 1)
go
select json_modify('{"a":1}', 'append strict $.a', 1)
go
select json_modify('{"a":1}', '$', 1)
go
select json_modify('{"a":1', '$.a', 1)
go
select json_modify('{"a":1}', '$.a', getdate())
go
-- Documents in tables: joined, checked, computed, indexed.
create table dbo.People (
    Id int not null primary key,
    Name nvarchar(50) not null,
    Details nvarchar(max) not null constraint ck_json check (isjson(Details) = 1),
    City as cast(json_value(Details, '$.address.city') as nvarchar(50)) persisted,
    index ix_city (City))
insert dbo.People (Id, Name, Details) values
    (1, 'Ann', '{"address":{"city":"Bonn"},"tags":["a","b"]}'),
    (2, 'Bob', '{"address":{"city":"Ulm"},"tags":[]}'),
    (3, 'Cyd', '{"tags":["b","c"]}')
insert dbo.People (Id, Name, Details) values (4, 'Dan', 'no json')
go
select Id, City from dbo.People where City = N'Ulm'
select p.Id, t.value from dbo.People as p cross apply openjson(p.Details, '$.tags') as t order by p.Id, t.[key]
select p.Id, t.value from dbo.People as p outer apply openjson(p.Details, '$.tags') with (value nvarchar(10) '$') as t order by p.Id, t.value
update dbo.People set Details = '{"address":{"city":"Ulm"}}' where Id = 1
select Id from dbo.People where City = N'Ulm' order by Id
go
-- Lists and columns as EF Core asks for them.
exec sp_executesql N'select [p].[Id] from [People] as [p] where [p].[Id] in (
    select [i].[value] from openjson(@ids) with ([value] int ''$'') as [i]) order by [p].[Id]',
    N'@ids nvarchar(4000)', @ids = N'[3,1,7]'
exec sp_executesql N'select [p].[Id] from [People] as [p] where N''b'' in (
    select [t].[value] from openjson(json_query([p].[Details], ''$.tags'')) with ([value] nvarchar(max) ''$'') as [t])',
    N''
exec sp_executesql N'select [p].[Id], (select count(*) from openjson([p].[Details], ''$.tags'') as [t]) as [c]
    from [People] as [p] where exists (select 1 from openjson([p].[Details]) as [d] where [d].[key] = N''tags'')
    order by [p].[Id]', N''
select cast(json_value('{"":"17"}', '$.""') as int)
go
create view dbo.Keys as select p.Id, k.[key], k.type from dbo.People as p cross apply openjson(p.Details) as k
go
select name, collation_name, max_length, is_nullable from sys.columns where object_id = object_id('dbo.Keys') order by column_id
select count(*) from dbo.Keys where [key] = 'TAGS'
select count(*) from dbo.Keys where [key] = 'tags'
go
drop view dbo.Keys
drop table dbo.People
go
-- Memory-optimized tables and natively compiled modules.
create table dbo.Events (
    Id int not null primary key nonclustered,
    Payload nvarchar(4000) not null,
    check (isjson(Payload) = 1)) with (memory_optimized = on)
insert dbo.Events values (1, '{"kind":"open","n":5}'), (2, '{"kind":"close"}')
go
create procedure dbo.Kind @id int with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'English')
    select json_value(Payload, '$.kind') as kind, json_query(Payload, '$') as whole, isjson(Payload) as is_json,
        json_modify(Payload, '$.id', Id) as changed
    from dbo.Events where Id = @id
end
go
exec dbo.Kind 1
exec dbo.Kind 2
select e.Id, j.[key], j.value from dbo.Events as e cross apply openjson(e.Payload) as j order by e.Id, j.[key]
go
insert dbo.Events values (3, '{')
go
drop procedure dbo.Kind
drop table dbo.Events
-- A path may have another collation than the document, whose collation the result has.
declare @d nvarchar(max) = N'{"a":"x","b":["y"]}'
select j.[key], json_value(@d, N'$."' + j.[key] + N'"') as v, json_query(@d, N'$.' + j.[key] collate Danish_Norwegian_CI_AS) as q, json_path_exists(@d, N'$.' + j.[key]) as e,
  json_modify(@d, N'$.' + j.[key], j.value collate Turkish_CI_AS) as m from openjson(@d) as j order by j.[key]
go
