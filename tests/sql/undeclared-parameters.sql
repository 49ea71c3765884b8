-- What a driver asks before it sends NULL: in the order of first appearance, typed by where they stand.
create table a (a int, b datetime2, c varbinary(10), n nvarchar(50))
create table i (id int identity primary key, data varbinary(max))
go
create procedure p @x int, @y nvarchar(7) output as return 0
go
create table #found (o int, name sysname, id int, ty nvarchar(256), len smallint, p tinyint, s tinyint, uid int, udb sysname null, us sysname null, un sysname null, asm nvarchar(4000) null, x1 int null, x2 sysname null, x3 sysname null, x4 sysname null, x bit, cs bit, clr bit, inp bit, outp bit, formal sysname null, tid int, tlen int)
go
insert #found exec sp_describe_undeclared_parameters N'update a set b=@P1, c=@P2 where a=@P3'
select o, name, ty from #found order by o; delete #found
insert #found exec sp_describe_undeclared_parameters N'insert a(a,b,c) values (@P1,@P2,@P3),(@P4,@P5,@P6)'
select o, name, ty from #found order by o; delete #found
insert #found exec sp_describe_undeclared_parameters N'insert a(a,c) select @P1,@P2 union all select @P3,@P4 union all select @P5,@P6'
select o, name, ty from #found order by o; delete #found
insert #found exec sp_describe_undeclared_parameters N'insert a(n, b) values (@P1, @P2), (''x'', @P3), (null, null)'
select o, name, ty from #found order by o; delete #found
insert #found exec sp_describe_undeclared_parameters N'set identity_insert i on; insert i(id,data) values (@P1,@P2); set identity_insert i off'
select o, name, ty from #found order by o; delete #found
insert #found exec sp_describe_undeclared_parameters N'insert a(n, c) output inserted.a select v.x, v.y from (values (@P1, @P2), (@P3, @P4)) v(x, y)'
select o, name, ty from #found order by o; delete #found
insert #found exec sp_describe_undeclared_parameters N'select top (@P1) a from a where b between @P2 and @P3 and n like @P4 and a in (@P5, @P6) /* @no */ and c = @P7 order by a offset @P8 rows'
select o, name, ty from #found order by o; delete #found
insert #found exec sp_describe_undeclared_parameters N'select a from a where b between @P2 and @P3 and n like @P4 and a in (@P5, @P6) /* @no */ and c = @P7 order by a offset @P8 rows fetch next @P9 rows only'
select o, name, ty from #found order by o; delete #found
insert #found exec sp_describe_undeclared_parameters N'merge a using (select @P1 k, @P2 v) s on a.a = s.k when matched then update set n = @P3 when not matched then insert (a, b) values (@P4, @P5);'
select o, name, ty from #found order by o; delete #found
insert #found exec sp_describe_undeclared_parameters N'insert a(a, n) select x.a, case when x.a > @P1 then @P2 else x.n end from a x join a y on x.a = y.a + @P3 where y.n = substring(x.n, @P4, @P5)'
select o, name, ty from #found order by o; delete #found
insert #found exec sp_describe_undeclared_parameters N'exec p @P1, @P2 output'
select o, name, ty, outp, formal from #found order by o; delete #found
insert #found exec sp_describe_undeclared_parameters N'delete a where a = @P2 or n = @P1 or a = @P2; select @P3 + a from a', N'@P1 nvarchar(9)'
select o, name, ty from #found order by o; delete #found
insert #found exec sp_describe_undeclared_parameters N'if exists (select 1 from a where b = @P1) update a set n = @P2 where a = @P3 else begin insert a(a, n) values (@P3, @P2) end'
select o, name, ty from #found order by o; delete #found
insert #found exec sp_describe_undeclared_parameters N'declare @d datetime2(3) = @P1, @i smallint; set @i = @P2; while @i > @P3 select 1 where @d < @P4'
select o, name, ty from #found order by o; delete #found
insert #found exec sp_describe_undeclared_parameters N'update a set n = upper(@P1) where n = replace(n, @P2, N''x'')'
select o, name, ty from #found order by o; delete #found
go
drop table a, i, #found
drop procedure p
go
