select parse('02/03/2024' as date using 'en-GB') a, parse('02/03/2024' as date using 'en-US') b, parse('02/03/2024' as date) c
select try_parse('25 Mai 2018' as date using 'fr-FR') a, try_parse('25.05.2018' as date using 'de-DE') b,
    try_parse('Friday, 25 May 2018' as date using 'en-GB') c, parse(N'25 мая 2018 г.' as date using 'ru-RU') d
select parse('Monday, 13 December 2010' as datetime2 using 'en-US') a, parse('€345,98' as money using 'de-DE') b
select parse('1.234,56' as decimal(9, 2) using 'de-DE') a, parse('1,234' as int using 'en-US') b, try_parse('1,5' as int using 'de-DE') c
go
-- the session's language
set language german
select parse('02.03.2024' as date) a, parse('1.234,5' as float) b
go
select parse('1.234,5' as decimal(6, 1)) a, try_parse('25 May 2018' as date) b, parse('25 Mai 2018' as date) c
set language us_english
go
select parse('abc' as int)
go
select parse('13/13/2018' as datetime using 'en-US')
go
select parse('300' as tinyint using 'de-DE')
go
select parse('1' as int using 'klingon')
go
select try_parse('1' as int using 'klingon')
go
select parse('1' as varchar(10))
go
select parse(null as int)
go
declare @s varchar(10), @c varchar(10)
select parse(@s as int) a, parse('1' as int using @c) b
go
select format(cast('20180525' as date), 'D', 'ru-RU') a, format(cast('20180525' as date), 'MMMM yyyy', 'cs-CZ') b, format(1234.5, 'C', 'pt-BR') c,
    format(cast('20180525' as date), 'd', 'sv-SE') d, format(cast('20180525' as date), 'ddd d MMM', 'nl-NL') e
select langid, dateformat, datefirst, name, alias from sys.syslanguages order by langid
go
set language polski
select datename(month, '20180525') a, datename(weekday, '20180525') b, @@language c, @@datefirst d
set language us_english
