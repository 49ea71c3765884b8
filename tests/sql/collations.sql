-- Names, and what they say.
select count(*) as collations, sum(iif(name like '%[_]UTF8', 1, 0)) as utf8, sum(iif(name like '%[_]SC%', 1, 0)) as sc, sum(iif(name like '%VSS%', 1, 0)) as vss, sum(iif(name like 'SQL[_]%', 1, 0)) as sql from sys.fn_helpcollations()
go
select name, description from sys.fn_helpcollations() where name in ('Japanese_XJIS_140_CI_AS_KS_VSS', 'Chinese_PRC_90_BIN2', 'Turkish_100_CS_AI_WS_SC_UTF8', 'SQL_Czech_CP1250_CI_AS', 'Traditional_Spanish_BIN') order by name
go
select n, collationproperty(n, 'CodePage') as page, collationproperty(n, 'LCID') as lcid, collationproperty(n, 'ComparisonStyle') as style, collationproperty(n, 'Version') as version from (values ('Japanese_XJIS_140_CI_AS_KS_VSS'), ('Chinese_PRC_90_BIN2'), ('Chinese_Taiwan_Bopomofo_CS_AS'), ('Korean_Wansung_CI_AS'), ('Thai_CI_AS'), ('Vietnamese_CI_AS'), ('Indic_General_90_CI_AS'), ('German_PhoneBook_100_CI_AI_SC_UTF8'), ('Klingon_CI_AS')) as v(n)
go
select cast('x' as varchar(9)) collate Japanese_XJIS_140_CI_AS_VSS
select N'x' collate Japanese_CI_AS_SC
select N'x' collate Latin1_General_100_CI_AS_VSS
go
select N'x' collate Latin1_General_CI_AS_UTF8
go
select N'x' collate Japanese_XJIS_140_CI_AS_SC
go
select 'x' collate Indic_General_90_CI_AS
go
select cast(N'x' collate Tibetan_100_CI_AS as varchar(3))
go
create table t (a varchar(10) collate Khmer_100_CI_AS)
go
create database d collate Lao_100_CI_AS
go
create table t (a nvarchar(10) collate Khmer_100_CI_AS, b varchar(10) collate Khmer_100_CI_AS_SC_UTF8)
select name, collation_name from sys.columns where object_id = object_id('t')
drop table t
go
select 1 where N'a' collate Czech_CI_AS = N'a' collate Slovak_CI_AS
go
create table t (a nvarchar(9) collate Czech_CI_AS, b nvarchar(9) collate Slovak_CI_AS)
select * from t where a = b
go
select a + b as c from t where a + b = N'x'
go
drop table t
go
-- Orders.
create table w (id int identity primary key, v varchar(20) collate Czech_CI_AS, n nvarchar(20))
insert w (v, n) values ('chata', N'chata'), ('cena', N'cena'), ('duben', N'duben'), ('ibis', N'ibis'), ('hrad', N'hrad'), (N'čas', N'čas'), (N'šest', N'šest'), ('sen', N'sen')
create index v on w (v)
select string_agg(v, ' ') within group (order by v) as czech, string_agg(n, ' ') within group (order by n collate Traditional_Spanish_CI_AS) as spanish from w
select v from w with (index(v)) where v between 'h' and 'i' order by v
select min(v) as least, max(v) as most from w where v > 'd'
select count(*) as n from w where v like 'ch%'
select v from w where v like 'c%' order by v
drop table w
go
create table w (n nvarchar(20) collate Finnish_Swedish_100_CI_AS primary key)
insert w values (N'zon'), (N'ål'), (N'ärlig'), (N'öl'), (N'apa')
select n from w order by n
select n from w where n > N'z' order by n desc
insert w values (N'ÅL')
drop table w
go
-- Equality.
select iif(N'ä' = N'ae' collate German_PhoneBook_CI_AS, 1, 0) as phonebook, iif(N'Århus' = N'AARHUS' collate Danish_Norwegian_CI_AS, 1, 0) as danish, iif(N'i' = N'I' collate Turkish_CI_AS, 1, 0) as turkish, iif(N'カナ' = N'かな' collate Japanese_CI_AS, 1, 0) as kana, iif(N'カナ' = N'かな' collate Japanese_CI_AS_KS, 1, 0) as ks, iif(N'ＡＢ' = N'ab' collate Japanese_CI_AS, 1, 0) as width, iif(N'ＡＢ' = N'ab' collate Japanese_CI_AS_WS, 1, 0) as ws, iif(N'été' = N'ETE' collate French_CI_AI, 1, 0) as ai, iif(N'辻' + nchar(0xDB40) + nchar(0xDD00) = N'辻' collate Japanese_XJIS_140_CI_AS, 1, 0) as vs, iif(N'辻' + nchar(0xDB40) + nchar(0xDD00) = N'辻' collate Japanese_XJIS_140_CI_AS_VSS, 1, 0) as vss
go
create table g (n nvarchar(10) collate Turkish_100_CI_AS)
insert g values (N'ISI'), (N'ısı'), (N'isi'), (N'İSİ'), (N'ISI ')
select min(n collate Latin1_General_BIN2) as one, count(*) as c from g group by n order by n
select count(distinct n) as n from g
select distinct n collate Latin1_General_CI_AS as latin from g
drop table g
go
-- Functions.
select upper(N'ıi' collate Turkish_CI_AS) as up, lower(N'Iİ' collate Turkish_CI_AS) as low, upper('i' collate Turkish_CI_AS) as upc, upper(N'i' collate Latin1_General_CI_AS) as latin
select charindex(N'İ', N'abi' collate Turkish_CI_AS) as found, charindex(N'I', N'abi' collate Turkish_CI_AS) as missed, replace(N'カタカナ' collate Japanese_CI_AS, N'か', N'*') as replaced, patindex(N'%た%', N'カタカナ' collate Japanese_CI_AS) as at, trim(N'ア' from N'あxア' collate Japanese_CI_AS) as trimmed
select value from string_split(N'1か2カ3' collate Japanese_CI_AS, N'か')
go
-- Code pages of two bytes.
declare @t table (c char(5) collate Japanese_CI_AS, v varchar(6) collate Chinese_PRC_CI_AS)
insert @t values (N'日本', N'中国人'), (N'日本語', N'x')
go
create table t (c char(5) collate Japanese_CI_AS, v varchar(6) collate Chinese_PRC_CI_AS)
insert t values (N'日本', N'中国人')
select c, len(c) as characters, datalength(c) as bytes, cast(c as varbinary(5)) as raw, left(v, 2) as l, right(v, 1) as r, substring(v, 2, 1) as s, reverse(v) as back, stuff(v, 2, 1, 'x') as st, unicode(v) as u, ascii(v) as a from t
select cast(c as varchar(3)) as cut from t
select v from t where v like N'_国_' and v like N'%人'
select json_value(cast(N'{"a":"表"}' collate Japanese_CI_AS as varchar(20)), '$.a') as j
drop table t
go
-- Databases.
create database d collate Turkish_100_CI_AS
select collation_name from sys.databases where name = 'd'
go
use d
go
create table Info (a int)
go
select a from INFO
go
select a from info
go
use master
go
alter database d collate Hungarian_100_CS_AS_SC
go
select databasepropertyex('d', 'Collation') as c, databasepropertyex('d', 'ComparisonStyle') as s, databasepropertyex('d', 'LCID') as l
go
use d
go
declare @v nvarchar(10) = N'cukor'
select iif(@v < N'csak', 1, 0) as hungarian, iif(N'ddzs' < N'e', 1, 0) as doubled
create table #t (a nvarchar(10) collate database_default, b nvarchar(10))
select name, collation_name from tempdb.sys.columns where object_id = object_id('tempdb..#t')
drop table #t
go
create table p (a nvarchar(10) collate Polish_CI_AS primary key)
create table c (a nvarchar(10) collate Polish_CI_AS references p, u as upper(a) persisted)
insert p values (N'łódź'), (N'lodz')
insert c values (N'ŁÓDŹ')
insert c values (N'łodz')
select a, u from c
drop table c, p
go
-- Memory-optimized tables and native modules.
alter database d add filegroup fg contains memory_optimized_data
alter database d add file (name = 'f', filename = 'C:\data\f') to filegroup fg
go
create table m (a nvarchar(20) collate Danish_Norwegian_CI_AS not null primary key nonclustered, b nvarchar(20) collate Japanese_CI_AS not null index h hash with (bucket_count = 64)) with (memory_optimized = on)
insert m values (N'Aalborg', N'カ'), (N'Ægir', N'き'), (N'zoo', N'く'), (N'Øl', N'ケ'), (N'ål', N'こ')
select a from m order by a
select a from m where b = N'か'
insert m values (N'Ål', N'x')
go
create procedure np @k nvarchar(20) with native_compilation, schemabinding as begin atomic with (transaction isolation level = snapshot, language = N'Danish')
  select a, b from dbo.m where a >= @k order by a
  select b from dbo.m where b = N'け'
  select a from dbo.m where a like N'aa%'
end
go
exec np N'ø'
go
drop procedure np
drop table m
go
use master
go
drop database d
go
