-- geography: figures on the globe. What differs from geometry.

declare @here geography = geography::Point(47.651, -122.349, 4326), @there geography = 'POINT (-122.343 47.656)';
select @here.Lat as lat, @here.Long as long, @here.STSrid as srid, @here.ToString() as here, @there.STAsText() as there, datalength(@here) as bytes;
select round(@here.STDistance(@there), 2) as meters, @here.STDistance('POINT EMPTY') as nothing, @here.STIntersects(@there) as meet, @here.STEquals(@here) as same;
select @here.STBuffer(100).STGeometryType() as type_, round(@here.STBuffer(100).STArea(), -3) as area, @here.STBuffer(100).STIntersects(@there) as near;
go
declare @g geography = 'POLYGON ((-122.358 47.653, -122.348 47.649, -122.348 47.658, -122.358 47.658, -122.358 47.653))', @p geography = 'POINT (-122.35 47.655)';
select round(@g.STArea(), 0) as area, round(@g.STLength(), 1) as length_, @g.NumRings() as rings, @g.RingN(1).STNumPoints() as points, @g.STContains(@p) as has, @p.STWithin(@g) as within, round(@g.EnvelopeAngle(), 3) as angle, @g.EnvelopeCenter().STGeometryType() as center, @g.STIsValid() as valid;
select @g.ReorientObject().STContains(@p) as turned, geography::STGeomFromText('FULLGLOBE', 4326).STContains(@p) as globe, round(geography::Parse('FULLGLOBE').STArea(), -9) as area;
go
-- Conversions and errors.
select cast(0xE6100000010C0000000000004740000000000000F0BF as geography).ToString() as from_bytes, geography::STGeomFromText('POINT (1 2)', 4326).Long as long, cast(geography::Point(2, 1, 4326) as varbinary(max)) as b, geography::[Null] as null_;
go
select geography::Point(91, 0, 4326);
go
select cast('POINT (0 91)' as geography);
go
select geography::STGeomFromText('POINT (0 1)', 0);
go
select cast(0x00 as geography);
go
declare @g geography = 'POINT (1 2)';
select @g.STX;
go
declare @g geography = 'POINT (1 2)';
select @g.STCentroid();
go
declare @g geography = 'POINT (1 2)';
select @g.STDistance(geometry::Point(1, 2, 0));
go
declare @g geography = 'POINT (1 2)';
select 1 where @g = 'POINT (1 2)';
go
declare @g geography = 'POINT (1 2)', @none geography;
set @g.STSrid = 4269;
select @g.STSrid as srid, @g.STDistance('POINT (1 2)') as other_srid, @none.Lat as none, @none.IsNull as null_;
set @g.STSrid = 1;
go
-- Columns.
create table places (id int primary key, name varchar(20), at_ geography, lat as at_.Lat persisted, long as at_.Long);
insert places (id, name, at_) values (1, 'Paris', geography::Point(48.8566, 2.3522, 4326)), (2, 'London', 'POINT (-0.1278 51.5074)'), (3, 'Berlin', 'POINT (13.405 52.52)'), (4, 'nowhere', null);
select name, lat, long, round(at_.STDistance(geography::Point(50.8503, 4.3517, 4326)) / 1000, 0) as km from places order by km desc;
select a.name, b.name as other from places a join places b on a.at_.STDistance(b.at_) < 700000 and a.id < b.id order by a.id, b.id;
select geography::CollectionAggregate(at_).STNumGeometries() as parts, geography::UnionAggregate(at_).STNumPoints() as points, geography::EnvelopeAggregate(at_).STGeometryType() as envelope from places;
select id from places where at_.STDistance('POINT (2 48)') < 100000;
update places set at_.STSrid = 4269 where id = 1;
select name, at_.STSrid as srid from places where id = 1;
go
select at_ from places order by at_;
go
create index i on places (at_);
go
select name, type_name(user_type_id) as type, max_length from sys.columns where object_id = object_id('places') and user_type_id = 130;
select spatial_reference_id, authority_name, authorized_spatial_reference_id, unit_of_measure, unit_conversion_factor from sys.spatial_reference_systems where spatial_reference_id in (4326, 4269);
select well_known_text from sys.spatial_reference_systems where spatial_reference_id = 4326;
go
