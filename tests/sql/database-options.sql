-- What a session has not set is what its database says
select sessionproperty('arithabort') arithabort, sessionproperty('numeric_roundabort') roundabort, @@options & 8256 bits
go
alter database current set arithabort on, numeric_roundabort on
go
select sessionproperty('arithabort') arithabort, sessionproperty('numeric_roundabort') roundabort, @@options & 8256 bits
go
select cast(1.25 as decimal(9, 1)) rounded
go
use master
select sessionproperty('arithabort') arithabort, sessionproperty('numeric_roundabort') roundabort
use [database-options]
select sessionproperty('arithabort') arithabort, sessionproperty('numeric_roundabort') roundabort
go
-- Dynamic SQL that goes elsewhere comes back to the same
exec ('use master; select sessionproperty(''numeric_roundabort'') roundabort')
select sessionproperty('numeric_roundabort') roundabort
go
-- SET in a procedure is the procedure's
create procedure p as set numeric_roundabort off select cast(1.25 as decimal(9, 1)) rounded
go
exec p
select sessionproperty('numeric_roundabort') roundabort
go
-- What the login has set is not the database's
alter database current set ansi_nulls off, quoted_identifier off, concat_null_yields_null off
go
select sessionproperty('ansi_nulls') nulls, sessionproperty('quoted_identifier') quoted, 'a' + null joined
go
-- SET is stronger, in every database
set numeric_roundabort off
select sessionproperty('numeric_roundabort') roundabort
go
use master
go
use [database-options]
select sessionproperty('numeric_roundabort') roundabort, cast(1.25 as decimal(9, 1)) rounded
go
alter database current set arithabort off
go
select sessionproperty('arithabort') arithabort
go
