-- geometry: figures in the plane. Values, conversions, members.

-- Texts and bytes are converted, and back.
declare @g geometry = 'POINT (1 2.5)';
select @g as point, @g.ToString() as text_, cast(@g as varchar(40)) as v, convert(nvarchar(max), @g) as n, cast(@g as varbinary(max)) as b, datalength(@g) as bytes;
select cast(0x00000000010C000000000000F03F0000000000000040 as geometry).ToString() as from_bytes, geometry::Parse('LINESTRING (0 0, 1 1)').STAsText() as parsed, try_cast('POINT' as geometry) as tried;
select geometry::STGeomFromText('POINT (3 4)', 4326).STSrid as srid, geometry::Point(3, 4, 0).ToString() as p, geometry::STPointFromText('POINT (5 6)', 0).STX as x, sys.geometry::Parse('POINT (5 6)').STY as y;
select geometry::STGeomFromWKB(geometry::Parse('POINT (7 8)').STAsBinary(), 0).ToString() as from_wkb, geometry::[Null] as null_, geometry::Parse('null').ToString() as null_text, cast('NULL' as geometry) as null_cast;
go
select cast('POINT (1' as geometry);
go
select geometry::Parse('nothing');
go
declare @g geometry = 'POINT (1 2) x';
go
select geometry::STPointFromText('LINESTRING (0 0, 1 1)', 0);
go
select geometry::STGeomFromText('POINT (1 1)', null);
go
select geometry::Point(1, null, 0);
go
select geometry::STGeomFromText(null, 0) as null_;
go
select geometry::STGeomFromText('POINT (1 1)', -1);
go
select cast(0x00 as geometry);
go
select cast(1 as geometry);
go
declare @g geometry = 'POINT (1 2)', @s nvarchar(10);
set @s = @g;
go
declare @v sql_variant = geometry::Point(1, 2, 0);
go
declare @g geometry(10);
go
declare @g geometry = 'POINT (1 2)', @h geography = 'POINT (1 2)';
select @g.STDistance(@h);
go
select cast(geography::Point(1, 2, 4326) as geometry);
go
-- Members of values.
declare @g geometry = 'POLYGON ((0 0, 4 0, 4 3, 0 3, 0 0))', @p geometry = 'POINT (1 2 3 4)', @none geometry;
select @g.STArea() as area, @g.STLength() as length_, @g.STNumPoints() as points, @g.STGeometryType() as type_, @g.STDimension() as dimension, @g.STIsValid() as valid, @g.STIsEmpty() as empty_, @g.STNumGeometries() as parts;
select @p.STX as x, @p.STY as y, @p.Z as z, @p.M as m, @p.HasZ as has_z, @p.HasM as has_m, @p.STAsText() as plain, @p.AsTextZM() as zm, @p.ToString() as text_;
select @g.STX as x, @g.Z as z, @none.IsNull as null_, @p.IsNull as not_null, @none.STX as null_x, @none.STArea() as null_area, @p.STDistance(null) as null_other, @none.STPointN(null) as null_point;
select @g.STPointN(2).ToString() as second, @g.STPointN(99) as none, @g.STStartPoint().ToString() as first, @g.STEndPoint().STX as last_x, @g.STExteriorRing().ToString() as ring, @g.STNumInteriorRing() as holes;
select @g.InstanceOf('Polygon') as polygon, @g.InstanceOf('Curve') as curve, @g.STEnvelope().ToString() as envelope, @g.STCentroid().ToString() as centroid, @g.MinDbCompatibilityLevel() as level_, @g.IsValidDetailed() as valid;
select (select @g).STPointN(1).STX as chained, len(@p.ToString()) as letters, geometry::Parse('LINESTRING (0 0, 3 4)').STLength() as of_static;
go
declare @a geometry = 'POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0))', @b geometry = 'POLYGON ((2 2, 6 2, 6 6, 2 6, 2 2))', @p geometry = 'POINT (1 1)';
select @a.STIntersects(@b) as meet, @a.STDisjoint(@b) as apart, @a.STContains(@p) as has, @p.STWithin(@a) as within, @a.STEquals(@a) as same, @a.STOverlaps(@b) as overlap, @a.STTouches(@b) as touch, @a.STCrosses(@b) as cross_, @a.Filter(@b) as filtered, @a.STRelate(@b, 'T*T***T**') as related;
select @a.STIntersection(@b).STArea() as common, @a.STUnion(@b).STArea() as both, @a.STDifference(@b).STArea() as less, @a.STSymDifference(@b).STArea() as either, @a.STConvexHull().STArea() as hull, @p.STDistance(@b) as distance;
set @b.STSrid = 7;
select @b.STSrid as srid, @a.STIntersects(@b) as other_srid, @a.STDistance(@b) as distance, @a.STUnion(@b) as united;
go
select geometry::STGeomFromText('POLYGON ((0 0, 4 4, 0 4, 4 0, 0 0))', 0).MakeValid().STIsValid() as valid;
go
select geometry::STGeomFromText('POLYGON ((0 0, 4 4, 0 4, 4 0, 0 0))', 0).STArea();
go
declare @g geometry = 'LINESTRING (0 0, 1 1)';
select @g.STPointN(0);
go
declare @g geometry = 'LINESTRING (0 0, 1 1)';
select @g.STPointN(null);
go
declare @g geometry = 'LINESTRING (0 0, 1 1)';
select @g.STBuffer(null);
go
declare @g geometry = 'LINESTRING (0 0, 1 1)';
select @g.InstanceOf('Thing');
go
-- Names of members are as they are.
declare @g geometry = 'POINT (1 1)';
select @g.starea();
go
declare @g geometry = 'POINT (1 1)';
select @g.STX();
go
declare @g geometry = 'POINT (1 1)';
select @g.STArea;
go
declare @g geometry = 'POINT (1 1)';
select @g.Lat;
go
declare @g geometry = 'POINT (1 1)';
select @g.STBuffer();
go
declare @g geometry = 'POINT (1 1)';
select @g.STBuffer(1, 2);
go
declare @g geometry = 'POINT (1 1)';
select @g.Parse('POINT (1 1)');
go
select geometry::STArea();
go
select geometry::Point;
go
select [GEOMETRY PARSE]('POINT (1 1)');
go
select [GEOMETRY COLLECT](g) from (values (geometry::Point(1, 1, 0))) as v (g);
go
select [SPATIAL COVER](0x, 0x);
go
-- The SRID is assigned.
declare @g geometry = 'POINT (1 1)', @none geometry;
set @g.STSrid = 4326;
select @g.STSrid as srid;
set @g.STSrid = @g.STSrid + 1;
select @g.STSrid as srid;
set @none.STSrid = 1;
go
declare @g geometry = 'POINT (1 1)';
set @g.STSrid = 1000000;
go
declare @g geometry = 'POINT (1 1)';
set @g.STSrid = null;
go
declare @g geometry = 'POINT (1 1)';
set @g.STX = 2;
go
declare @g geometry = 'POINT (1 1)';
set @g.Nothing = 2;
go
declare @x xml = '<a/>';
set @x.value = 2;
go
declare @i int = 1;
set @i.STSrid = 2;
go
-- Values are not compared.
declare @g geometry = 'POINT (1 1)';
select 1 where @g = @g;
go
declare @g geometry = 'POINT (1 1)';
select 1 where @g < 'POINT (1 1)';
go
declare @g geometry = 'POINT (1 1)';
select 1 where @g = 1;
go
declare @g geometry = 'POINT (1 1)';
select @g + @g;
go
declare @g geometry = 'POINT (1 1)';
select -@g;
go
create table shapes (id int primary key, g geometry, name varchar(20), area as g.STArea() persisted, x as g.STX, centre as g.STCentroid());
insert shapes (id, g, name) values (1, 'POINT (1 1)', 'point'), (2, 'POLYGON ((0 0, 4 0, 4 3, 0 3, 0 0))', 'box'), (3, null, 'none'), (4, geometry::STGeomFromText('LINESTRING (0 0, 3 4)', 5), 'line'), (5, 0x00000000010C00000000000008400000000000000840, 'bytes');
go
select g from shapes order by g;
go
select count(*) from shapes group by g;
go
select distinct g from shapes;
go
select g from shapes union select g from shapes;
go
select g from shapes except select null;
go
select min(g) from shapes;
go
select count(distinct g) from shapes;
go
select id from shapes where g in (select g from shapes);
go
select row_number() over (partition by g order by id) from shapes;
go
select row_number() over (order by g) from shapes;
go
select nullif(g, g) from shapes;
go
select checksum(g) from shapes;
go
create index i on shapes (g);
go
create table t (g geometry primary key);
go
create table t (g geometry unique);
go
create statistics s on shapes (g);
go
select len(g) from shapes;
go
select id from shapes where g like 'P%';
go
declare @g geometry = 'POINT (1 1)';
print @g;
go
-- What is done with them otherwise.
select id, g.ToString() as g, shapes.g.STSrid as srid, area, x, centre.ToString() as centre from shapes order by id;
select count(g) as n, count(*) as all_ from shapes;
select id from shapes where g.STX is not null order by g.STX desc, shapes.g.STSrid;
select g.STDimension() as dimension, count(*) as n from shapes group by g.STDimension() order by g.STDimension();
select id, iif(g is null, 'none', s.g.STGeometryType()) as type_, coalesce(g, 'POINT (0 0)').ToString() as g, isnull(g, geometry::Point(9, 9, 0)).STX as x from shapes s where g.STIsEmpty() = 0 or g is null order by id;
select g.ToString() as g from shapes where id = 1 union all select 'LINESTRING (0 0, 1 1)';
update shapes set g.STSrid = 7, name = 'changed' where id in (1, 2);
update s set s.g.STSrid = s.g.STSrid + 1 from shapes s where s.id = 2;
select id, g.STSrid as srid, name from shapes where id in (1, 2) order by id;
go
update shapes set g.STSrid = 7 where id = 3;
go
update shapes set g.STSrid += 7 where id = 1;
go
update shapes set g.STX = 7 where id = 1;
go
update shapes set g.STSrid = 7, g = null where id = 1;
go
update shapes set g = g.STBuffer(0) output deleted.g.ToString() as old, inserted.g.STGeometryType() as new, inserted.area where id = 2;
insert shapes (id, g) values (6, 'x');
go
insert shapes (id, g) values (6, 1);
go
-- Aggregates.
select geometry::UnionAggregate(g).STArea() as area, geometry::EnvelopeAggregate(g).ToString() as envelope, geometry::ConvexHullAggregate(g).STArea() as hull, geometry::CollectionAggregate(g).STNumGeometries() as parts from (values (cast('POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))' as geometry)), ('POLYGON ((1 0, 3 0, 3 2, 1 2, 1 0))'), (null)) as v (g);
select name, geometry::CollectionAggregate(g).STNumGeometries() as parts from shapes group by name order by name;
select geometry::UnionAggregate(g) as none from shapes where id = 3;
select geometry::UnionAggregate(g) as srids_differ from shapes where id in (1, 5);
go
select geometry::UnionAggregate(geometry::UnionAggregate(g)) from shapes;
go
select id from shapes where geometry::UnionAggregate(g).STArea() > 1;
go
select geometry::UnionAggregate(id) from shapes;
go
select geometry::UnionAggregate() from shapes;
go
-- Parameters, results of functions, table types, defaults.
create function middle (@g geometry, @n int) returns geometry as begin return @g.STPointN(@n) end;
go
create type shape_list as table (g geometry not null, name varchar(10));
go
create procedure widen @g geometry = 'POINT (0 0)', @wide geometry output as set @wide = @g.STEnvelope();
go
declare @wide geometry, @list shape_list;
exec widen @wide = @wide output;
select @wide.ToString() as wide;
exec widen 'LINESTRING (0 0, 2 1)', @wide output;
select @wide.ToString() as wide, dbo.middle(@wide, 2).ToString() as middle;
insert @list values (@wide, 'wide'), ('POINT (5 5)', 'point');
select g.STGeometryType() as type_, name from @list order by name;
exec sp_executesql N'select @g.STX as x', N'@g geometry', 'POINT (8 9)';
select g into copied from shapes;
select count(*) as n from copied where g.STSrid = 7;
create table #t (g geometry default geometry::Point(7, 7, 0) not null check (g.STSrid = 0), other int);
insert #t (other) values (1);
select g.ToString() as g from #t;
go
alter table copied add label as g.ToString();
go
select label from copied where g.STSrid = 5;
go
create table texts (wkt varchar(60));
insert texts values ('POINT (1 2)'), (null);
alter table texts alter column wkt geometry;
select wkt.STX as x from texts order by x;
alter table texts alter column wkt varbinary(max);
go
select a.id as one, b.id as other from shapes a join shapes b on geometry::STGeomFromWKB(a.g.STAsBinary(), 0).STIntersects(b.g) = 1 and a.id <> b.id order by a.id, b.id;
select s.name, v.name as part from shapes s cross apply (select s.g.STGeometryType() as name) v where s.id = 2;
merge shapes as t using (values (1, geometry::Point(4, 4, 0)), (7, geometry::Point(5, 5, 0))) as s (id, g) on t.id = s.id when matched then update set g = s.g when not matched then insert (id, g) values (s.id, s.g) output $action, inserted.g.ToString();
go
-- What is refused.
create table memory (id int primary key nonclustered, g geometry) with (memory_optimized = on);
go
create table t (g geometry identity);
go
create type alias from geometry;
go
create sequence s as geometry;
go
create index f on shapes (id) where g is not null;
go
-- The catalog.
select name, system_type_id, user_type_id, max_length, precision, scale, is_nullable, is_user_defined, is_assembly_type from sys.types where name in ('geometry', 'geography') order by name;
select name, assembly_class, is_binary_ordered, is_fixed_length, max_length, assembly_qualified_name from sys.assembly_types where name <> 'hierarchyid' order by name;
select type_id('geometry') as id, type_name(129) as name, typeproperty('geometry', 'precision') as precision, columnproperty(object_id('shapes'), 'g', 'precision') as of_column, col_length('shapes', 'g') as length_;
select name, type_name(user_type_id) as type, system_type_id, max_length, precision, scale, collation_name, is_computed from sys.columns where object_id = object_id('shapes') and user_type_id = 129 order by column_id;
select column_name, data_type, character_maximum_length, character_octet_length, numeric_precision, domain_name from information_schema.columns where table_name = 'shapes' and column_name in ('g', 'centre');
select definition from sys.computed_columns where object_id = object_id('shapes') order by column_id;
exec sp_columns_100 'shapes', @column_name = 'g';
exec sp_describe_first_result_set N'select g, g.STX as x, g.ToString() as text_, g.STArea() as area, g.STIsValid() as valid, g.STNumPoints() as points, g.STAsBinary() as wkb, g.AsGml() as gml, g.STSrid as srid from shapes';
go
select g from shapes for json path;
go
select g from shapes for xml raw;
go
select g.ToString() as g from shapes where id = 5 for json path;
select g.AsGml() as gml from shapes where id = 5;
select geometry::GeomFromGml('<Point xmlns="http://www.opengis.net/gml"><pos>1 2</pos></Point>', 0).ToString() as from_gml;
go
-- Two columns of a column set.
create table sparse_shapes (id int primary key, g geometry sparse, all_ xml column_set for all_sparse_columns);
go
