create table t (id int not null primary key, v int not null)
insert t values (1, 10), (2, 20), (3, 30)
go
-- the cursor's own session changes the definition of its table
declare c cursor global keyset for select id, v from t
open c
fetch next from c
alter table t add w int
fetch next from c
close c
go
open c
fetch next from c
drop table t
fetch next from c
deallocate c
go
create table t (id int not null primary key, v int not null)
insert t values (1, 10), (2, 20)
go
-- what is kept does not depend on the table
declare c cursor global static for select id, v from t
open c
fetch next from c
drop table t
fetch next from c
deallocate c
go
create table t (id int not null primary key, v int not null)
insert t values (1, 10), (2, 20)
create table u (id int not null primary key, t int)
go
-- other tables may refer to it, and statistics come and go
declare c cursor global dynamic for select id, v from t
open c
fetch next from c
alter table u add constraint fk foreign key (t) references t (id)
create statistics s on t (v)
fetch next from c
go
-- held for the cursor
select resource_type, request_mode, request_status, request_owner_type, object_name(resource_associated_entity_id) as name
from sys.dm_tran_locks where request_session_id = @@spid and request_owner_type = 'CURSOR'
declare d cursor global keyset for select v from t
open d
close c
deallocate c
select count(*) as n from sys.dm_tran_locks where request_session_id = @@spid and request_owner_type = 'CURSOR'
deallocate d
select count(*) as n from sys.dm_tran_locks where request_session_id = @@spid and request_owner_type = 'CURSOR'
go
-- dropped between DECLARE and OPEN
declare c cursor global keyset for select id from u
drop table u
open c
deallocate c
go
