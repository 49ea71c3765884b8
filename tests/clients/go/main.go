// The server as go-mssqldb sees it, and so sqlcmd.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"reflect"
	"strings"
	"time"

	mssql "github.com/microsoft/go-mssqldb"
)

const database = "clients_go"

func open(name string, options ...string) *sql.DB {
	query := url.Values{"database": {name}, "encrypt": {"true"}, "TrustServerCertificate": {"true"}}
	for i := 0; i < len(options); i += 2 {
		query.Set(options[i], options[i+1])
	}
	address := url.URL{
		Scheme:   "sqlserver",
		User:     url.UserPassword(os.Getenv("SERVER_USER"), os.Getenv("SERVER_PASSWORD")),
		Host:     os.Getenv("SERVER_HOST") + ":" + os.Getenv("SERVER_PORT"),
		RawQuery: query.Encode(),
	}
	db, err := sql.Open("sqlserver", address.String())
	must(err)
	return db
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func equal(actual, expected any) {
	if !reflect.DeepEqual(actual, expected) {
		panic(fmt.Sprintf("%#v instead of %#v", actual, expected))
	}
}

type queryer interface {
	QueryContext(ctx context.Context, text string, arguments ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, text string, arguments ...any) (sql.Result, error)
}

var background = context.Background()

// The rows of all result sets.
func sets(db queryer, text string, arguments ...any) [][][]any {
	rows, err := db.QueryContext(background, text, arguments...)
	must(err)
	defer rows.Close()
	var all [][][]any
	for more := true; more; more = rows.NextResultSet() {
		columns, err := rows.Columns()
		must(err)
		set := [][]any{}
		for rows.Next() {
			row := make([]any, len(columns))
			places := make([]any, len(columns))
			for i := range row {
				places[i] = &row[i]
			}
			must(rows.Scan(places...))
			set = append(set, row)
		}
		all = append(all, set)
	}
	must(rows.Err())
	return all
}

func rows(db queryer, text string, arguments ...any) [][]any { return sets(db, text, arguments...)[0] }

func run(db queryer, text string, arguments ...any) int64 {
	result, err := db.ExecContext(background, text, arguments...)
	must(err)
	count, err := result.RowsAffected()
	must(err)
	return count
}

func failure(db queryer, text string, arguments ...any) mssql.Error {
	_, err := db.ExecContext(background, text, arguments...)
	var of mssql.Error
	if !errors.As(err, &of) {
		panic(fmt.Sprintf("%v instead of an error of the server", err))
	}
	return of
}

var offset = time.FixedZone("", 5*3600+1800)

// Declared type, what is sent, what comes back. VarChar sends its bytes as they are, UTF-8.
var values = []struct {
	declared string
	sent     any
	back     any
}{
	{"bit", true, true},
	{"tinyint", int64(255), int64(255)},
	{"smallint", int64(-32768), int64(-32768)},
	{"int", int64(-2147483648), int64(-2147483648)},
	{"bigint", int64(9223372036854775807), int64(9223372036854775807)},
	{"decimal(9,2)", "-1234567.89", []byte("-1234567.89")},
	{"decimal(38,10)", "1234567890123456789012345678.0123456789", []byte("1234567890123456789012345678.0123456789")},
	{"money", "922337203685477.5807", []byte("922337203685477.5807")},
	{"smallmoney", "-214748.3648", []byte("-214748.3648")},
	{"float", 2.5e-300, 2.5e-300},
	{"real", 1.25, 1.25},
	{"char(5)", mssql.VarChar("abc"), "abc  "},
	{"varchar(20)", mssql.VarChar("ASCII alone"), "ASCII alone"},
	{"varchar(max)", mssql.VarCharMax("long"), "long"},
	{"nchar(4)", mssql.NChar("日本"), "日本  "},
	{"nvarchar(20)", "Привет 🙂", "Привет 🙂"},
	{"nvarchar(max)", mssql.NVarCharMax("Ω"), "Ω"},
	{"binary(4)", []byte{1, 2}, []byte{1, 2, 0, 0}},
	{"varbinary(10)", []byte{0xDE, 0xAD}, []byte{0xDE, 0xAD}},
	{"varbinary(max)", []byte{0, 255}, []byte{0, 255}},
	{"date", time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)},
	{"time(7)", "23:59:59.1234567", time.Date(1, 1, 1, 23, 59, 59, 123456700, time.UTC)},
	{"datetime", mssql.DateTime1(time.Date(2016, 2, 29, 23, 59, 59, 997000000, time.UTC)), time.Date(2016, 2, 29, 23, 59, 59, 996666666, time.UTC)},
	{"smalldatetime", time.Date(2016, 2, 29, 12, 34, 0, 0, time.UTC), time.Date(2016, 2, 29, 12, 34, 0, 0, time.UTC)},
	{"datetime2(7)", time.Date(9999, 12, 31, 23, 59, 59, 999999900, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999999900, time.UTC)},
	{"datetimeoffset(7)", mssql.DateTimeOffset(time.Date(2016, 2, 29, 12, 34, 56, 654321000, offset)), time.Date(2016, 2, 29, 12, 34, 56, 654321000, offset)},
	{"uniqueidentifier", "6F9619FF-8B86-D011-B42D-00C04FC964FF", []byte{0xFF, 0x19, 0x96, 0x6F, 0x86, 0x8B, 0x11, 0xD0, 0xB4, 0x2D, 0x00, 0xC0, 0x4F, 0xC9, 0x64, 0xFF}},
}

func sameValue(declared string, actual, expected any) {
	at, isTime := actual.(time.Time)
	if of, both := expected.(time.Time); isTime && both {
		difference := at.Sub(of).Abs()
		_, from := at.Zone()
		_, wanted := of.Zone()
		if difference > 7*time.Millisecond || (declared != "datetime" && difference > 0) || from != wanted {
			panic(fmt.Sprintf("%s: %v instead of %v", declared, actual, expected))
		}
		return
	}
	equal([]any{declared, actual}, []any{declared, expected})
}

var checks = []struct {
	name string
	run  func(db *sql.DB)
}{
	{"connects in all modes of encryption", func(*sql.DB) {
		for _, mode := range [][2]string{{"disable", "FALSE"}, {"false", "FALSE"}, {"true", "TRUE"}} {
			db := open("master", "encrypt", mode[0])
			equal(rows(db, "SELECT encrypt_option FROM sys.dm_exec_connections WHERE session_id = @@SPID"), [][]any{{mode[1]}})
			must(db.Close())
		}
	}},
	{"connects by TDS 8", func(*sql.DB) {
		db := open("master", "encrypt", "strict", "TrustServerCertificate", "false",
			"certificate", os.Getenv("SERVER_CERTIFICATE"), "hostNameInCertificate", "localhost")
		equal(rows(db, "SELECT 1"), [][]any{{int64(1)}})
		must(db.Close())
	}},
	{"refuses a wrong password", func(*sql.DB) {
		right := os.Getenv("SERVER_PASSWORD")
		os.Setenv("SERVER_PASSWORD", "wrong")
		db := open("master")
		os.Setenv("SERVER_PASSWORD", right)
		err := db.Ping()
		var of mssql.Error
		if err == nil || (errors.As(err, &of) && of.Number != 18456) {
			panic(fmt.Sprint(err))
		}
		must(db.Close())
	}},
	{"defines tables on disk and in memory", func(db *sql.DB) {
		master := open("master")
		run(master, "DROP DATABASE IF EXISTS "+database)
		run(master, "CREATE DATABASE "+database)
		run(master, "ALTER DATABASE "+database+" ADD FILEGROUP m CONTAINS MEMORY_OPTIMIZED_DATA")
		run(master, "ALTER DATABASE "+database+` ADD FILE (NAME = m, FILENAME = 'C:\Data\m') TO FILEGROUP m`)
		must(master.Close())
		columns := "name nvarchar(50) NOT NULL, amount decimal(10, 2) NULL, INDEX ix_name NONCLUSTERED (name)"
		run(db, "CREATE TABLE dbo.on_disk (id int IDENTITY PRIMARY KEY, "+columns+")")
		run(db, "CREATE TABLE dbo.in_memory (id int IDENTITY PRIMARY KEY NONCLUSTERED, "+columns+") WITH (MEMORY_OPTIMIZED = ON)")
		run(db, `CREATE PROCEDURE dbo.answer @left int, @right int = 5, @sum int OUTPUT, @text nvarchar(100) OUTPUT AS
			BEGIN
				SET NOCOUNT ON;
				SET @sum = @left + @right;
				SET @text = @text + N' and more';
				SELECT @left AS l, @right AS r;
				RETURN 42;
			END`)
		run(db, "CREATE TYPE dbo.lines AS TABLE (id int NOT NULL, name nvarchar(50) NULL, amount float NULL)")
		run(db, "CREATE PROCEDURE dbo.sum_lines @lines dbo.lines READONLY AS SELECT COUNT(*), SUM(amount), MAX(name) FROM @lines")
		equal(rows(db, "SELECT name, is_memory_optimized FROM sys.tables ORDER BY name"), [][]any{{"in_memory", true}, {"on_disk", false}})
	}},
	{"passes values of every type", func(db *sql.DB) {
		for _, v := range values {
			text := fmt.Sprintf("SELECT CAST(@p1 AS %s), CAST(@p2 AS %s)", v.declared, v.declared)
			if strings.Contains(v.declared, "binary") { // of nil, which is announced as text
				text = fmt.Sprintf("SELECT CAST(@p1 AS %s), CONVERT(%s, @p2)", v.declared, v.declared)
			}
			row := rows(db, text, v.sent, nil)[0]
			sameValue(v.declared, row[0], v.back)
			equal(row[1], nil)
		}
	}},
	{"keeps values of every type in tables", func(db *sql.DB) {
		for _, options := range []string{"", " WITH (MEMORY_OPTIMIZED = ON)"} {
			columns, places, sent, nulls := "", "", []any{}, []any{}
			kept := values[:0:0]
			for _, v := range values {
				if options == "" || !strings.HasPrefix(v.declared, "datetimeoffset") {
					kept = append(kept, v)
				}
			}
			for i, v := range kept {
				columns += fmt.Sprintf(", c%d %s NULL", i, v.declared)
				places += fmt.Sprintf(", @p%d", i+2)
				sent, nulls = append(sent, v.sent), append(nulls, nil)
			}
			run(db, "DROP TABLE IF EXISTS dbo.every")
			run(db, "CREATE TABLE dbo.every (id int PRIMARY KEY NONCLUSTERED"+columns+")"+options)
			equal(run(db, "INSERT dbo.every VALUES (@p1"+places+")", append([]any{1}, sent...)...), int64(1))
			run(db, "INSERT dbo.every (id) VALUES (2)")
			got := rows(db, "SELECT * FROM dbo.every ORDER BY id")
			for i, v := range kept {
				sameValue(v.declared, got[0][i+1], v.back)
			}
			equal(got[1][1:], nulls)
		}
	}},
	{"commits and rolls back", func(db *sql.DB) {
		for table, hint := range map[string]string{"on_disk": "", "in_memory": " WITH (SNAPSHOT)"} {
			for _, level := range []sql.IsolationLevel{sql.LevelDefault, sql.LevelReadCommitted} {
				tx, err := db.BeginTx(background, &sql.TxOptions{Isolation: level})
				must(err)
				run(tx, "INSERT dbo."+table+" (name) VALUES (@p1)", "rolled back")
				equal(rows(tx, "SELECT @@TRANCOUNT"), [][]any{{int64(1)}})
				must(tx.Rollback())
				tx, err = db.BeginTx(background, &sql.TxOptions{Isolation: level})
				must(err)
				run(tx, "INSERT dbo."+table+" (name) VALUES (@p1)", "committed")
				must(tx.Commit())
				equal(rows(db, "SELECT name FROM dbo."+table+hint), [][]any{{"committed"}})
				equal(run(db, "DELETE dbo."+table), int64(1))
			}
		}
	}},
	{"goes on after an error inside a transaction", func(db *sql.DB) {
		tx, err := db.Begin()
		must(err)
		run(tx, "CREATE TABLE #t (id int PRIMARY KEY)")
		run(tx, "INSERT #t VALUES (@p1)", 1)
		equal(failure(tx, "INSERT #t VALUES (@p1)", 1).Number, int32(2627))
		run(tx, "INSERT #t VALUES (@p1)", 2)
		equal(rows(tx, "SELECT COUNT(*) FROM #t"), [][]any{{int64(2)}})
		must(tx.Commit())
	}},
	{"tells errors", func(db *sql.DB) {
		for _, of := range []struct {
			text     string
			expected []any
		}{
			{"DECLARE @x int = 1;\n\nRAISERROR(N'raised %d', 16, 7, @x);", []any{int32(50000), byte(16), byte(7), int32(3), "raised 1"}},
			{"\nSELECT 1 / 0", []any{int32(8134), byte(16), byte(1), int32(2), "Divide by zero error encountered."}},
			{"SELECT * FROM nowhere", []any{int32(208), byte(16), byte(1), int32(1), "Invalid object name 'nowhere'."}},
			{"THROW 51234, N'thrown', 9", []any{int32(51234), byte(16), byte(9), int32(1), "thrown"}},
		} {
			err := failure(db, of.text)
			equal([]any{err.Number, err.Class, err.State, err.LineNo, err.Message}, of.expected)
		}
	}},
	{"calls a procedure", func(db *sql.DB) {
		var sum int64
		text := "start"
		var status mssql.ReturnStatus
		result, err := db.QueryContext(background, "dbo.answer", sql.Named("left", 3),
			sql.Named("sum", sql.Out{Dest: &sum}), sql.Named("text", sql.Out{Dest: &text, In: true}), &status)
		must(err)
		var l, r int64
		for result.Next() {
			must(result.Scan(&l, &r))
		}
		must(result.Close())
		equal([]any{l, r, sum, text, int32(status)}, []any{int64(3), int64(5), int64(8), "start and more", int32(42)})
	}},
	{"prepares and executes", func(db *sql.DB) {
		statement, err := db.Prepare("SELECT @p1 * 2, @p2")
		must(err)
		for i := int64(0); i < 10; i++ {
			var double int64
			var text string
			must(statement.QueryRow(i, fmt.Sprint("text ", i)).Scan(&double, &text))
			equal([]any{double, text}, []any{i * 2, fmt.Sprint("text ", i)})
		}
		must(statement.Close())
	}},
	{"reads several result sets", func(db *sql.DB) {
		equal(sets(db, "SELECT 1 AS a; PRINT N'x'; SELECT 2 AS b, @p1 AS c; SELECT 4 AS d WHERE 1 = 0", "x"),
			[][][]any{{{int64(1)}}, {{int64(2), "x"}}, {}})
	}},
	{"passes tables", func(db *sql.DB) {
		type line struct {
			ID     int32
			Name   *string
			Amount float64
		}
		var lines []line
		for i := range 1000 {
			name := fmt.Sprintf("line %03d", i)
			lines = append(lines, line{int32(i), &name, float64(i) / 4})
		}
		lines[999].Name = nil
		got := rows(db, "EXEC dbo.sum_lines @p1", mssql.TVP{TypeName: "dbo.lines", Value: lines})
		equal(got, [][]any{{int64(1000), 124875.0, "line 998"}})
	}},
	{"loads rows in bulk", func(db *sql.DB) {
		for _, table := range []string{"on_disk", "in_memory"} {
			tx, err := db.Begin()
			must(err)
			load, err := tx.Prepare(mssql.CopyIn("dbo."+table, mssql.BulkOptions{}, "name", "amount"))
			must(err)
			for i := range 2000 {
				var amount any
				if i%2 == 0 {
					amount = float64(i) + 0.25
				}
				_, err = load.Exec(fmt.Sprintf("naïve %d", i), amount)
				must(err)
			}
			result, err := load.Exec()
			must(err)
			count, err := result.RowsAffected()
			must(err)
			must(load.Close())
			must(tx.Commit())
			equal(count, int64(2000))
			equal(rows(db, "SELECT COUNT(*), COUNT(amount), MAX(name) FROM dbo."+table), [][]any{{int64(2000), int64(1000), "naïve 999"}})
			run(db, "DELETE dbo."+table)
		}
	}},
	{"cancels a long loop and a wait", func(db *sql.DB) {
		for _, text := range []string{
			"EXEC (N'SET NOCOUNT ON; DECLARE @i bigint = 0; WHILE 1 = 1 SET @i += 1')", "WAITFOR DELAY '00:01:00'",
		} {
			soon, cancel := context.WithTimeout(background, 500*time.Millisecond)
			start := time.Now()
			_, err := db.ExecContext(soon, text)
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 8*time.Second {
				panic(fmt.Sprint(err, " after ", time.Since(start)))
			}
			equal(rows(db, "SELECT 1"), [][]any{{int64(1)}})
		}
	}},
	{"resets connections of its pool", func(db *sql.DB) {
		db = open(database)
		db.SetMaxOpenConns(1)
		session := rows(db, "SELECT @@SPID")
		run(db, "SET DATEFIRST 3; CREATE TABLE #left (i int); BEGIN TRAN")
		equal(rows(db, "SELECT CAST(@@DATEFIRST AS int), OBJECT_ID('tempdb..#left'), @@TRANCOUNT"), [][]any{{int64(7), nil, int64(0)}})
		equal(rows(db, "SELECT @@SPID"), session)
		must(db.Close())
	}},
	{"carries large values", func(db *sql.DB) {
		text, data := strings.Repeat("A line of text, and another one.", 32768), make([]byte, 1<<20)
		for i := range data {
			data[i] = byte(i)
		}
		connection, err := db.Conn(background)
		must(err)
		defer connection.Close()
		got := rows(connection, `DECLARE @t table (t nvarchar(max), v varchar(max), b varbinary(max));
			INSERT @t VALUES (@p1, @p2, @p3); SELECT t, v, b, LEN(t) FROM @t`, text+"é", mssql.VarCharMax(text), data)
		equal(got, [][]any{{text + "é", text, data, int64(len(text) + 1)}})
	}},
	{"keeps Unicode names", func(db *sql.DB) {
		result, err := db.Query("DECLARE @表 table ([ä b] int, [名前] nvarchar(10)); INSERT @表 VALUES (1, @p1); SELECT * FROM @表", "山")
		must(err)
		names, err := result.Columns()
		must(err)
		must(result.Close())
		equal(names, []string{"ä b", "名前"})
	}},
}

func attempt(check func(*sql.DB), db *sql.DB) (failure any) {
	done := make(chan any, 1)
	go func() {
		defer func() { done <- recover() }()
		check(db)
	}()
	select {
	case failure = <-done:
	case <-time.After(time.Minute):
		failure = "took too long"
	}
	return failure
}

func main() {
	db := open(database)
	passed, failed := 0, 0
	for _, check := range checks {
		if failure := attempt(check.run, db); failure != nil {
			failed++
			fmt.Printf("go-mssqldb: %s: FAILED\n%v\n", check.name, failure)
		} else {
			passed++
			fmt.Printf("go-mssqldb: %s: ok\n", check.name)
		}
	}
	verdict := "ok"
	if failed > 0 {
		verdict = "FAILED"
	}
	fmt.Printf("test result: %s. %d passed; %d failed; 0 ignored; go-mssqldb\n", verdict, passed, failed)
	if failed > 0 {
		os.Exit(1)
	}
}
