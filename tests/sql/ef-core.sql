-- Statements as Entity Framework Core writes them: lists of parameters, JSON columns, temporal tables, trees, saves.
create table [Blogs] ([Id] int not null identity, [Name] nvarchar(450) not null, [Rating] int null, [Owner] nvarchar(max) null, [Tags] nvarchar(max) not null default N'[]',
  [Opened] date not null default '2024-01-01', [At] time not null default '08:00:00', [Changed] datetime2 not null default '2024-03-01T10:20:30', [Version] rowversion not null,
  constraint [PK_Blogs] primary key ([Id]))
create table [Posts] ([Id] int not null identity, [Title] nvarchar(100) not null, [BlogId] int not null, [Score] decimal(18,2) not null default 0.0, [Metadata] nvarchar(max) not null,
  [IsDeleted] bit not null default cast(0 as bit), constraint [PK_Posts] primary key ([Id]),
  constraint [FK_Posts_Blogs_BlogId] foreign key ([BlogId]) references [Blogs] ([Id]) on delete cascade)
create index [IX_Posts_BlogId] on [Posts] ([BlogId])
go
-- several rows at once: MERGE with the position of each, so that the keys come back in the order of the entities
exec sp_executesql N'SET IMPLICIT_TRANSACTIONS OFF;
SET NOCOUNT ON;
MERGE [Blogs] USING (
VALUES (@p0, @p1, @p2, 0),
(@p3, @p4, @p5, 1),
(@p6, @p7, @p8, 2),
(@p9, @p10, @p11, 3)) AS i ([Name], [Rating], [Owner], _Position) ON 1=0
WHEN NOT MATCHED THEN
INSERT ([Name], [Rating], [Owner])
VALUES (i.[Name], i.[Rating], i.[Owner])
OUTPUT INSERTED.[Id], i._Position;
', N'@p0 nvarchar(450), @p1 int, @p2 nvarchar(max), @p3 nvarchar(450), @p4 int, @p5 nvarchar(max), @p6 nvarchar(450), @p7 int, @p8 nvarchar(max), @p9 nvarchar(450), @p10 int, @p11 nvarchar(max)',
  @p0 = N'Alpha', @p1 = 5, @p2 = N'{"Name":"Ann","Address":{"City":"Bonn","Zip":"53111"},"Phones":[{"Kind":1,"Number":"1"},{"Kind":2,"Number":"22"}]}',
  @p3 = N'Beta', @p4 = null, @p5 = N'{"Name":"Bob","Address":null,"Phones":[]}', @p6 = N'Gamma', @p7 = 3, @p8 = null,
  @p9 = N'Delta', @p10 = 5, @p11 = N'{"Name":"Dan","Address":{"City":"Köln","Zip":null},"Phones":[{"Kind":1,"Number":"4"}]}'
go
-- one row; the key, the version and the default come back
exec sp_executesql N'SET IMPLICIT_TRANSACTIONS OFF;
SET NOCOUNT ON;
INSERT INTO [Posts] ([BlogId], [Metadata], [Title])
OUTPUT INSERTED.[Id], INSERTED.[Score], INSERTED.[IsDeleted]
VALUES (@p0, @p1, @p2);
', N'@p0 int, @p1 nvarchar(max), @p2 nvarchar(100)', @p0 = 1, @p1 = N'{"Views":10,"Published":"2024-02-29T12:30:00","Keys":["a","b"],"Updates":[{"By":"x","On":"2024-03-01","Commits":[{"Comment":"c1"},{"Comment":"c2"}]}]}', @p2 = N'first'
go
insert [Posts] ([BlogId], [Metadata], [Title], [Score]) values
  (1, N'{"Views":7,"Published":null,"Keys":[],"Updates":[]}', N'second', 2.5),
  (2, N'{"Views":null,"Keys":["b","c"],"Updates":[{"By":"y","On":"2024-04-01","Commits":[]},{"By":"z","On":null,"Commits":[{"Comment":"c3"}]}]}', N'third', 7),
  (4, N'{"Views":99,"Keys":["é","a"],"Updates":[]}', N'50% off_[x]', 1)
update [Blogs] set [Tags] = N'["dev","sql"]' where [Id] = 1
update [Blogs] set [Tags] = N'["sql",null]' where [Id] = 4
go
-- Contains over a list that is a parameter
exec sp_executesql N'SELECT [b].[Id], [b].[Name]
FROM [Blogs] AS [b]
WHERE [b].[Id] IN (
    SELECT [i].[value]
    FROM OPENJSON(@__ids_0) WITH ([value] int ''$'') AS [i]
)
ORDER BY [b].[Id]', N'@__ids_0 nvarchar(4000)', @__ids_0 = N'[1,3,99]'
exec sp_executesql N'SELECT [b].[Name] FROM [Blogs] AS [b] WHERE [b].[Rating] NOT IN (SELECT [r].[value] FROM OPENJSON(@__ratings_0) WITH ([value] int ''$'') AS [r]) OR [b].[Rating] IS NULL ORDER BY [b].[Name]',
  N'@__ratings_0 nvarchar(4000)', @__ratings_0 = N'[3]'
-- with NULL among the values
exec sp_executesql N'SELECT [b].[Name] FROM [Blogs] AS [b] WHERE [b].[Rating] IN (SELECT [r].[value] FROM OPENJSON(@__ratings_0_without_nulls) AS [r]) OR [b].[Rating] IS NULL ORDER BY [b].[Name]',
  N'@__ratings_0_without_nulls nvarchar(4000)', @__ratings_0_without_nulls = N'[3]'
exec sp_executesql N'SELECT [b].[Name] FROM [Blogs] AS [b] WHERE EXISTS (SELECT 1 FROM OPENJSON(@__names_0) WITH ([value] nvarchar(450) ''$'') AS [n] WHERE [n].[value] = [b].[Name] OR ([n].[value] IS NULL AND [b].[Name] IS NULL))',
  N'@__names_0 nvarchar(4000)', @__names_0 = N'["gamma",null]'
go
-- lists as parameters of their own, padded, as of version 10
exec sp_executesql N'SELECT [b].[Name] FROM [Blogs] AS [b] WHERE [b].[Id] IN (@ids1, @ids2, @ids3, @ids4) ORDER BY [b].[Name]', N'@ids1 int, @ids2 int, @ids3 int, @ids4 int', @ids1 = 2, @ids2 = 3, @ids3 = 3, @ids4 = 3
go
-- lists of primitive values in columns
select [b].[Name] from [Blogs] as [b] where N'sql' in (select [t].[value] from openjson([b].[Tags]) with ([value] nvarchar(max) '$') as [t]) order by [b].[Name]
select [b].[Name], (select count(*) from openjson([b].[Tags]) as [t]) as [Count], json_value([b].[Tags], '$[0]') as [First] from [Blogs] as [b] where (select count(*) from openjson([b].[Tags]) as [t]) >= 1 order by [b].[Name]
select [b].[Name], [t].[value], [t].[key] from [Blogs] as [b] outer apply openjson([b].[Tags]) as [t] order by [b].[Id], cast([t].[key] as int)
select [b].[Name] from [Blogs] as [b] where exists (select 1 from (select cast([t].[value] as nvarchar(max)) as [value], cast([t].[key] as int) as [c] from openjson([b].[Tags]) as [t] order by cast([t].[key] as int) offset 1 rows) as [u] where [u].[value] = N'sql')
declare @__p_1 int = 1
select [b].[Name], json_value([b].[Tags], N'$[' + cast(@__p_1 as nvarchar(max)) + N']') as [At] from [Blogs] as [b] order by [b].[Id]
select [b].[Name] from [Blogs] as [b] where (select count(*) from (select [t].[value] from openjson([b].[Tags]) with ([value] nvarchar(max) '$') as [t] union select [n].[value] from openjson(N'["dev","x"]') with ([value] nvarchar(max) '$') as [n]) as [u]) = 3
go
-- JSON columns: values, owned types, owned collections
select [b].[Name], json_value([b].[Owner], '$.Name') as [Owner], json_query([b].[Owner], '$.Address') as [Address], cast(json_value([b].[Owner], '$.Address.Zip') as int) as [Zip] from [Blogs] as [b] order by [b].[Id]
select [b].[Name] from [Blogs] as [b] where json_value([b].[Owner], '$.Address.City') = N'Köln'
select [b].[Name], [p].[Kind], [p].[Number], [p].[key] from [Blogs] as [b] cross apply (select [q].[key], json_value([q].[value], '$.Kind') as [Kind], json_value([q].[value], '$.Number') as [Number] from openjson([b].[Owner], '$.Phones') as [q]) as [p] order by [b].[Id], [p].[key]
select [p].[Title], [u].[By], [u].[On], [u].[Commits] from [Posts] as [p] cross apply openjson([p].[Metadata], '$.Updates') with ([By] nvarchar(max) '$.By', [On] date '$.On', [Commits] nvarchar(max) '$.Commits' as json) as [u] order by [p].[Id], [u].[By]
select [p].[Title], [u].[By], [c].[Comment] from [Posts] as [p] outer apply (select [v].[By], [v].[Commits] from openjson([p].[Metadata], '$.Updates') with ([By] nvarchar(max) '$.By', [On] date '$.On', [Commits] nvarchar(max) '$.Commits' as json) as [v] where [v].[On] >= '2024-03-01') as [u] outer apply openjson([u].[Commits], '$') with ([Comment] nvarchar(max) '$.Comment') as [c] order by [p].[Id], [u].[By], [c].[Comment]
select [p].[Title] from [Posts] as [p] where cast(json_value([p].[Metadata], '$.Views') as int) > 7 and cast(json_value([p].[Metadata], '$.Published') as datetime2) >= '2024-02-01T00:00:00.0000000'
select [p].[Title] from [Posts] as [p] where exists (select 1 from openjson([p].[Metadata], '$.Updates') with ([By] nvarchar(max) '$.By', [Commits] nvarchar(max) '$.Commits' as json) as [u] where (select count(*) from openjson([u].[Commits], '$') with ([Comment] nvarchar(max) '$.Comment') as [c]) = 2)
select [p].[Title], json_query([p].[Metadata], '$.Keys') as [Keys] from [Posts] as [p] where [p].[Id] = 1
select [p].[Title] from [Posts] as [p] where (select top(1) [u].[By] from openjson([p].[Metadata], '$.Updates') with ([By] nvarchar(max) '$.By', [On] date '$.On') as [u] order by [u].[On] desc) = N'y'
go
-- parts of documents are changed
exec sp_executesql N'SET IMPLICIT_TRANSACTIONS OFF;
SET NOCOUNT ON;
UPDATE [Blogs] SET [Owner] = JSON_MODIFY([Owner], ''strict $.Address.City'', @p0)
OUTPUT 1
WHERE [Id] = @p1;
', N'@p0 nvarchar(4000), @p1 int', @p0 = N'Aachen "W"', @p1 = 1
exec sp_executesql N'SET IMPLICIT_TRANSACTIONS OFF;
SET NOCOUNT ON;
UPDATE [Blogs] SET [Owner] = JSON_MODIFY([Owner], ''strict $.Phones[0]'', JSON_QUERY(@p0)) OUTPUT 1 WHERE [Id] = @p1;
UPDATE [Blogs] SET [Owner] = JSON_MODIFY([Owner], ''strict $.Address'', JSON_QUERY(@p2)), [Rating] = @p3 OUTPUT 1 WHERE [Id] = @p4;
UPDATE [Posts] SET [Metadata] = JSON_MODIFY([Metadata], ''strict $.Views'', CAST(JSON_VALUE(@p5, ''$[0]'') AS int)) OUTPUT 1 WHERE [Id] = @p6;
UPDATE [Posts] SET [Metadata] = JSON_MODIFY(JSON_MODIFY([Metadata], ''append $.Keys'', N''new''), ''$.Views'', NULL) OUTPUT 1 WHERE [Id] = @p7;
', N'@p0 nvarchar(39), @p1 int, @p2 nvarchar(40), @p3 int, @p4 int, @p5 nvarchar(4000), @p6 int, @p7 int', @p0 = N'{"Kind":9,"Number":"é"}', @p1 = 1, @p2 = N'{"City":"Trier","Zip":"54290"}', @p3 = 1, @p4 = 2, @p5 = N'[12]', @p6 = 1, @p7 = 2
select [Id], [Owner] from [Blogs] order by [Id]
select [Id], [Metadata] from [Posts] where [Id] <= 2 order by [Id]
go
-- what is not there, strictly
update [Blogs] set [Owner] = json_modify([Owner], 'strict $.Nothing', N'x') where [Id] = 1
go
-- concurrency: a row that has changed meanwhile is none of the rows
declare @v binary(8) = (select [Version] from [Blogs] where [Id] = 1)
exec sp_executesql N'SET IMPLICIT_TRANSACTIONS OFF;
SET NOCOUNT ON;
UPDATE [Blogs] SET [Rating] = @p0
OUTPUT CASE WHEN INSERTED.[Version] > @p2 THEN 1 ELSE 0 END AS [newer]
WHERE [Id] = @p1 AND [Version] = @p2;
', N'@p0 int, @p1 int, @p2 varbinary(8)', @p0 = 4, @p1 = 1, @p2 = @v
exec sp_executesql N'SET NOCOUNT ON; UPDATE [Blogs] SET [Rating] = @p0 OUTPUT INSERTED.[Version] WHERE [Id] = @p1 AND [Version] = @p2; DELETE FROM [Blogs] OUTPUT 1 WHERE [Id] = @p1 AND [Version] = @p2',
  N'@p0 int, @p1 int, @p2 varbinary(8)', @p0 = 2, @p1 = 1, @p2 = @v
select [Rating] from [Blogs] where [Id] = 1
go
-- tables with triggers: no OUTPUT without INTO
create trigger [TR_Posts] on [Posts] after insert, update as set nocount on
go
exec sp_executesql N'SET IMPLICIT_TRANSACTIONS OFF; SET NOCOUNT ON; INSERT INTO [Posts] ([BlogId], [Metadata], [Title]) OUTPUT INSERTED.[Id] VALUES (1, N''{}'', N''x'')'
go
exec sp_executesql N'SET NOCOUNT ON;
INSERT INTO [Posts] ([BlogId], [Metadata], [Title])
VALUES (@p0, @p1, @p2);
SELECT [Id], [Score]
FROM [Posts]
WHERE @@ROWCOUNT = 1 AND [Id] = scope_identity();
', N'@p0 int, @p1 nvarchar(max), @p2 nvarchar(100)', 3, N'{}', N'fourth'
exec sp_executesql N'SET NOCOUNT ON;
DECLARE @inserted0 TABLE ([Id] int, [_Position] [int]);
MERGE [Posts] USING (
VALUES (@p0, @p1, @p2, 0),
(@p3, @p4, @p5, 1)) AS i ([BlogId], [Metadata], [Title], _Position) ON 1=0
WHEN NOT MATCHED THEN
INSERT ([BlogId], [Metadata], [Title])
VALUES (i.[BlogId], i.[Metadata], i.[Title])
OUTPUT INSERTED.[Id], i._Position
INTO @inserted0;
SELECT [t].[Id], [t].[Score] FROM [Posts] t
INNER JOIN @inserted0 i ON ([t].[Id] = [i].[Id])
ORDER BY [i].[_Position];
', N'@p0 int, @p1 nvarchar(max), @p2 nvarchar(100), @p3 int, @p4 nvarchar(max), @p5 nvarchar(100)', 3, N'{}', N'fifth', 3, N'{}', N'sixth'
exec sp_executesql N'SET NOCOUNT ON;
UPDATE [Posts] SET [Title] = @p0 WHERE [Id] = @p1;
SELECT @@ROWCOUNT;', N'@p0 nvarchar(100), @p1 int', N'sixth!', 99
go
drop trigger [TR_Posts]
go
-- ExecuteUpdate and ExecuteDelete
exec sp_executesql N'UPDATE [p]
SET [p].[Score] = [p].[Score] + @__by_0,
    [p].[Title] = [b].[Name] + N'': '' + [p].[Title]
FROM [Posts] AS [p]
INNER JOIN [Blogs] AS [b] ON [p].[BlogId] = [b].[Id]
WHERE [b].[Rating] > 2 AND [p].[Metadata] = N''{}''', N'@__by_0 decimal(18,2)', 1.25
update [b] set [b].[Rating] = (select count(*) from [Posts] as [p] where [b].[Id] = [p].[BlogId]) from [Blogs] as [b]
update [p0] set [p0].[IsDeleted] = cast(1 as bit) from [Posts] as [p0] inner join (select top(2) [p].[Id] from [Posts] as [p] order by [p].[Score] desc, [p].[Id]) as [t] on [p0].[Id] = [t].[Id]
update [b] set [b].[Owner] = json_modify(json_modify([b].[Owner], 'strict $.Name', [b].[Name]), '$.Rank', [b].[Rating]) from [Blogs] as [b] where [b].[Owner] is not null
select [Id], [Rating], [Owner] from [Blogs] order by [Id]
select [Id], [Title], [Score], [IsDeleted] from [Posts] order by [Id]
delete from [p] from [Posts] as [p] left join [Blogs] as [b] on [p].[BlogId] = [b].[Id] where [b].[Name] = N'Gamma' and [p].[Id] in (select [v].[value] from openjson(N'[5,6,7,8]') with ([value] int '$') as [v])
delete from [p] from [Posts] as [p] where exists (select 1 from [Posts] as [q] where [q].[BlogId] = [p].[BlogId] group by [q].[BlogId] having count(*) > 5)
go
-- split queries: the same order for each part, and pages
declare @__p_0 int = 1, @__p_1 int = 2
select [b].[Id], [b].[Name] from [Blogs] as [b] order by [b].[Id] offset @__p_0 rows fetch next @__p_1 rows only
select [p].[Id], [p].[Title], [t].[Id] from (select [b].[Id] from [Blogs] as [b] order by [b].[Id] offset @__p_0 rows fetch next @__p_1 rows only) as [t] inner join [Posts] as [p] on [t].[Id] = [p].[BlogId] order by [t].[Id]
select [b].[Id], [t].[Id], [t].[Title] from [Blogs] as [b] left join (select [p0].[Id], [p0].[Title], [p0].[BlogId] from (select [p].[Id], [p].[Title], [p].[BlogId], row_number() over(partition by [p].[BlogId] order by [p].[Score] desc, [p].[Id]) as [row] from [Posts] as [p]) as [p0] where [p0].[row] <= 1) as [t] on [b].[Id] = [t].[BlogId] order by [b].[Id]
go
-- aggregates
select [b].[Rating] as [Key], coalesce(string_agg([b].[Name], N', ') within group (order by [b].[Name] desc), N'') as [Names], count(*) as [Count], count(distinct ([b].[Owner])) as [Owners] from [Blogs] as [b] group by [b].[Rating] order by [b].[Rating]
select coalesce(sum([p].[Score]), 0.0) as [Sum], avg(cast([p].[Id] as float)) as [Avg], max([p].[Title]) as [Max], coalesce(stdev(cast([p].[Score] as float)), 0.0) as [Dev], count(case when [p].[IsDeleted] = cast(1 as bit) then 1 end) as [Deleted], count_big(*) as [All] from [Posts] as [p] where [p].[BlogId] < 4
select [b].[Name], (select coalesce(sum([p].[Score]), 0.0) from [Posts] as [p] where [b].[Id] = [p].[BlogId]) as [Sum], (select max([p].[Score]) from [Posts] as [p] where [b].[Id] = [p].[BlogId]) as [Max], (select count(*) from [Posts] as [p] where [b].[Id] = [p].[BlogId] and [p].[IsDeleted] = cast(0 as bit)) as [Count] from [Blogs] as [b] order by [b].[Id]
select case when not exists (select 1 from [Posts] as [p] where [p].[Score] < 0.0) then cast(1 as bit) else cast(0 as bit) end
select case when 3 in (select [b].[Id] from [Blogs] as [b]) then cast(1 as bit) else cast(0 as bit) end as [Value]
select distinct [b].[Rating] from [Blogs] as [b] except select 1
select ~cast([p].[Score] as bit) as [none], [p].[IsDeleted] ^ cast(1 as bit) as [live] from [Posts] as [p] order by [p].[Id]
go
-- dates, times, strings
select datefromparts(datepart(year, [b].[Opened]), 12, 31) as [d], timefromparts(datepart(hour, [b].[At]), 30, 0, 0, 7) as [t], dateadd(month, cast(2 as int), [b].[Opened]) as [plus], datepart(dayofyear, [b].[Opened]) as [doy], datepart(weekday, [b].[Opened]) - 1 as [dow],
  cast([b].[Changed] as date) as [date], convert(time, [b].[Changed]) as [time], dateadd(hour, cast(1.0e0 as int), [b].[At]) as [later], datediff(day, cast('2023-12-24' as date), [b].[Opened]) as [days], datepart(millisecond, [b].[Changed]) as [ms], datepart(microsecond, [b].[At]) % 1000 as [us], datediff(day, '1970-01-01', [b].[Opened]) as [DayNumber],
  datetrunc(hour, [b].[Changed]) as [hour], dateadd(second, cast(1700000000 % 60 as int), convert(datetime2, [b].[Opened])) as [unix], datediff_big(second, '1970-01-01', cast([b].[Changed] as datetimeoffset) at time zone N'UTC') as [ToUnixTimeSeconds] from [Blogs] as [b] where [b].[Id] = 1
select [p].[Title] from [Posts] as [p] where [p].[Title] like N'50\%%' escape N'\'
declare @__x_0 nvarchar(10) = N'off_[', @__x_0_contains nvarchar(10) = N'%off\_\[%', @__like nvarchar(10) = N'_i%'
select [p].[Title] from [Posts] as [p] where [p].[Title] like @__x_0_contains escape N'\' and charindex(@__x_0, [p].[Title]) > 0 and (@__x_0 = N'' or left([p].[Title], len(@__x_0)) <> @__x_0)
select [p].[Title] from [Posts] as [p] where [p].[Title] like @__like order by [p].[Id]
select [b].[Name], isnumeric([b].[Name]) as [IsNumeric], isdate(N'2024-02-29') as [IsDate], datediff(minute, [b].[Changed], '2024-03-01T12:00:00') as [Minutes], [b].[Name] collate Latin1_General_BIN as [c], cast(charindex(N'a', [b].[Name]) as int) - 1 as [IndexOf], substring([b].[Name], 0 + 1, len([b].[Name])) as [s], upper([b].[Name]) as [u], ltrim(rtrim([b].[Name])) as [trim], replace([b].[Name], N'a', N'') as [r], datalength([b].[Name]) as [DataLength], trim(N'a' from [b].[Name]) as [TrimChar], concat_ws(N'-', [b].[Name], null, [b].[Rating]) as [Join],
  least([b].[Rating], 2) as [Least], greatest([b].[Rating], 2) as [Greatest], [b].[Name] + coalesce(json_value([b].[Owner], '$.Name'), N'') as [concat] from [Blogs] as [b] where [b].[Name] collate Latin1_General_CS_AS >= N'b' order by [b].[Name]
select stdevp([b].[Rating]) as [StandardDeviation], varp([b].[Rating]) as [Variance], newid() as [Guid] into #f from [Blogs] as [b]
select [StandardDeviation], [Variance], datalength([Guid]) as [g] from #f
select rand() * 0.0 as [Random], convert(nvarchar(max), [b].[Opened]) as [d], convert(varchar(11), [b].[Id]) as [i], convert(varchar(100), [b].[Changed]) as [c], coalesce(convert(varchar(11), [b].[Rating]), '') as [r] from [Blogs] as [b] where [b].[Id] = 2
go
-- keys in blocks
create sequence [EntityHiLo] as bigint start with 1 increment by 10 no minvalue no maxvalue no cycle
create sequence [shared] as int start with 100 increment by 1
create table [Hosts] ([Id] bigint not null, [Number] int not null default (next value for [shared]), [Guid] uniqueidentifier not null default newsequentialid())
go
select next value for [EntityHiLo]
select next value for [EntityHiLo]
insert into [Hosts] ([Id]) output inserted.[Number] values (11), (12)
go
-- transactions and savepoints of one SaveChanges inside of a transaction of the user
set transaction isolation level read committed
begin transaction
save transaction __EFSavePoint
insert [Hosts] ([Id]) values (21)
rollback transaction __EFSavePoint
insert [Hosts] ([Id]) values (22)
commit
select [Id], [Number] from [Hosts] order by [Id]
go
-- other shapes: lateral joins, set operations, CROSS APPLY of VALUES, FromSql composed
select [b].[Name], [v].[Value] from [Blogs] as [b] cross apply (values (cast([b].[Id] as int)), ([b].[Rating]), (null)) as [v]([Value]) where [v].[Value] is not null order by [b].[Id], [v].[Value]
select [b].[Name], max([v].[Value]) as [m] from [Blogs] as [b] cross apply (select max([x].[Value]) as [Value] from (values ([b].[Id]), ([b].[Rating])) as [x]([Value])) as [v] group by [b].[Name] order by [b].[Name]
exec sp_executesql N'SELECT [e].[Name] FROM (
    SELECT * FROM Blogs WHERE Rating >= @p0
) AS [e]
WHERE [e].[Name] LIKE N''%a'' ORDER BY [e].[Name] DESC', N'@p0 int', 1
select [u].[Name], [u].[Kind] from (select [b].[Name], N'Blog' as [Kind] from [Blogs] as [b] union all select [p].[Title] as [Name], N'Post' as [Kind] from [Posts] as [p]) as [u] where [u].[Kind] = N'Post' order by [u].[Name]
select top(1) [b].[Id], [b0].[Id] from [Blogs] as [b] inner join [Blogs] as [b0] on [b].[Rating] = [b0].[Rating] or ([b].[Rating] is null and [b0].[Rating] is null) where [b].[Id] <> [b0].[Id] order by [b].[Id], [b0].[Id]
select [b].[Id], iif([b].[Rating] = 1, cast(1 as bit), cast(0 as bit)) as [one], cast([b].[Rating] as bit) & cast(1 as bit) as [b], [b].[Rating] % 2 as [m], nullif([b].[Rating], 2) as [n] from [Blogs] as [b] order by (select 1)
go
