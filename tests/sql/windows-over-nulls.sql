-- IGNORE NULLS counts rows that have a value; RESPECT NULLS is what is done without it
create table t (g int, k int, v varchar(3))
insert t values (1, 1, null), (1, 2, 'a'), (1, 3, null), (1, 4, 'b'), (1, 5, null), (2, 1, null), (2, 2, 'c')
go
select g, k, v, first_value(v) ignore nulls over (partition by g order by k) f,
    last_value(v) ignore nulls over (partition by g order by k rows unbounded preceding) l,
    last_value(v) respect nulls over (partition by g order by k) r
from t order by g, k
go
-- frames that look ahead, and those that can be empty
select g, k, first_value(v) ignore nulls over (partition by g order by k rows between current row and unbounded following) a,
    last_value(v) ignore nulls over (partition by g order by k rows between 2 preceding and 1 preceding) b,
    first_value(v) ignore nulls over (partition by g order by k rows between 1 following and 2 following) c,
    last_value(v) ignore nulls over (partition by g order by k desc range between unbounded preceding and current row) d
from t order by g, k
go
-- rows that are equal in the order are in the frame together
select g, v, last_value(v) ignore nulls over (order by g) l, first_value(v) ignore nulls over (order by g desc) f
from t where g = 2 or k < 3 order by g, k
go
select g, k, lag(v) ignore nulls over (partition by g order by k) a, lag(v, 2, 'none') ignore nulls over (partition by g order by k) b,
    lead(v) ignore nulls over (partition by g order by k) c, lead(v, 2, 'none') ignore nulls over (partition by g order by k) d,
    lag(v, 0) ignore nulls over (partition by g order by k) e, lead(v) respect nulls over (partition by g order by k) r
from t order by g, k
go
select lag(v, -1) ignore nulls over (order by k) from t
go
-- other functions have no such words
select sum(k) ignore nulls over () from t
go
select row_number() ignore nulls over (order by k) from t
