-- APPROX_PERCENTILE_CONT and APPROX_PERCENTILE_DISC.
create table pay (name varchar(10), dept varchar(10), rate decimal(9, 2), n int, f float, m money);
insert pay values ('a', 'x', 10, 1, -1.5, 1), ('b', 'x', 20, 2, 0.1, -2), ('c', 'x', 40, 3, 1.5, 3), ('d', 'x', null, null, null, null),
  ('e', 'y', 5, -7, -0.5, 2), ('f', 'y', 15, 8, 9, 2), ('g', 'z', null, null, null, null)
go
select dept, approx_percentile_cont(0.5) within group (order by rate) as cont, approx_percentile_disc(0.5) within group (order by rate) as disc
from pay group by dept order by dept
select approx_percentile_cont(0) within group (order by rate) as first, approx_percentile_cont(1) within group (order by rate) as last,
  approx_percentile_cont(0.25) within group (order by rate) as quarter,
  approx_percentile_cont(0.25) within group (order by rate desc) as quarter_from_above,
  approx_percentile_disc(0) within group (order by rate) as disc_first,
  approx_percentile_disc(0.3) within group (order by rate desc) as disc_from_above
from pay
select approx_percentile_disc(0.5) within group (order by n) as n, approx_percentile_disc(0.5) within group (order by f) as f,
  approx_percentile_disc(0.1) within group (order by m) as m, approx_percentile_cont(0.5) within group (order by f) as c,
  approx_percentile_disc(0.2) within group (order by f) as low
from pay
declare @p float = 0.75
select approx_percentile_cont(@p) within group (order by n + 1) as high, count(*) as n, avg(rate) as a from pay
select approx_percentile_cont(0.5) within group (order by rate) as nothing from pay where 1 = 0
select sql_variant_property(approx_percentile_cont(0.5) within group (order by rate), 'BaseType') as cont,
  sql_variant_property(approx_percentile_disc(0.5) within group (order by rate), 'BaseType') as disc from pay
select case when abs(approx_percentile_cont(0.9) within group (order by value) - 9000) < 133 then 'near' else 'far' end as many
from generate_series(1, 10000)
go
select approx_percentile_cont(1.5) within group (order by rate) from pay
go
select approx_percentile_disc(null) within group (order by rate) from pay
go
select approx_percentile_cont(0.5) from pay
go
select approx_percentile_cont(0.5) within group (order by rate, n) from pay
go
select approx_percentile_cont(0.5) within group (order by name) from pay
go
select approx_percentile_cont(0.5) within group (order by rate) over () from pay
go
select approx_percentile_cont() within group (order by rate) from pay
go
select approx_percentile_cont(0.5, 1) within group (order by rate) from pay
go
drop table pay
go
