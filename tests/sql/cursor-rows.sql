create table h (v int, w varchar(10))
insert h values (1, 'a'), (1, 'a'), (2, 'b'), (null, null)
go
-- equal rows of a table without a key are told apart
declare c cursor for select v, w from h
open c
select @@cursor_rows as n
fetch next from c
fetch next from c
update h set w = 'second' where current of c
fetch next from c
fetch next from c
delete h where current of c
close c
deallocate c
select v, w from h order by w
go
-- rows are shown as they are when they are fetched, and those that are gone are passed over
declare c cursor dynamic for select v, w from h
open c
update h set v = 10 where w = 'second'
delete h where w = 'b'
insert h values (9, 'new')
fetch first from c
fetch next from c
fetch next from c
fetch prior from c
close c
deallocate c
go
-- a keyset cursor takes a unique key
declare c cursor local keyset for select v from h
open c
fetch next from c
update h set v = 0 where current of c
go
-- an index does not make a key
create index i on h (v)
create table #h (v int)
insert #h values (1), (1)
declare c cursor for select v from h where v >= 9
declare d cursor for select v from #h
open c
open d
fetch c
update h set v += 100 where current of c
fetch d
fetch d
delete #h where current of d
close c
close d
deallocate c
deallocate d
select v from h order by v
select v from #h
go
-- a loop that changes each row
create table stock (name varchar(10), amount int)
insert stock values ('x', 1), ('x', 1), ('y', 5)
declare @amount int, @sum int = 0
declare c cursor for select amount from stock for update of amount
open c
fetch c into @amount
while @@fetch_status = 0
begin
    set @sum += @amount
    update stock set amount = @sum where current of c
    fetch c into @amount
end
close c
deallocate c
select name, amount from stock order by amount
go
-- joins of tables with and without keys
create table k (id int not null primary key, name varchar(10))
insert k values (1, 'x'), (2, 'y'), (3, 'z')
declare c cursor for select k.id, s.amount from k join stock as s on s.name = k.name
open c
fetch c
fetch c
update stock set amount = 20 where current of c
update k set name = 'xx' where current of c
close c
deallocate c
select id, name from k
select name, amount from stock order by amount
go
-- what an outer join has left out cannot be changed
declare c cursor for select k.id, s.name from k left join stock as s on s.name = k.name where k.id > 1 order by k.id
open c
fetch c
update stock set amount += 1 where current of c
fetch c
update k set name = 'nothing' where current of c
update stock set amount += 1 where current of c
close c
deallocate c
select id, name from k
select name, amount from stock order by amount
go
create table k2 (id int not null primary key, v int)
insert k2 values (2, 0), (4, 0)
go
declare c cursor local scroll keyset for select k.id, l.id from k full join k2 as l on l.id = k.id
open c
select @@cursor_rows as n
fetch last from c
delete k2 where id = 2
declare @k int, @l int
fetch first from c into @k, @l
while @@fetch_status <> -1
begin
    if @@fetch_status = 0 update k set name = concat(name, '+') where current of c
    fetch c into @k, @l
end
select id, name from k
select id, v from k2
go
-- a unique key may be NULL once
create table u (a int unique, b int)
insert u values (null, 1), (1, 2)
declare c cursor local keyset for select a, b from u
open c
fetch last from c
update u set b += 10 where current of c
fetch first from c
update u set b += 10 where current of c
close c
deallocate c
select a, b from u order by a
go
-- a table that was emptied has none of the rows; what comes later is not taken for them
create table e (v int)
insert e values (1), (2), (3)
declare c cursor global dynamic for select v from e
declare f cursor global dynamic for select a, b from u
open c
open f
fetch c
fetch f
truncate table e
truncate table u
insert e values (4), (5), (6)
update e set v = 0 where current of c
fetch c
fetch f
select v from e order by v
deallocate c
deallocate f
go
-- a row that was not fetched is not changed
declare c cursor global dynamic for select v from e
open c
fetch c
alter table e add w int
update e set v = 0 where current of c
fetch c
update e set v = 0 where current of c
select v from e order by v
deallocate c
go
-- the number of a row
select $row_number as n, v from h order by n
select h.$row_number from h where v = 109
select h.$row_number from h join stock on 1 = 1 where h.$row_number = stock.$row_number
go
select $row_number from k
go
select $row_number from h join stock on 1 = 1
go
update h set v = 7 where $row_number = 2
delete h where $row_number = 1
select v from h
update h set v = $row_number
select v from h
merge h using (values (2, 'merged')) as s (n, w) on h.$row_number = s.n when matched then update set w = s.w;
select w from h
select $row_number as n into numbers from h
select n from numbers
go
declare @t table (v int)
select $row_number from @t
go
-- the number in groups, and in definitions
select $row_number as n, count(*) as rows from h group by $row_number order by n
go
select $row_number, count(*) from h group by v
go
select count(*) from h having $row_number > 0
go
create table defined (v int, n as $row_number)
go
create table defined (v int check ($row_number > 0))
go
create table defined (v int default ($row_number))
go
create index over_numbers on h (v) where $row_number > 1
go
set showplan_text on
go
select v from h where $row_number = 2
select v from h where $row_number = '2'
delete h where $row_number = 2
select h.v from h join stock on h.$row_number = stock.$row_number
go
set showplan_text off
