-- Spatial indexes: what they take, how they are kept, what they find.
create table places (id int identity primary key, g geometry, h geography, n int);
insert places (g, h, n) select geometry::Point(value % 40 * 10 + 5, value / 40 * 10 + 5, 0), geography::Point(value / 40 - 30, value % 40 - 20, 4326), value from generate_series(0, 1999);
create spatial index by_g on places (g) using geometry_grid with (bounding_box = (0, 0, 400, 500), grids = (low, medium, high, medium), cells_per_object = 20, fillfactor = 80);
create spatial index by_h on places (h);
go
-- The same rows are found with and without the index.
declare @box geometry = 'POLYGON ((101 101, 149 101, 149 149, 101 149, 101 101))', @disc geography = geography::Point(5, 5, 4326).STBuffer(250000);
select count(*) as n, min(id) as first, max(id) as last from places where g.STIntersects(@box) = 1;
select count(*) as n, min(id) as first, max(id) as last from places with (index (1)) where g.STIntersects(@box) = 1;
select count(*) as n, min(id) as first, max(id) as last from places where @box.STContains(g) = 1;
select count(*) as n, min(id) as first, max(id) as last from places where 1 = g.STWithin(@box) and n % 2 = 0;
select count(*) as n from places where g.STDistance(geometry::Point(105, 105, 0)) <= 20;
select count(*) as n from places with (index (1)) where g.STDistance(geometry::Point(105, 105, 0)) <= 20;
select count(*) as n from places where 20 > g.STDistance(geometry::Point(105, 105, 0));
select count(*) as n from places where g.STEquals('POINT (105 105)') = 1 or n = 1;
select id from places where g.STEquals('POINT (105 105)') = 1;
select count(*) as n from places where h.STIntersects(@disc) = 1;
select count(*) as n from places with (index (1)) where h.STIntersects(@disc) = 1;
select count(*) as n from places where h.STDistance('POINT (5 5)') < 250000;
select count(*) as n from places with (index (1)) where h.STDistance('POINT (5 5)') < 250000;
select count(*) as n from places where g.STDisjoint(@box) = 1;
select count(*) as n from places where g.STIntersects(null) = 1;
select count(*) as n from places where g.STIntersects('POINT EMPTY') = 1;
go
set showplan_text on;
go
select id from places where g.STIntersects('POLYGON ((101 101, 149 101, 149 149, 101 149, 101 101))') = 1;
go
declare @g geometry, @d float;
select id from places where g.STDistance(@g) < @d;
go
declare @g geometry;
select id from places where g.STDisjoint(@g) = 1;
go
declare @g geometry;
select id from places where g.STIntersects(@g) = 0;
go
declare @g geometry;
update places set n = 0 where g.STWithin(@g) = 1;
go
set showplan_text off;
go
-- Joins.
create table areas (name varchar(10) primary key, area geometry);
insert areas values ('a', 'POLYGON ((0 0, 21 0, 21 21, 0 21, 0 0))'), ('b', 'POLYGON ((100 100, 121 100, 121 111, 100 111, 100 100))'), ('c', null);
select a.name, count(*) as n, min(p.id) as first from areas a join places p on p.g.STIntersects(a.area) = 1 group by a.name order by a.name;
select a.name, p.id from areas a join places p on a.area.STContains(p.g) = 1 where a.name = 'b' order by p.id;
select a.name, (select count(*) from places p where p.g.STWithin(a.area) = 1) as n from areas a order by a.name;
select a.name, p.id from areas a left join places p on p.g.STIntersects(a.area) = 1 and p.n < 50 order by a.name, p.id;
go
set showplan_text on;
go
select a.name, p.id from areas a join places p on p.g.STIntersects(a.area) = 1;
go
set showplan_text off;
go
-- Rows that are written.
insert places (g, h, n) values ('POINT (110 110)', 'POINT (5 5)', -1), (null, null, -2), ('POINT EMPTY', 'POINT EMPTY', -3), ('POINT (-1000 9000)', 'POINT (179 -89)', -4);
select n from places where g.STIntersects('POINT (110 110)') = 1;
select n from places where g.STIntersects('POINT (-1000 9000)') = 1;
select n from places where h.STIntersects('POINT (179 -89)') = 1;
update places set g = 'POINT (111 111)' where n = -1;
select n from places where g.STIntersects('POINT (110 110)') = 1;
select n from places where g.STIntersects('POINT (111 111)') = 1;
update places set g.STSrid = 7 where n = -1;
select n from places where g.STIntersects(geometry::Point(111, 111, 7)) = 1;
delete places where n = -1;
select n from places where g.STIntersects(geometry::Point(111, 111, 7)) = 1;
delete places where g.STWithin('POLYGON ((0 0, 21 0, 21 21, 0 21, 0 0))') = 1;
select count(*) as n from places where g.STIntersects('POLYGON ((0 0, 41 0, 41 41, 0 41, 0 0))') = 1;
begin tran;
update places set g = 'POINT (1 1)';
rollback;
select count(*) as n from places where g.STIntersects('POINT (1 1)') = 1;
dbcc checktable (places);
go
-- What the catalog says.
select name, index_id, type, type_desc, is_unique, fill_factor, is_disabled from sys.indexes where object_id = object_id('places') order by index_id;
select name, index_id, spatial_index_type, spatial_index_type_desc, tessellation_scheme from sys.spatial_indexes order by index_id;
select index_id, tessellation_scheme, bounding_box_xmin, bounding_box_ymax, level_1_grid, level_1_grid_desc, level_3_grid_desc, cells_per_object from sys.spatial_index_tessellations order by index_id;
select index_id, column_id, key_ordinal from sys.index_columns where object_id = object_id('places') order by index_id;
select internal_type, internal_type_desc, object_name(parent_id) as parent, parent_minor_id from sys.internal_tables order by parent_minor_id;
select indexproperty(object_id('places'), 'by_g', 'IndexFillFactor') as fill, indexproperty(object_id('places'), 'by_g', 'IsUnique') as is_unique;
exec sp_helpindex 'places';
go
-- Changes of indexes.
alter index by_g on places disable;
select count(*) as n from places where g.STIntersects('POINT (105 105)') = 1;
insert places (g, n) values ('POINT (110 110)', -1);
alter index by_g on places rebuild;
select n from places where g.STIntersects('POINT (110 110)') = 1;
alter index all on places rebuild;
create spatial index by_g on places (g) with (bounding_box = (ymin = 0, xmin = 0, xmax = 100, ymax = 100), drop_existing = on);
select tessellation_scheme, level_1_grid, cells_per_object from sys.spatial_index_tessellations where index_id = (select index_id from sys.indexes where name = 'by_g');
exec sp_rename 'places.by_g', 'renamed', 'INDEX';
select n from places where g.STIntersects('POINT (110 110)') = 1;
go
alter table places drop column g;
go
alter table places alter column id bigint;
go
drop index renamed on places;
drop index if exists renamed on places;
truncate table places;
select count(*) as n from places where h.STIntersects('POINT (5 5)') = 1;
go
-- What is refused.
create table t (id int primary key nonclustered, g geometry, h geography, i int, c as geometry::Point(1, 1, 0));
go
create spatial index s on t (g) with (bounding_box = (0, 0, 1, 1));
go
drop table t;
create table t (id int constraint pk_t primary key, g geometry, h geography, i int, c as geometry::Point(1, 1, 0), index plain (i));
go
create spatial index s on t (g);
go
create spatial index s on t (h) with (bounding_box = (0, 0, 1, 1));
go
create spatial index s on t (i);
go
create spatial index s on t (i) using geometry_grid with (bounding_box = (0, 0, 1, 1));
go
create spatial index s on t (g) using geography_grid;
go
create spatial index s on t (g) using nothing_grid with (bounding_box = (0, 0, 1, 1));
go
create spatial index s on t (nothing) with (bounding_box = (0, 0, 1, 1));
go
create spatial index s on t (c) with (bounding_box = (0, 0, 1, 1));
go
create spatial index s on nothing (g) with (bounding_box = (0, 0, 1, 1));
go
create spatial index s on t (g) with (bounding_box = (0, 0, 1));
go
create spatial index s on t (g) with (bounding_box = (xmin = 0, ymin = 0, xmax = 1));
go
create spatial index s on t (g) with (bounding_box = (1, 0, 1, 1));
go
create spatial index s on t (g) with (bounding_box = (0, 1, 1, -1));
go
create spatial index s on t (g) with (bounding_box = (0, 0, 1, 1), bounding_box = (0, 0, 1, 1));
go
create spatial index s on t (g) with (bounding_box = (0, 0, 1, 1), grids = (low, low, low, low));
go
create spatial index s on t (g) using geometry_grid with (bounding_box = (0, 0, 1, 1), grids = (low, low, low, tiny));
go
create spatial index s on t (g) using geometry_grid with (bounding_box = (0, 0, 1, 1), grids = (level_1 = low, level_1 = low));
go
create spatial index s on t (g) with (bounding_box = (0, 0, 1, 1), cells_per_object = 0);
go
create spatial index s on t (g) with (bounding_box = (0, 0, 1, 1), cells_per_object = 8193);
go
create spatial index s on t (g) with (fillfactor = 50, bounding_box = (0, 0, 1, 1));
go
create spatial index s on t (g) with (bounding_box = (0, 0, 1, 1), ignore_dup_key = on);
go
create spatial index plain on t (g) with (bounding_box = (0, 0, 1, 1));
go
create spatial index s on t (g) with (bounding_box = (0, 0, 1, 1), drop_existing = on);
go
create table #t (id int primary key, g geometry);
create spatial index s on #t (g) with (bounding_box = (0, 0, 1, 1));
go
create table wide (id char(900) primary key, g geometry);
go
create spatial index s on wide (g) with (bounding_box = (0, 0, 1, 1));
go
create spatial index s on t (g) with (bounding_box = (0, 0, 1, 1));
create spatial index other on t (g) using geometry_grid with (bounding_box = (-1.5, -2e1, 3.5, 4));
alter table t drop constraint pk_t;
go
insert t (id, g) values (1, 'POINT (1 1)');
select id from t where g.STIntersects('POINT (1 1)') = 1;
drop table t;
select count(*) as n from sys.internal_tables where parent_id not in (select object_id from sys.tables);
go
-- An XML index does not replace a spatial one.
create table both (id int constraint pk_both primary key, g geometry, x xml);
create spatial index s on both (g) with (bounding_box = (0, 0, 1, 1));
create primary xml index s on both (x) with (drop_existing = on);
go
drop table both;
go
