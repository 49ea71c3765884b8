-- The languages of sessions.
select langid, dateformat, datefirst, upgrade, name, alias, lcid, msglangid from sys.syslanguages order by langid
select name, months, shortmonths, days from sys.syslanguages where langid in (0, 1, 12, 19, 28, 31, 33) order by langid
exec sp_helplanguage 'Bokmål'
exec sp_helplanguage 'german'
go
exec sp_helplanguage 'Klingon'
go
-- By name or alias, in any case.
set language 'Norsk (bokmål)'
select @@language a, @@langid b, @@datefirst c, datename(month, '20240515') d, datename(weekday, '20240515') e
set language french
select @@language a, @@langid b, datename(month, '20240215') c, datename(dw, '20240215') d
-- Dates follow the language: names of months, the order of numbers, the first day of the week.
select cast('15 février 2024' as datetime) a, cast('15 févr 2024' as date) b, cast('02/03/2024' as datetime) c,
    datepart(dw, '20240218') d, convert(varchar(30), cast('20240815' as datetime), 106) e, isdate('31/12/2024') f, isdate('12/31/2024') g
set dateformat mdy
select cast('02/03/2024' as datetime) a
set language us_english
select cast('02/03/2024' as datetime) a, @@datefirst b, datepart(dw, '20240218') c
go
set language 繁體中文
select datename(month, '20241115') a, datename(dw, '20241115') b
set language Greek
select datename(month, '20240515') a, datename(month, '20240815') b
set language Arabic
select datename(month, '20240515') a, datename(dw, '20240515') b
set language us_english
go
set language Klingon
go
declare @l nvarchar(30) = N'Polski'
set language @l
select @@language a, datename(month, '20240515') b
set language us_english
go
-- The default language of logins.
create login speaker with password = 'Sp3aker!pass', default_language = Brazilian, check_policy = off
select name, default_language_name from sys.server_principals where name = 'speaker'
alter login speaker with default_language = [Português (Brasil)]
exec sp_defaultlanguage 'speaker', 'Italian'
select name, default_language_name from sys.server_principals where name = 'speaker'
exec sp_defaultlanguage 'speaker'
select default_language_name from sys.server_principals where name = 'speaker'
go
alter login speaker with default_language = Klingon
go
create login second_speaker with password = 'Sp3aker!pass', default_language = Klingon
go
exec sp_defaultlanguage 'speaker', 'Klingon'
go
drop login speaker
go
-- New logins get what the server is set to.
exec sp_configure 'default language', 99
go
exec sp_configure 'default language', 2
reconfigure
create login speaker with password = 'Sp3aker!pass', check_policy = off
select default_language_name from sys.server_principals where name = 'speaker'
alter login speaker with default_language = us_english
exec sp_defaultlanguage 'speaker'
select default_language_name from sys.server_principals where name = 'speaker'
drop login speaker
exec sp_configure 'default language', 0
reconfigure
go
