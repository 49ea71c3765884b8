-- The numbers and names that old scripts look up in master..spt_values
select type, count(*) n, min(number) least, max(number) most, count(low) low, count(high) high, sum(status) status
  from master..spt_values group by type order by type
go
select number, low, high from master.dbo.spt_values where type = 'P' and number in (0, 7, 8, 2047) order by number
go
select number, name from master..spt_values where type = 'L' order by number
select number, name from master..spt_values where type = 'LR' order by number
select number, name from master..spt_values where type = 'LS' order by number
select number, name from master..spt_values where type = 'LO' order by number
go
-- The old sp_lock and sp_spaceused
select substring(v.name, 1, 8) mode from master.dbo.spt_values v where v.type = 'L' and v.number = 8 + 1
select low bytes_of_page from master.dbo.spt_values where number = 1 and type = 'E'
select substring(name, 5, 31) what from master..spt_values where type = 'O9T' and substring(name, 1, 2) = 'V'
go
-- The options of a session
declare @options table (name nvarchar(35), on_or_off bit)
set arithabort on
set xact_abort on
insert @options select name, sign(@@options & number) from master..spt_values where type = 'SOP' and number > 0
select * from @options where name in ('arithabort', 'xact_abort', 'nocount')
go
select name, number, low, high from master..spt_values where type in ('D', 'I', 'V') and high = 1 order by type, number
select sum(number) settable from master..spt_values where type = 'DC' and number between 1 and 4
select name, number from master..spt_values where type = 'SRV' and low = 0 order by number
go
select * into #values from master..spt_values where 1 = 0
select name, type_name(system_type_id) type, max_length from tempdb.sys.columns where object_id = object_id('tempdb..#values')
go
