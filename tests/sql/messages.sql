-- Messages in several languages
exec sp_addmessage 50101, 16, 'Order %d of %s costs %I64d.'
exec sp_addmessage 50101, 16, '%2! bestellt %1! fuer %3! (100%%).', 'German'
exec sp_addmessage 50102, 12, 'English alone: %s'
go
select message_id, l.alias, severity, text from sys.messages m join sys.syslanguages l on l.msglangid = m.language_id and l.alias in ('English', 'German')
where message_id > 50100 and message_id < 50200 order by 1, 2
go
declare @n bigint = 9000000000
raiserror (50101, -1, 1, 7, 'Ann', @n)
set language German
raiserror (50101, -1, 1, 7, 'Ann', @n)
raiserror (50102, -1, 1, 'x')
select formatmessage(50101, 7, 'Ann', @n) f, formatmessage(50102, 'y') g
raiserror (50101, -1, 1, 7)
set language us_english
select formatmessage(50101, 7, 'Ann', @n) f
go
-- The English one comes first, and severities agree
exec sp_addmessage 50103, 16, 'x', 'French'
go
exec sp_addmessage 50101, 16, 'x', 'Klingon'
go
exec sp_addmessage 50101, 11, 'x', 'French'
go
exec sp_addmessage 50101, 16, 'x', 'German'
go
exec sp_addmessage 50101, 16, '%3!, %9!', 'German', @replace = 'replace'
go
set language German
raiserror (50101, -1, 1, 7, 'Ann', 8)
exec sp_addmessage 50102, 12, 'Nur deutsch: %1!'
raiserror (50102, -1, 1, 'x')
set language us_english
go
exec sp_dropmessage 50101, 'German'
go
exec sp_dropmessage 50101, 'German'
go
exec sp_dropmessage 50101, 'all'
exec sp_dropmessage 50102, 'us_english'
select count(*) n from sys.messages where message_id between 50101 and 50199
