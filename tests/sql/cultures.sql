-- FORMAT by culture: numbers.
declare @n decimal(18, 4) = -12345678.5
select c, format(@n, 'N', c) n, format(@n, 'C', c) money, format(0.125, 'P', c) share, format(@n, '#,##0.0', c) custom
from (values ('en-US'), ('en-GB'), ('en-IN'), ('de-DE'), ('de-AT'), ('de-CH'), ('fr-FR'), ('fr-CA'), ('es-MX'), ('pt-BR'), ('nl-BE'),
    ('nb-NO'), ('pl-PL'), ('tr-TR'), ('ja-JP'), ('zh-TW'), ('hi-IN'), ('ar-SA'), ('he-IL'), ('th-TH'), ('vi-VN'), ('sr-Cyrl-RS'), ('')) t(c)
go
-- Standard formats.
select format(1234.5678, 'C3') a, format(1234, 'D8') b, format(1234.5678, 'E2') c, format(1234.5678, 'e') d, format(1234.5678, 'F1') e,
    format(1234.5678, 'G3') f, format(1234.5678, 'N0') g, format(0.12345, 'P1') h, format(0.1e0, 'R') i, format(-255, 'X') j,
    format(cast(255 as smallint), 'x6') k, format(1234, 'Z') l, format(12.5, 'D') m, format(1.5, 'R') n
-- Custom formats.
select format(123456789, '###-##-####') a, format(1234.5, '0000.00') b, format(0.257, '0.0%') c, format(0.257, '0.0‰') d,
    format(1234567, '0,.0') e, format(86000, '0.###E+0') f, format(86000, '00e-00') g, format(-5, '0;(0);zero') h, format(0, '0;(0);zero') i,
    format(5, '"n" 0 \#') j, format(1234567.891, '#,#.##') k, format(0, '#') l, format(12345.6789, '$#,##0.00;($#,##0.00)') m
go
-- Dates.
declare @d datetime2(3) = '2024-02-05 14:03:09.012'
select c, format(@d, 'd', c) short, format(@d, 'D', c) long, format(@d, 'g', c) general, format(@d, 'M', c) day, format(@d, 'Y', c) month,
    format(@d, 'ddd d MMM h tt', c) custom
from (values ('en-US'), ('en-GB'), ('en-CA'), ('de-DE'), ('fr-CA'), ('es-ES'), ('it-IT'), ('nl-NL'), ('nb-NO'), ('fi-FI'), ('pl-PL'), ('cs-CZ'),
    ('hu-HU'), ('ru-RU'), ('uk-UA'), ('el-GR'), ('ja-JP'), ('ko-KR'), ('zh-CN'), ('th-TH'), ('ar-SA'), ('fa-IR'), ('he-IL'), ('hi-IN'), ('id-ID'), ('')) t(c)
go
declare @d datetime2(7) = '2024-02-05 14:03:09.0123', @o datetimeoffset(0) = '2024-02-05 14:03:09 -05:30'
select format(@d, 'f') a, format(@d, 'F') b, format(@d, 'G') c, format(@d, 'O') d, format(@d, 'R') e, format(@d, 's') f, format(@d, 't') g,
    format(@d, 'T') h, format(@d, 'u') i, format(@o, 'O') j, format(@o, 'R') k, format(@o, 'u') l, format(@o, 'U') m, format(@d, 'Q') n
select format(@d, 'yyyy-MM-dd HH:mm:ss.fff') a, format(@d, 'y yy yyy yyyyy') b, format(@d, 'M MM MMM MMMM') c, format(@d, 'd dd ddd dddd') d,
    format(@d, 'h hh H HH t tt') e, format(@d, 'f ff ffff FFFFFFF') f, format(@o, 'z zz zzz K') g, format(@d, '%d gg') h, format(@d, '"day" d \d') i,
    format(@d, 'dd/MM/yyyy', 'de-DE') j, format(@d, 'HH:mm', 'fi-FI') k, format(@d, 'yyyy''x') l
select format(cast('07:35:01.5' as time), 'hh\:mm') a, format(cast('07:35:01.5' as time), 'hh:mm') b, format(cast('07:35:01.5' as time), 'c') c,
    format(cast('07:35:01.5' as time), 'g', 'de-DE') d
go
-- Calendars: the Buddhist era, Um al-Qura, the Persian one.
select format(cast('20240707' as date), 'd', 'th-TH') a, format(cast('20240707' as date), 'dd MMMM yyyy', 'ar-SA') b, format(cast('20300525' as date), 'D', 'fa') c,
    format(cast('18990101' as date), 'd', 'ar-SA') d, format(cast('20240707' as date), 'd', 'ar-EG') e
select parse('7/7/2567' as date using 'th-TH') a, parse('01/01/1446' as date using 'ar-SA') b, parse('1409/3/4' as date using 'fa-IR') c
go
-- PARSE reads what FORMAT writes.
select c, try_parse(format(-12345.5, 'N', c) as decimal(9, 1) using c) n, try_parse(format(cast(12345 as money), 'C', c) as money using c) m,
    try_parse(format(cast('20240205' as date), 'd', c) as date using c) d, try_parse(format(cast('20240205' as date), 'D', c) as date using c) long
from (values ('en-US'), ('en-IN'), ('de-CH'), ('fr-CA'), ('es-MX'), ('nb-NO'), ('hu-HU'), ('uk-UA'), ('ja-JP'), ('zh-TW'), ('hi-IN'), ('th-TH'),
    ('fa-IR'), ('he-IL'), ('vi-VN'), ('id-ID'), ('lt-LT'), ('sr-Latn-RS')) t(c)
go
-- Without a culture, the session's language decides.
set language german
select format(1234.5, 'C') a, format(cast('20240205' as date), 'D') b, parse('1.234,5' as decimal(9, 1)) c
set language Thai
select format(cast('20240205' as date), 'd') a
set language us_english
select format(1234.5, 'C') a, format(1234.5, 'C', null) b
go
-- A language alone stands for its first country.
select format(1234.5, 'C', 'pt') a, format(1234.5, 'C', 'ZH-hant') b, format(1234.5, 'C', 'sr') c, format(1234.5, 'C', 'en') d
go
select format(1, 'N', 'xx-YY')
go
select try_parse('1' as int using 'german')
go
