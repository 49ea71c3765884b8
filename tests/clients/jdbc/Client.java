// The server as Microsoft's JDBC driver sees it.

import com.microsoft.sqlserver.jdbc.ISQLServerBulkData;
import com.microsoft.sqlserver.jdbc.SQLServerBulkCopy;
import com.microsoft.sqlserver.jdbc.SQLServerBulkCopyOptions;
import com.microsoft.sqlserver.jdbc.SQLServerDataTable;
import com.microsoft.sqlserver.jdbc.SQLServerException;
import com.microsoft.sqlserver.jdbc.SQLServerPreparedStatement;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.*;
import java.time.*;
import java.util.*;
import java.util.concurrent.*;

public class Client {
    static final String DATABASE = "clients_jdbc";
    static int passed, failed;

    interface Check { void run() throws Exception; }

    interface Use { void on(Connection connection) throws Exception; }

    record Value(String declared, int type, Object sent, Object back) {
        Value(String declared, int type, Object sent) { this(declared, type, sent, sent); }
    }

    static final OffsetDateTime OFFSET = OffsetDateTime.parse("2016-02-29T12:34:56.6543217+05:30");
    static final List<Value> VALUES = List.of(
        new Value("bit", Types.BIT, true),
        new Value("tinyint", Types.TINYINT, (short) 255),
        new Value("smallint", Types.SMALLINT, (short) -32768),
        new Value("int", Types.INTEGER, Integer.MIN_VALUE),
        new Value("bigint", Types.BIGINT, Long.MAX_VALUE),
        new Value("decimal(9,2)", Types.DECIMAL, new BigDecimal("-1234567.89")),
        new Value("decimal(38,10)", Types.DECIMAL, new BigDecimal("1234567890123456789012345678.0123456789")),
        new Value("money", Types.DECIMAL, new BigDecimal("922337203685477.5807")),
        new Value("smallmoney", Types.DECIMAL, new BigDecimal("-214748.3648")),
        new Value("float", Types.DOUBLE, 2.5e-300),
        new Value("real", Types.REAL, 1.25f),
        new Value("char(5)", Types.CHAR, "abc", "abc  "),
        new Value("varchar(20)", Types.VARCHAR, "caf\u00e9 \u20ac"),
        new Value("varchar(max)", Types.LONGVARCHAR, "long"),
        new Value("nchar(4)", Types.NCHAR, "\u65e5\u672c", "\u65e5\u672c  "),
        new Value("nvarchar(20)", Types.NVARCHAR, "\u041f\u0440\u0438\u0432\u0435\u0442 \ud83d\ude42"),
        new Value("nvarchar(max)", Types.LONGNVARCHAR, "\u03a9"),
        new Value("binary(4)", Types.BINARY, new byte[] {1, 2}, new byte[] {1, 2, 0, 0}),
        new Value("varbinary(10)", Types.VARBINARY, new byte[] {(byte) 0xDE, (byte) 0xAD}),
        new Value("varbinary(max)", Types.LONGVARBINARY, new byte[] {0, -1}),
        new Value("date", Types.DATE, LocalDate.of(1, 1, 1)),
        new Value("time(7)", Types.TIME, LocalTime.parse("23:59:59.1234567")),
        new Value("datetime2(7)", Types.TIMESTAMP, LocalDateTime.parse("9999-12-31T23:59:59.9999999")),
        new Value("datetimeoffset(7)", Types.TIMESTAMP_WITH_TIMEZONE, OFFSET),
        new Value("uniqueidentifier", Types.CHAR, "6F9619FF-8B86-D011-B42D-00C04FC964FF"));

    static Connection open(String database, String... options) throws SQLException {
        var text = new StringBuilder("jdbc:sqlserver://" + System.getenv("SERVER_HOST") + ":" + System.getenv("SERVER_PORT"));
        var all = new LinkedHashMap<>(Map.of("databaseName", database, "user", System.getenv("SERVER_USER"),
            "password", System.getenv("SERVER_PASSWORD"), "encrypt", "true", "trustServerCertificate", "true", "sendTimeAsDatetime", "false"));
        for (int i = 0; i < options.length; i += 2) all.put(options[i], options[i + 1]);
        all.forEach((name, value) -> text.append(";").append(name).append("={").append(value).append("}"));
        return DriverManager.getConnection(text.toString());
    }

    static void connected(Use use) throws Exception {
        try (var connection = open(DATABASE)) { use.on(connection); }
    }

    static void run(Connection c, String text) throws SQLException {
        try (var statement = c.createStatement()) { statement.execute(text); }
    }

    static String show(Object value) {
        if (value instanceof byte[] bytes) return HexFormat.of().formatHex(bytes);
        if (value instanceof Object[] array) return Arrays.stream(array).map(Client::show).toList().toString();
        return String.valueOf(value);
    }

    static void equal(Object actual, Object expected) {
        if (!show(actual).equals(show(expected))) throw new AssertionError(show(actual) + " instead of " + show(expected));
    }

    static List<List<Object>> rows(ResultSet set) throws SQLException {
        var rows = new ArrayList<List<Object>>();
        while (set.next()) {
            var row = new ArrayList<Object>();
            for (int i = 1; i <= set.getMetaData().getColumnCount(); i++) row.add(set.getObject(i));
            rows.add(row);
        }
        return rows;
    }

    static List<List<Object>> rows(Connection c, String text, Object... parameters) throws SQLException {
        try (var statement = c.prepareStatement(text)) {
            for (int i = 0; i < parameters.length; i++) statement.setObject(i + 1, parameters[i]);
            return rows(statement.executeQuery());
        }
    }

    static void check(String name, Check check) {
        var done = new FutureTask<Void>(() -> { check.run(); return null; });
        var thread = new Thread(done);
        thread.setDaemon(true);
        thread.start();
        try {
            done.get(60, TimeUnit.SECONDS);
            passed++;
            System.out.println("mssql-jdbc: " + name + ": ok");
        } catch (Exception error) {
            failed++;
            System.out.println("mssql-jdbc: " + name + ": FAILED");
            (error.getCause() == null ? error : error.getCause()).printStackTrace(System.out);
        }
    }

    static SQLException failure(Check check) throws Exception {
        try {
            check.run();
        } catch (SQLException error) {
            return error;
        }
        throw new AssertionError("no error");
    }

    static Object get(ResultSet set, int column, Object like) throws SQLException {
        if (like instanceof LocalDate || like instanceof LocalTime || like instanceof LocalDateTime || like instanceof OffsetDateTime)
            return set.getObject(column, like.getClass());
        return set.getObject(column);
    }

    static void connections() throws Exception {
        for (var mode : new String[][] {{"true", "TRUE"}, {"false", "FALSE"}}) {
            try (var c = open("master", "encrypt", mode[0])) {
                equal(rows(c, "SELECT encrypt_option FROM sys.dm_exec_connections WHERE session_id = @@SPID"), List.of(List.of(mode[1])));
                equal(c.getMetaData().getDatabaseProductName(), "Microsoft SQL Server");
            }
        }
    }

    static void definitions() throws Exception {
        try (var c = open("master")) {
            run(c, "DROP DATABASE IF EXISTS " + DATABASE);
            run(c, "CREATE DATABASE " + DATABASE);
            run(c, "ALTER DATABASE " + DATABASE + " ADD FILEGROUP m CONTAINS MEMORY_OPTIMIZED_DATA");
            run(c, "ALTER DATABASE " + DATABASE + " ADD FILE (NAME = m, FILENAME = 'C:\\Data\\m') TO FILEGROUP m");
        }
        connected(c -> {
            var columns = "name nvarchar(50) NOT NULL, amount decimal(10, 2) NULL, INDEX ix_name NONCLUSTERED (name)";
            run(c, "CREATE TABLE dbo.on_disk (id int IDENTITY PRIMARY KEY, " + columns + ")");
            run(c, "CREATE TABLE dbo.in_memory (id int IDENTITY PRIMARY KEY NONCLUSTERED, " + columns + ") WITH (MEMORY_OPTIMIZED = ON)");
            run(c, "CREATE PROCEDURE dbo.answer @left int, @right int = 5, @sum int OUTPUT, @text nvarchar(100) OUTPUT AS BEGIN "
                + "SET NOCOUNT ON; SELECT @left AS l, @right AS r; SELECT name FROM (VALUES (N'one'), (N'two')) AS v(name); "
                + "SET @sum = @left + @right; SET @text = @text + N' and more'; RETURN 42; END");
            run(c, "CREATE TYPE dbo.lines AS TABLE (id int PRIMARY KEY, name nvarchar(50) NULL, amount decimal(10, 2) NULL)");
            run(c, "CREATE PROCEDURE dbo.sum_lines @lines dbo.lines READONLY AS SELECT COUNT(*), SUM(amount), MAX(name) FROM @lines");
            equal(rows(c, "SELECT name, is_memory_optimized FROM sys.tables ORDER BY name"), List.of(List.of("in_memory", true), List.of("on_disk", false)));
        });
    }

    static void parameters() throws Exception {
        connected(c -> {
            for (var v : VALUES) {
                try (var s = c.prepareStatement("SELECT CAST(? AS " + v.declared + "), CAST(? AS " + v.declared + ")")) {
                    s.setObject(1, v.sent, v.type);
                    s.setNull(2, v.type);
                    for (int turn = 0; turn < 3; turn++) { // sp_executesql, sp_prepexec, sp_execute
                        try (var set = s.executeQuery()) {
                            set.next();
                            equal(new Object[] {v.declared, get(set, 1, v.back), set.getObject(2)}, new Object[] {v.declared, v.back, null});
                        }
                    }
                }
            }
        });
    }

    static void stored() throws Exception {
        connected(c -> {
            for (var options : List.of("", " WITH (MEMORY_OPTIMIZED = ON)")) {
                var kept = VALUES.stream().filter(v -> options.isEmpty() || !v.declared.startsWith("datetimeoffset")).toList();
                var columns = new StringJoiner(", ");
                for (int i = 0; i < kept.size(); i++) columns.add("c" + i + " " + kept.get(i).declared + " NULL");
                run(c, "DROP TABLE IF EXISTS dbo.every");
                run(c, "CREATE TABLE dbo.every (id int PRIMARY KEY NONCLUSTERED, " + columns + ")" + options);
                try (var s = c.prepareStatement("INSERT dbo.every VALUES (?" + ", ?".repeat(kept.size()) + ")")) {
                    for (int id = 1; id <= 2; id++) {
                        s.setInt(1, id);
                        for (int i = 0; i < kept.size(); i++) s.setObject(i + 2, id == 1 ? kept.get(i).sent : null, kept.get(i).type);
                        s.addBatch();
                    }
                    equal(Arrays.stream(s.executeBatch()).boxed().toList(), List.of(1, 1));
                }
                try (var s = c.createStatement(); var set = s.executeQuery("SELECT * FROM dbo.every ORDER BY id")) {
                    set.next();
                    for (int i = 0; i < kept.size(); i++) equal(get(set, i + 2, kept.get(i).back), kept.get(i).back);
                    set.next();
                    for (int i = 0; i < kept.size(); i++) equal(set.getObject(i + 2), null);
                }
            }
        });
    }

    static void transactions() throws Exception {
        connected(c -> {
            for (var table : new String[][] {{"on_disk", ""}, {"in_memory", " WITH (SNAPSHOT)"}}) {
                c.setAutoCommit(false);
                run(c, "INSERT dbo." + table[0] + " (name) VALUES (N'rolled back')");
                c.rollback();
                run(c, "INSERT dbo." + table[0] + " (name) VALUES (N'committed')");
                var saved = c.setSavepoint("half");
                run(c, "INSERT dbo." + table[0] + " (name) VALUES (N'taken back')");
                c.rollback(saved);
                c.commit();
                c.setAutoCommit(true);
                equal(rows(c, "SELECT name, @@TRANCOUNT FROM dbo." + table[0] + table[1]), List.of(List.of("committed", 0)));
                run(c, "DELETE dbo." + table[0]);
            }
            run(c, "CREATE TABLE #t (id int PRIMARY KEY)");
            c.setAutoCommit(false);
            run(c, "INSERT #t VALUES (1)");
            equal(failure(() -> run(c, "INSERT #t VALUES (1)")).getErrorCode(), 2627);
            run(c, "INSERT #t VALUES (2)");
            c.commit();
            equal(rows(c, "SELECT COUNT(*) FROM #t"), List.of(List.of(2)));
        });
    }

    static void errors() throws Exception {
        connected(c -> {
            for (var of : new Object[][] {
                {"DECLARE @x int = 1;\n\nRAISERROR(N'raised %d', 16, 7, @x);", 50000, 16, 7, 3, "raised 1"},
                {"\nSELECT 1 / 0", 8134, 16, 1, 2, "Divide by zero error encountered."},
                {"SELECT * FROM nowhere", 208, 16, 1, 1, "Invalid object name 'nowhere'."},
                {"THROW 51234, N'thrown', 9", 51234, 16, 9, 1, "thrown"},
            }) {
                var error = ((SQLServerException) failure(() -> {
                    try (var s = c.createStatement(); var set = s.executeQuery((String) of[0])) { set.next(); }
                })).getSQLServerError();
                equal(new Object[] {error.getErrorNumber(), error.getErrorSeverity(), error.getErrorState(), error.getLineNumber(), error.getErrorMessage()},
                    Arrays.copyOfRange(of, 1, 6));
            }
        });
    }

    static void procedures() throws Exception {
        connected(c -> {
            try (var s = c.prepareCall("{? = call dbo.answer(?, ?, ?, ?)}")) {
                s.registerOutParameter(1, Types.INTEGER);
                s.setInt(2, 3);
                s.setInt(3, 4);
                s.registerOutParameter(4, Types.INTEGER);
                s.setString(5, "start");
                s.registerOutParameter(5, Types.NVARCHAR);
                for (int turn = 0; turn < 3; turn++) {
                    s.execute();
                    equal(rows(s.getResultSet()), List.of(List.of(3, 4)));
                    s.getMoreResults();
                    equal(rows(s.getResultSet()), List.of(List.of("one"), List.of("two")));
                    equal(new Object[] {s.getInt(1), s.getInt(4), s.getString(5)}, new Object[] {42, 7, "start and more"});
                }
            }
        });
    }

    static void resultSets() throws Exception {
        connected(c -> {
            try (var s = c.createStatement()) {
                s.execute("SELECT 1 AS a; PRINT N'x'; DECLARE @t table (i int); INSERT @t VALUES (1), (2); SELECT 2 AS b, 3 AS c");
                equal(rows(s.getResultSet()), List.of(List.of(1)));
                s.getMoreResults();
                equal(s.getUpdateCount(), 2);
                s.getMoreResults();
                equal(rows(s.getResultSet()), List.of(List.of(2, 3)));
                equal(s.getMoreResults() || s.getUpdateCount() != -1, false);
            }
        });
    }

    static SQLServerDataTable table(int count) throws SQLException {
        var table = new SQLServerDataTable();
        table.addColumnMetadata("id", Types.INTEGER);
        table.addColumnMetadata("name", Types.NVARCHAR);
        table.addColumnMetadata("amount", Types.DECIMAL);
        for (int i = 0; i < count; i++) table.addRow(i, "na\u00efve " + i, i % 2 == 0 ? new BigDecimal(i + ".25") : null);
        return table;
    }

    static void tables() throws Exception {
        connected(c -> {
            try (var s = (SQLServerPreparedStatement) c.prepareStatement("EXEC dbo.sum_lines ?")) {
                s.setStructured(1, "dbo.lines", table(1000));
                equal(rows(s.executeQuery()), List.of(List.of(1000, new BigDecimal("249625.00"), "na\u00efve 999")));
            }
        });
    }

    static class Lines implements ISQLServerBulkData {
        final int count;
        int at = -1;

        Lines(int count) { this.count = count; }

        public Set<Integer> getColumnOrdinals() { return Set.of(1, 2); }

        public String getColumnName(int column) { return column == 1 ? "name" : "amount"; }

        public int getColumnType(int column) { return column == 1 ? Types.NVARCHAR : Types.DECIMAL; }

        public int getPrecision(int column) { return column == 1 ? 50 : 10; }

        public int getScale(int column) { return column == 1 ? 0 : 2; }

        public Object[] getRowData() {
            return new Object[] {"na\u00efve " + at, at % 2 == 0 ? new BigDecimal(at + ".25") : null};
        }

        public boolean next() { return ++at < count; }
    }

    static void bulk() throws Exception {
        connected(c -> {
            for (var name : List.of("on_disk", "in_memory")) {
                try (var copy = new SQLServerBulkCopy(c)) {
                    var options = new SQLServerBulkCopyOptions();
                    options.setBatchSize(700);
                    copy.setBulkCopyOptions(options);
                    copy.setDestinationTableName("dbo." + name);
                    copy.addColumnMapping("name", "name");
                    copy.addColumnMapping("amount", "amount");
                    copy.writeToServer(new Lines(2000));
                }
                equal(rows(c, "SELECT COUNT(*), COUNT(amount), MAX(name) FROM dbo." + name), List.of(List.of(2000, 1000, "na\u00efve 999")));
                run(c, "DELETE dbo." + name);
            }
        });
    }

    static void cancel() throws Exception {
        connected(c -> {
            for (var text : List.of("EXEC (N'SET NOCOUNT ON; DECLARE @i bigint = 0; WHILE 1 = 1 SET @i += 1')", "WAITFOR DELAY '00:01:00'")) {
                try (var s = c.createStatement()) {
                    s.setQueryTimeout(1);
                    var start = System.nanoTime();
                    failure(() -> s.execute(text));
                    if (System.nanoTime() - start > 8_000_000_000L) throw new AssertionError("took too long");
                }
                equal(rows(c, "SELECT 1"), List.of(List.of(1)));
            }
        });
    }

    /** Moves over a keyset cursor, changes rows through it, and sees what others change. */
    static void keyset(Connection c, Statement s, ResultSet set) throws Exception {
        equal(s.getWarnings(), null);
        set.last();
        equal(set.getString(2), "c");
        set.previous();
        equal(set.getString(2), "b");
        set.updateString(2, "B");
        set.updateRow();
        equal(set.getString(2), "B");
        equal(rows(c, "SELECT name FROM dbo.on_disk ORDER BY id"), List.of(List.of("a"), List.of("B"), List.of("c")));
        set.previous();
        equal(set.getString(2), "a");
        equal(set.previous(), false);
        equal(set.isBeforeFirst(), true);
        set.next();
        run(c, "UPDATE dbo.on_disk SET name = N'A' WHERE name = N'a'");
        set.refreshRow();
        equal(set.getString(2), "A");
        set.moveToInsertRow();
        set.updateString("name", "d");
        set.insertRow();
        set.moveToCurrentRow();
        equal(set.getString(2), "A");
        set.absolute(3);
        set.deleteRow();
        equal(rows(c, "SELECT name FROM dbo.on_disk ORDER BY id"), List.of(List.of("A"), List.of("B"), List.of("d")));
        set.afterLast();
        equal(set.isAfterLast(), true);
        set.beforeFirst();
        set.next();
        equal(set.getString(2), "A");
    }

    /** Walks over blocks of two rows. */
    static void backAndForth(ResultSet set) throws Exception {
        var seen = new StringBuilder();
        while (set.next()) seen.append(set.getString(2));
        while (set.previous()) seen.append(set.getString(2));
        set.last();
        while (set.relative(-1)) seen.append(set.getString(2));
        equal(seen.toString(), "ABddBABA");
    }

    static void cursors() throws Exception {
        connected(c -> {
            run(c, "INSERT dbo.on_disk (name) VALUES (N'a'), (N'b'), (N'c')");
            try (var s = c.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY);
                    var set = s.executeQuery("SELECT name FROM dbo.on_disk ORDER BY id")) {
                set.last();
                equal(set.getString(1), "c");
                set.previous();
                equal(set.getString(1), "b");
                set.absolute(1);
                equal(set.getString(1), "a");
            }
            try (var s = c.createStatement(ResultSet.TYPE_SCROLL_SENSITIVE, ResultSet.CONCUR_UPDATABLE);
                    var set = s.executeQuery("SELECT id, name, amount FROM dbo.on_disk ORDER BY id")) {
                keyset(c, s, set);
            }
            try (var s = c.createStatement(ResultSet.TYPE_SCROLL_SENSITIVE, ResultSet.CONCUR_UPDATABLE)) {
                s.setFetchSize(2);
                try (var set = s.executeQuery("SELECT id, name, amount FROM dbo.on_disk ORDER BY id")) {
                    backAndForth(set);
                }
            }
            run(c, "DELETE dbo.on_disk");
        });
        try (var c = open(DATABASE, "selectMethod", "cursor"); var s = c.createStatement(); var set = s.executeQuery("SELECT name FROM sys.all_objects")) {
            int count = 0;
            while (set.next()) count++;
            equal(count > 100, true);
        }
    }

    static void metadata() throws Exception {
        connected(c -> {
            var of = c.getMetaData();
            try (var set = of.getTables(DATABASE, "dbo", "on_%", new String[] {"TABLE"})) {
                set.next();
                equal(set.getString("TABLE_NAME"), "on_disk");
            }
            var names = new ArrayList<String>();
            try (var set = of.getColumns(DATABASE, "dbo", "in_memory", "%")) {
                while (set.next()) names.add(set.getString("COLUMN_NAME") + " " + set.getString("TYPE_NAME"));
            }
            equal(names, List.of("id int identity", "name nvarchar", "amount decimal"));
            try (var set = of.getPrimaryKeys(DATABASE, "dbo", "on_disk")) {
                set.next();
                equal(set.getString("COLUMN_NAME"), "id");
            }
            try (var s = c.prepareStatement("INSERT dbo.on_disk (name, amount) VALUES (?, ?)", Statement.RETURN_GENERATED_KEYS)) {
                equal(s.getParameterMetaData().getParameterTypeName(1), "nvarchar");
                s.setString(1, "x");
                s.setBigDecimal(2, BigDecimal.ONE);
                s.executeUpdate();
                try (var set = s.getGeneratedKeys()) { equal(set.next() && set.getInt(1) > 0, true); }
            }
        });
    }

    static void large() throws Exception {
        connected(c -> {
            var text = "A line of text, and another one.".repeat(32768);
            var bytes = text.getBytes(StandardCharsets.UTF_16LE);
            run(c, "CREATE TABLE #large (t nvarchar(max), v varchar(max), b varbinary(max))");
            try (var s = c.prepareStatement("INSERT #large VALUES (?, ?, ?)")) {
                s.setNString(1, text + "\u03a9");
                s.setString(2, text);
                s.setBytes(3, bytes);
                s.executeUpdate();
            }
            try (var s = c.createStatement(); var set = s.executeQuery("SELECT * FROM #large")) {
                set.next();
                equal(set.getString(1).equals(text + "\u03a9") && set.getString(2).equals(text) && Arrays.equals(set.getBytes(3), bytes), true);
            }
            run(c, "CREATE TABLE #\u8868 ([\u540d\u524d] nvarchar(10)); INSERT #\u8868 VALUES (N'\u5c71')");
            try (var s = c.createStatement(); var set = s.executeQuery("SELECT * FROM #\u8868")) {
                set.next();
                equal(set.getString("\u540d\u524d"), "\u5c71");
            }
        });
    }

    public static void main(String[] arguments) {
        check("connects in all modes of encryption", Client::connections);
        check("connects by TDS 8", () -> {
            try (var c = open("master", "encrypt", "strict", "trustServerCertificate", "false",
                    "serverCertificate", System.getenv("SERVER_CERTIFICATE"), "hostNameInCertificate", "localhost")) {
                equal(rows(c, "SELECT 1"), List.of(List.of(1)));
            }
        });
        check("refuses a wrong password", () -> equal(failure(() -> open("master", "password", "wrong")).getErrorCode(), 18456));
        check("defines tables on disk and in memory", Client::definitions);
        check("passes values of every type", Client::parameters);
        check("keeps values of every type in tables", Client::stored);
        check("commits, rolls back, and goes on after errors", Client::transactions);
        check("tells errors", Client::errors);
        check("calls procedures", Client::procedures);
        check("reads several result sets", Client::resultSets);
        check("passes tables", Client::tables);
        check("loads rows in bulk", Client::bulk);
        check("gives up a long loop and a wait", Client::cancel);
        check("scrolls by cursors of the server", Client::cursors);
        check("describes tables and parameters", Client::metadata);
        check("carries large values and Unicode names", Client::large);
        System.out.println("test result: " + (failed == 0 ? "ok" : "FAILED") + ". " + passed + " passed; " + failed + " failed; 0 ignored; mssql-jdbc");
        System.exit(failed == 0 ? 0 : 1);
    }
}
