//! Laws of functions.

use testkit::hostile::{COLLATIONS, STRINGS};
use testkit::rng::{Rng, seeds};

use super::{TestServer, fill, hold, written};

#[test]
fn json_is_read_as_it_was_written() {
    let server = TestServer::new();
    let mut session = server.session();
    for seed in seeds(8) {
        let documents = written(&mut Rng::new(seed), 25, |s| s.json_document());
        fill(&mut session, "#d", "nvarchar(max)", &[]);
        for document in &documents {
            // The type has limits of its own, but no other idea of what JSON is.
            let added = session.run(&format!(
                "declare @v nvarchar(max); begin try set @v = cast({document} as nvarchar(max)) end try begin catch set @v = null end catch; \
                 if isjson(@v) = 1 insert #d select @v where len(cast(cast(@v as json) as nvarchar(max))) > 0 and isjson(json_array(json_query(@v))) = 1"
            ));
            assert!(!added.contains("Msg 13609"), "seed {seed}: {document}: {added}");
        }
        hold(
            &mut session,
            seed,
            &[
                "select i, v from #d where try_cast(v as json) is null",
                "select i from #d where cast(cast(v as json) as nvarchar(max)) collate Latin1_General_BIN2 \
                   <> cast(cast(cast(cast(v as json) as nvarchar(max)) as json) as nvarchar(max))",
                "select i from #d where isjson(v, array) + isjson(v, object) <> 1",
                "select i from #d where isjson(json_modify(v, '$.zz', N'x')) <> 1",
                "select i from #d where isjson(v, object) = 1 and \
                   isnull(json_value(json_modify(v, '$.zz', N'é\"\\/'), '$.zz'), N'') <> N'é\"\\/'",
                "select i from #d where isjson(v, object) = 1 and \
                   json_query(json_modify(v, '$.zz', json_query(v)), '$.zz') <> json_query(v)",
                "select i from #d where isjson(v, array) = 1 and (select count(*) from openjson(v)) + 1 \
                   <> (select count(*) from openjson(json_modify(v, 'append $', 1)))",
                "select i, o.[key] from #d cross apply openjson(v) o where isjson(v, object) = 1 and \
                   json_path_exists(v, N'$.\"' + string_escape(o.[key], 'json') + N'\"') <> 1",
                "select i, o.[key] from #d cross apply openjson(v) o where isjson(v, array) = 1 and o.type in (1, 2, 3) \
                   and len(o.value) <= 4000 and isnull(json_value(v, N'$[' + o.[key] + N']'), N'?') <> o.value",
                "select i, o.[key] from #d cross apply openjson(v) o where isjson(v, array) = 1 and o.type in (4, 5) \
                   and isnull(json_query(v, N'$[' + o.[key] + N']'), N'?') <> o.value",
                "select i from #d where isjson(json_object('k': v, 'q': json_query(v))) <> 1 or \
                   json_value(json_object('k': 'x', 'q': json_query(v)), '$.k') <> N'x' or \
                   json_value(json_array(left(v, 1000)), '$[0]') <> left(v, 1000)",
                "select i from #d where cast(decompress(compress(v)) as nvarchar(max)) collate Latin1_General_BIN2 <> v",
            ],
        );
    }
}

#[test]
fn xml_is_read_as_it_was_written() {
    let server = TestServer::new();
    let mut session = server.session();
    for seed in seeds(8) {
        let documents = written(&mut Rng::new(seed), 25, |s| s.xml_document());
        fill(&mut session, "#x", "xml", &documents);
        let others = session.run("delete #x where v is null");
        assert!(!others.contains("Msg "), "seed {seed}: {others}");
        hold(
            &mut session,
            seed,
            &[
                "select i from #x where cast(cast(cast(v as nvarchar(max)) as xml) as nvarchar(max)) \
                   collate Latin1_General_BIN2 <> cast(v as nvarchar(max))",
                "select i from #x where cast(v.query('/node()') as nvarchar(max)) collate Latin1_General_BIN2 \
                   <> cast(v as nvarchar(max))",
                "select i from #x where v.value('count(//*)', 'int') <> (select count(*) from v.nodes('//*') n(c))",
                "select i from #x where v.exist('//a') <> case when v.value('count(//a)', 'int') > 0 then 1 else 0 end",
                "select i from #x where v.value('count(//a)', 'int') <> v.value('count(for $e in //* where local-name($e) = \"a\" and namespace-uri($e) = \"\" return $e)', 'int')",
                "select i from #x cross apply v.nodes('//*') n(c) where n.c.value('count(.//*)', 'int') + n.c.value('count(.)', 'int') \
                   <> n.c.value('count(descendant-or-self::*)', 'int')",
            ],
        );
        session.run("update #x set v.modify('delete //a')");
        session.run("update #x set v.modify('insert <last/> as last into (/*)[1]')");
        hold(
            &mut session,
            seed,
            &[
                "select i from #x where v.exist('//a') = 1",
                "select i from #x where v.exist('/*') = 1 and v.value('local-name((/*[1]/*)[last()])', 'nvarchar(50)') <> N'last'",
                "select i from #x where v.exist('/*') <> v.exist('//last')",
            ],
        );
    }
}

/// What compares, sorts, hashes and indexes strings agrees on which are equal, and in what order.
#[test]
fn collations_order_strings_one_way() {
    let server = TestServer::new();
    let mut session = server.session();
    for seed in seeds(2) {
        let mut rng = Rng::new(seed);
        let collation = rng.one(COLLATIONS);
        let mut strings: Vec<String> = STRINGS.iter().map(|s| (*s).to_owned()).collect();
        strings.extend((0..12).map(|_| format!("{} + {}", rng.one(STRINGS), rng.one(STRINGS))));
        fill(&mut session, "#s", &format!("nvarchar(210) collate {collation}"), &strings);
        session.run("drop table if exists #k");
        let made = session.run(&format!(
            "create table #k (i int primary key, v nvarchar(210) collate {collation}, r int, index by_v (v))"
        ));
        assert_eq!(made, "", "seed {seed}: {collation}");
        session.run("insert #k select i, v, dense_rank() over (order by v) from #s");
        hold(
            &mut session,
            seed,
            &[
                "select a.i, b.i from #k a join #k b on a.r < b.r where not a.v < b.v or not b.v > a.v or a.v = b.v",
                "select a.i, b.i from #k a join #k b on a.r = b.r where not a.v = b.v or a.v <> b.v or a.v < b.v",
                "select r from #k group by r having count(distinct v) > 1 or count(distinct checksum(v)) > 1",
                "select a.i from #k a where (select count(*) from #k b with (forceseek) where b.v = a.v) \
                   <> (select count(*) from #k b where b.r = a.r)",
                "select a.i from #k a where (select count(*) from #k b with (forceseek) where b.v < a.v) \
                   <> (select count(*) from #k b where b.r < a.r)",
                "select (select count(*) from #k a inner hash join #k b on a.v = b.v) n \
                   where (select count(*) from #k a join #k b on a.r = b.r) \
                   <> (select count(*) from #k a inner hash join #k b on a.v = b.v)",
                "select i from #k where v not like replace(replace(replace(v, N'[', N'[[]'), N'%', N'[%]'), N'_', N'[_]') \
                   and v <> N'' and charindex(N'[', v) + charindex(N'%', v) + charindex(N'_', v) = 0",
                "select i from #k where v <> N'' and (charindex(v, v) <> 1 or datalength(replace(v, v, N'')) <> 0)",
                "select i from #k where decompress(compress(v)) <> cast(v as varbinary(420))",
            ],
        );
    }
}

#[test]
fn nodes_are_where_their_paths_say() {
    let server = TestServer::new();
    let mut session = server.session();
    for seed in seeds(6) {
        let mut rng = Rng::new(seed);
        let paths: Vec<String> = (0..40)
            .map(|_| {
                let mut path = "/".to_owned();
                for _ in 0..rng.between(0, 5) {
                    let label = rng.one(&[
                        "1",
                        "2",
                        "0",
                        "-1",
                        "1.1",
                        "1.-5",
                        "79",
                        "-73",
                        "5200",
                        "100000",
                        "4294972495",
                    ]);
                    path += &format!("{label}/");
                }
                format!("'{path}'")
            })
            .collect();
        fill(&mut session, "#h", "hierarchyid", &paths);
        hold(
            &mut session,
            seed,
            &[
                "select i from #h where hierarchyid::Parse(v.ToString()) <> v or cast(cast(v as varbinary(892)) as hierarchyid) <> v",
                "select a.i, b.i from #h a join #h b on a.v < b.v where cast(a.v as varbinary(892)) >= cast(b.v as varbinary(892))",
                "select a.i, b.i from #h a cross join #h b where a.v.IsDescendantOf(b.v) \
                   <> case when a.v.GetLevel() >= b.v.GetLevel() and a.v.GetAncestor(a.v.GetLevel() - b.v.GetLevel()) = b.v then 1 else 0 end",
                "select a.i, b.i from #h a cross join #h b where a.v.IsDescendantOf(b.v) \
                   <> case when left(a.v.ToString(), len(b.v.ToString())) = b.v.ToString() then 1 else 0 end",
                "select a.i, b.i, c.i from #h a join #h b on a.v.IsDescendantOf(b.v) = 1 join #h c on c.i <= 10 \
                   where a.v.GetReparentedValue(b.v, c.v).GetReparentedValue(c.v, b.v) <> a.v",
                "select i from #h where v.GetDescendant(null, null).GetAncestor(1) <> v",
                "select a.i, b.i from #h a join #h b on a.v < b.v and a.v.GetAncestor(1) = b.v.GetAncestor(1) \
                   where not a.v < a.v.GetAncestor(1).GetDescendant(a.v, b.v) or not a.v.GetAncestor(1).GetDescendant(a.v, b.v) < b.v \
                   or a.v.GetAncestor(1).GetDescendant(a.v, b.v).GetAncestor(1) <> a.v.GetAncestor(1)",
                "select a.i from #h a where a.v.GetLevel() > 0 and (not a.v.GetAncestor(1).GetDescendant(a.v, null) > a.v \
                   or not a.v.GetAncestor(1).GetDescendant(null, a.v) < a.v)",
                "select a.i, b.i from #h a join #h b on a.v < b.v join #h c on c.v.IsDescendantOf(a.v) = 1 \
                   where b.v.IsDescendantOf(a.v) = 0 and c.v > b.v",
            ],
        );
    }
}

#[test]
fn moments_and_percentiles_are_where_they_belong() {
    let server = TestServer::new();
    let mut session = server.session();
    for seed in seeds(5) {
        let mut rng = Rng::new(seed);
        let moments: Vec<String> = (0..40)
            .map(|_| {
                let (day, second) = (rng.between(0, 60_000), rng.between(0, 86_400));
                format!("dateadd(second, {second}, dateadd(day, {day}, cast('1901-01-01' as datetime2)))")
            })
            .collect();
        fill(&mut session, "#m", "datetime2", &moments);
        let zone = rng.one(&[
            "Central European Standard Time",
            "Lord Howe Standard Time",
            "Iran Standard Time",
            "Pacific Standard Time",
            "Samoa Standard Time",
            "UTC",
        ]);
        let there = format!("(v at time zone 'UTC') at time zone '{zone}'");
        let culture =
            rng.one(&["en-US", "de-DE", "fr-CH", "ja-JP", "tr-TR", "sr-Latn-RS", "pt-BR"]);
        hold(
            &mut session,
            seed,
            &[
                &format!(
                    "select i from #m where cast(({there}) at time zone 'UTC' as datetime2) <> v"
                ),
                &format!("select i from #m where cast(switchoffset({there}, 0) as datetime2) <> v"),
                &format!(
                    "select i from #m where cast(cast({there} as datetime2) at time zone '{zone}' as datetimeoffset) <> {there} \
                     and cast(dateadd(hour, -3, v) at time zone 'UTC' at time zone '{zone}' as datetime2) <= dateadd(hour, -3, cast({there} as datetime2)) \
                     and datepart(tzoffset, (dateadd(hour, -3, v) at time zone 'UTC') at time zone '{zone}') = datepart(tzoffset, {there}) \
                     and datepart(tzoffset, (dateadd(hour, 3, v) at time zone 'UTC') at time zone '{zone}') = datepart(tzoffset, {there})"
                ),
                &format!(
                    "select i from #m where parse(format(v, 'yyyy-MM-dd HH:mm:ss', '{culture}') as datetime2 using '{culture}') <> v"
                ),
                &format!(
                    "select i from #m where cast(parse(format(v, 'D', '{culture}') as datetime2 using '{culture}') as date) <> cast(v as date)"
                ),
                &format!(
                    "select i from #m where parse(format(cast(datediff(minute, '1950-01-01', v) as decimal(20, 2)) / 100, 'N2', '{culture}') \
                       as decimal(20, 2) using '{culture}') <> cast(cast(datediff(minute, '1950-01-01', v) as decimal(20, 2)) / 100 as decimal(20, 2))"
                ),
                "select * from (select distinct percentile_disc(0) within group (order by v) over () a, percentile_disc(1) within group (order by v) over () b, \
                   percentile_disc(0) within group (order by v desc) over () c from #m) p \
                   where a <> (select min(v) from #m) or b <> (select max(v) from #m) or c <> b",
                "select * from (select i, percentile_cont(0) within group (order by i) over (partition by i % 3) a, \
                   percentile_cont(0.5) within group (order by i) over (partition by i % 3) m, percentile_cont(1) within group (order by i) over (partition by i % 3) b from #m) p \
                   where a <> (select min(q.i) from #m q where q.i % 3 = p.i % 3) or b <> (select max(q.i) from #m q where q.i % 3 = p.i % 3) or m not between a and b",
            ],
        );
    }
}
