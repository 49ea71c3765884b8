-- IF, ELSE IF, ELSE
declare @i int = 2
if @i = 1 print 'one' else if @i = 2 print 'two' else print 'other'
if @i is null print 'not' else begin print 'a' print 'b' end
go
-- WHILE, BREAK, CONTINUE, nested
declare @i int = 0, @j int
while @i < 3
begin
    set @i += 1
    set @j = 0
    while 1 = 1
    begin
        set @j += 1
        if @j = 2 continue
        if @j > @i break
        print concat(@i, ' ', @j)
    end
end
go
-- GOTO forwards and backwards
declare @n int = 0
again:
set @n += 1
if @n < 3 goto again
goto done
print 'not'
done: print @n
go
-- GOTO to a label that is not there
goto nowhere
go
-- RETURN ends a batch
print 'before' return print 'not'
go
-- a variable of an earlier batch is gone
print @n
go
-- declared twice
declare @a int declare @a int
go
-- DECLARE with values, compound assignment
declare @a int = 5, @b varchar(10) = 'x', @c decimal(5,2) = 1.5
set @a -= 2 set @a *= 10 set @a /= 4 set @a %= 4 set @a |= 8 set @a ^= 1 set @a &= 15
set @b += 'yz'
set @c *= 2
select @a as a, @b as b, @c as c
go
-- strings are cut, numbers are not
declare @s varchar(3) = 'abcdef', @t tinyint
select @s as s
set @t = 300
select @t as t
go
-- SELECT assigns from the last row
declare @x int = 0
select @x = @x + v from (values (1), (2), (3)) as r(v)
select @x as total, @@rowcount as n
select @x = v from (values (1)) as r(v) where v > 1
select @x as unchanged, @@rowcount as n
go
-- SET from a subquery without rows is NULL; with two it fails
declare @x int = 1
set @x = (select v from (values (1)) as r(v) where v > 1)
select @x as x
set @x = (select v from (values (1), (2)) as r(v))
select @x as x
go
-- IF EXISTS, conditions with NULL
if exists (select * from (values (1)) as r(v) where v = 1) print 'exists'
if not exists (select 1 where 1 = 0) print 'not exists'
if null = null print 'not' else print 'unknown'
go
-- WAITFOR
waitfor delay '00:00:00.010' print 'waited'
waitfor delay 'tomorrow'
go
-- PRINT of several types
print 1.50 print cast('2024-02-03' as date) print 0x1F print null print N'ü'
go
-- what a request is doing
create table said (kind varchar(20), command nvarchar(32))
go
declare @mine nvarchar(32) = (select command from sys.dm_exec_requests where session_id = @@spid)
select @mine as of_a_declaration
select command from sys.dm_exec_requests where session_id = @@spid
insert said select 'insert', command from sys.dm_exec_requests where session_id = @@spid
update said set command = concat(command, ', ', (select command from sys.dm_exec_requests where session_id = @@spid))
if exists (select * from sys.dm_exec_requests where session_id = @@spid and command = 'CONDITIONAL') print 'conditional'
select * from said
go
create procedure doing as select command from sys.dm_exec_requests where session_id = @@spid
go
exec doing
drop procedure doing drop table said
go
-- a batch answers with rows, messages and counts
select 1 as a, 'x' as b
go
print 'hello' print 1+1
go
declare @i int = 3 set @i += 4 select @i, @@rowcount
go
-- loops and branches on one line
declare @i int = 0 while 1 = 1 begin set @i += 1 if @i = 2 continue if @i > 3 break print @i end
go
