// The server as tedious sees it, and all that stands on it: node-mssql, knex, sequelize, typeorm, prisma.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Connection, ISOLATION_LEVEL, Request, TYPES } from 'tedious';

const { SERVER_HOST, SERVER_PORT, SERVER_USER, SERVER_PASSWORD, SERVER_CERTIFICATE } = process.env;
const DATABASE = 'clients_tedious';
const CHECK_MS_MAX = 60000;

const checks = [];
const check = (name, run) => checks.push({ name, run });

function connect(database = DATABASE, options = {}, password = SERVER_PASSWORD) {
  const connection = new Connection({
    server: SERVER_HOST,
    authentication: { type: 'default', options: { userName: SERVER_USER, password } },
    options: {
      port: Number(SERVER_PORT), database, encrypt: true, trustServerCertificate: true, useUTC: true,
      requestTimeout: 60000, ...options,
    },
  });
  return new Promise((resolve, reject) => {
    connection.on('error', () => {});
    connection.connect((error) => (error ? reject(error) : resolve(connection)));
  });
}

async function connected(run, ...how) {
  const connection = await connect(...how);
  try {
    return await run(connection);
  } finally {
    connection.close();
  }
}

// Runs a request; parameters are [name, type, value, options?], outputs [name, type, value?, options?].
function request(connection, text, { parameters = [], outputs = [], how = 'execSql', timeout, cancelAfter } = {}) {
  return new Promise((resolve, reject) => {
    const answer = { sets: [], outputs: {}, count: 0 };
    const it = new Request(text, (error, count) => {
      answer.count = count;
      if (error) reject(Object.assign(error, { answer }));
      else resolve(answer);
    });
    if (timeout) it.setTimeout(timeout);
    for (const parameter of parameters) it.addParameter(...parameter);
    for (const output of outputs) it.addOutputParameter(...output);
    it.on('columnMetadata', (columns) => answer.sets.push({ columns: columns.map((c) => c.colName), rows: [] }));
    it.on('row', (columns) => answer.sets.at(-1).rows.push(columns.map((c) => c.value)));
    it.on('returnValue', (name, value) => (answer.outputs[name] = value));
    it.on('doneProc', (_count, _more, status) => (answer.status = status));
    connection[how](it);
    if (cancelAfter) setTimeout(() => connection.cancel(), cancelAfter);
  });
}

const rows = async (connection, text, parameters) =>
  (await request(connection, text, { parameters })).sets.at(-1)?.rows;
const batch = (connection, text) => request(connection, text, { how: 'execSqlBatch' });
const failure = async (promise) => {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new assert.AssertionError({ message: 'no error' });
};
const called = (run) => new Promise((resolve, reject) => run((error) => (error ? reject(error) : resolve())));

async function within(milliseconds, promise) {
  const start = Date.now();
  const result = await promise;
  const spent = Date.now() - start;
  assert(spent <= milliseconds, `took ${spent} ms`);
  return result;
}

const utc = (text) => new Date(text);
// Declared type, type of the parameter, value, options of the parameter, and what comes back if it differs.
const VALUES = [
  ['bit', TYPES.Bit, true],
  ['tinyint', TYPES.TinyInt, 255],
  ['smallint', TYPES.SmallInt, -32768],
  ['int', TYPES.Int, -2147483648],
  ['bigint', TYPES.BigInt, '9223372036854775807'],
  ['decimal(9,2)', TYPES.Decimal, -1234567.89, { precision: 9, scale: 2 }],
  ['numeric(15,4)', TYPES.Numeric, 12345678901.2345, { precision: 15, scale: 4 }],
  ['money', TYPES.Money, 9223372036.5807],
  ['smallmoney', TYPES.SmallMoney, -214748.3648],
  ['float', TYPES.Float, 2.5e-300],
  ['real', TYPES.Real, 1.25],
  ['char(5)', TYPES.Char, 'abc', { length: 5 }, 'abc  '],
  ['varchar(20)', TYPES.VarChar, 'caf\u00e9 \u20ac'],
  ['varchar(max)', TYPES.VarChar, 'long', { length: Infinity }],
  ['nchar(4)', TYPES.NChar, '\u65e5\u672c', { length: 4 }, '\u65e5\u672c  '],
  ['nvarchar(20)', TYPES.NVarChar, '\u041f\u0440\u0438\u0432\u0435\u0442 \u{1f642}'],
  ['nvarchar(max)', TYPES.NVarChar, '\u03a9', { length: Infinity }],
  ['text', TYPES.Text, 'old text'],
  ['ntext', TYPES.NText, 'older \u03a9'],
  ['binary(4)', TYPES.Binary, Buffer.from([1, 2, 0, 0]), { length: 4 }],
  ['varbinary(10)', TYPES.VarBinary, Buffer.from([0xde, 0xad])],
  ['varbinary(max)', TYPES.VarBinary, Buffer.from([0, 255]), { length: Infinity }],
  ['image', TYPES.Image, Buffer.from([1, 0, 255])],
  ['date', TYPES.Date, utc('0001-01-01T00:00:00Z')],
  ['time(3)', TYPES.Time, utc('1970-01-01T23:59:59.123Z'), { scale: 3 }],
  ['datetime', TYPES.DateTime, utc('2016-02-29T23:59:59.997Z')],
  ['smalldatetime', TYPES.SmallDateTime, utc('2016-02-29T12:34:00Z')],
  ['datetime2(3)', TYPES.DateTime2, utc('9999-12-31T23:59:59.999Z'), { scale: 3 }],
  ['datetimeoffset(3)', TYPES.DateTimeOffset, utc('2016-02-29T12:34:56.654Z'), { scale: 3 }],
  ['uniqueidentifier', TYPES.UniqueIdentifier, '6F9619FF-8B86-D011-B42D-00C04FC964FF'],
];
const plain = (value) => (value instanceof Date ? value.toISOString() : value);

check('connects in all modes of encryption', async () => {
  for (const [encrypt, expected] of [[true, 'TRUE'], [false, 'FALSE']]) {
    await connected(async (c) => {
      const text = 'SELECT encrypt_option FROM sys.dm_exec_connections WHERE session_id = @@SPID';
      assert.deepEqual(await rows(c, text), [[expected]]);
    }, 'master', { encrypt });
  }
});

check('connects by TDS 8', async () => {
  const options = {
    encrypt: 'strict', trustServerCertificate: false, serverName: 'localhost',
    cryptoCredentialsDetails: { ca: readFileSync(SERVER_CERTIFICATE) },
  };
  await connected(async (c) => assert.deepEqual(await rows(c, 'SELECT 1'), [[1]]), 'master', options);
});

check('connects with versions of the protocol', async () => {
  for (const tdsVersion of ['7_1', '7_2', '7_3_A', '7_3_B', '7_4']) {
    await connected(async (c) => assert.deepEqual(await rows(c, "SELECT 1, N'x'"), [[1, 'x']]), 'master', { tdsVersion });
  }
});

check('refuses a wrong password', async () => {
  const error = await failure(connect('master', {}, 'wrong'));
  assert.equal(error.code, 'ELOGIN');
});

check('defines tables on disk and in memory', async () => {
  await connected(async (c) => {
    await batch(c, `DROP DATABASE IF EXISTS ${DATABASE}`);
    await batch(c, `CREATE DATABASE ${DATABASE}`);
    await batch(c, `ALTER DATABASE ${DATABASE} ADD FILEGROUP m CONTAINS MEMORY_OPTIMIZED_DATA`);
    await batch(c, `ALTER DATABASE ${DATABASE} ADD FILE (NAME = m, FILENAME = 'C:\\Data\\m') TO FILEGROUP m`);
  }, 'master');
  await connected(async (c) => {
    const columns = 'name nvarchar(50) NOT NULL, amount decimal(10, 2) NULL, INDEX ix_name NONCLUSTERED (name)';
    await batch(c, `CREATE TABLE dbo.on_disk (id int IDENTITY PRIMARY KEY, ${columns})`);
    await batch(c, `CREATE TABLE dbo.in_memory (
      id int IDENTITY PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 1024), ${columns}) WITH (MEMORY_OPTIMIZED = ON)`);
    await batch(c, `CREATE PROCEDURE dbo.answer @left int, @right int = 5, @sum int OUTPUT, @text nvarchar(100) OUTPUT AS
      BEGIN
        SET NOCOUNT ON;
        SELECT @left AS l, @right AS r;
        SELECT name FROM (VALUES (N'one'), (N'two')) AS v(name);
        SET @sum = @left + @right;
        SET @text = @text + N' and more';
        RETURN 42;
      END`);
    await batch(c, 'CREATE TYPE dbo.lines AS TABLE (id int PRIMARY KEY, name nvarchar(50), amount decimal(10, 2), at datetime2(3))');
    await batch(c, `CREATE TYPE dbo.lines_in_memory AS TABLE (
      id int PRIMARY KEY NONCLUSTERED, name nvarchar(50), amount decimal(10, 2), at datetime2(3)) WITH (MEMORY_OPTIMIZED = ON)`);
    for (const type of ['lines', 'lines_in_memory']) {
      await batch(c, `CREATE PROCEDURE dbo.sum_${type} @lines dbo.${type} READONLY AS
        SELECT COUNT(*), SUM(amount), MAX(name), MAX(at) FROM @lines`);
    }
    assert.deepEqual(await rows(c, 'SELECT name, is_memory_optimized FROM sys.tables ORDER BY name'), [['in_memory', true], ['on_disk', false]]);
  });
});

check('passes values of every type', () => connected(async (c) => {
  for (const [declared, type, value, options, back = value] of VALUES) {
    const [[got, none]] = await rows(c, `SELECT CAST(@a AS ${declared}), CAST(@b AS ${declared})`, [
      ['a', type, value, options], ['b', type, null, options],
    ]);
    assert.deepEqual([declared, plain(got), none], [declared, plain(back), null]);
  }
}));

check('gets values of every type as output', () => connected(async (c) => {
  for (const [declared, type, value, options, back = value] of VALUES) {
    if (['text', 'ntext', 'image'].includes(declared)) continue; // no local variables have them
    for (const [sent, expected] of [[value, back], [null, null]]) {
      const { outputs } = await request(c, `DECLARE @v ${declared} = @i; SET @o = @v`, {
        parameters: [['i', type, sent, options]], outputs: [['o', type, null, { length: 20, ...options }]],
      });
      assert.deepEqual([declared, plain(outputs.o)], [declared, plain(expected)]);
    }
  }
}));

check('keeps values of every type in tables', () => connected(async (c) => {
  for (const [suffix, options] of [['', ''], ['_m', ' WITH (MEMORY_OPTIMIZED = ON)']]) {
    const values = VALUES.filter(([d]) => !options || !/^(datetimeoffset|text|ntext|image)/.test(d));
    const columns = values.map(([declared], i) => `c${i} ${declared} NULL`).join(', ');
    await batch(c, `CREATE TABLE dbo.every${suffix} (id int PRIMARY KEY NONCLUSTERED, ${columns})${options}`);
    const places = values.map((_, i) => `@p${i}`).join(', ');
    for (const [id, choose] of [[1, (v) => v], [2, () => null]]) {
      await request(c, `INSERT dbo.every${suffix} VALUES (${id}, ${places})`, {
        parameters: values.map(([, type, value, how], i) => [`p${i}`, type, choose(value), how]),
      });
    }
    const [full, nulls] = await rows(c, `SELECT * FROM dbo.every${suffix} ORDER BY id`);
    assert.deepEqual(full.map(plain), [1, ...values.map(([, , value, , back = value]) => plain(back))]);
    assert.deepEqual(nulls, [2, ...values.map(() => null)]);
  }
}));

check('keeps documents and nodes', () => connected(async (c) => {
  const document = '<a b="1">caf\u00e9 \u20ac<c/></a>';
  const text = '{"k": [1, "\u65e5\u672c"]}';
  await batch(c, `DROP TABLE IF EXISTS dbo.documents;
    CREATE TABLE dbo.documents (id int PRIMARY KEY, x xml NULL, t nvarchar(max) NULL CHECK (ISJSON(t) = 1), j json NULL, h hierarchyid NULL)`);
  for (const [id, ...values] of [[1, document, text, text, '/1/2.5/'], [2, null, null, null, null]]) {
    await request(c, `INSERT dbo.documents VALUES (${id}, @x, @t, @j, @h)`, {
      parameters: values.map((value, at) => ['xtjh'[at], TYPES.NVarChar, value]),
    });
  }
  assert.deepEqual(await rows(c, 'SELECT x, t, j, h FROM dbo.documents ORDER BY id'), [
    [document, text, text.replaceAll(' ', ''), Buffer.from('5ba3', 'hex')],
    [null, null, null, null],
  ]);
  assert.deepEqual(
    await rows(c, `SELECT x.value('(/a/@b)[1]', 'int'), JSON_VALUE(j, '$.k[1]'), h.ToString() FROM dbo.documents WHERE h.GetLevel() = 2`),
    [[1, '\u65e5\u672c', '/1/2.5/']],
  );
}));

check('commits and rolls back', () => connected(async (c) => {
  for (const [table, hint] of [['on_disk', ''], ['in_memory', ' WITH (SNAPSHOT)']]) {
    for (const [end, count] of [['rollbackTransaction', 0], ['commitTransaction', 1]]) {
      await called((done) => c.beginTransaction(done, 'named', ISOLATION_LEVEL.READ_COMMITTED));
      await request(c, `INSERT dbo.${table} (name) VALUES (N'a')`);
      assert.deepEqual(await rows(c, 'SELECT @@TRANCOUNT'), [[1]]);
      await called((done) => c[end](done));
      assert.deepEqual(await rows(c, `SELECT COUNT(*) FROM dbo.${table}${hint}`), [[count]]);
    }
    assert.equal((await request(c, `DELETE dbo.${table}`)).count, 1);
  }
}));

check('saves within transactions', () => connected(async (c) => {
  await batch(c, 'CREATE TABLE #t (id int)');
  await called((done) => c.beginTransaction(done));
  await batch(c, 'INSERT #t VALUES (1)');
  await called((done) => c.saveTransaction(done, 'half'));
  await batch(c, 'INSERT #t VALUES (2)');
  await called((done) => c.rollbackTransaction(done, 'half'));
  await called((done) => c.commitTransaction(done));
  assert.deepEqual(await rows(c, 'SELECT id FROM #t'), [[1]]);
}));

check('goes on after an error inside a transaction', () => connected(async (c) => {
  await batch(c, 'CREATE TABLE #t (id int PRIMARY KEY)');
  await called((done) => c.beginTransaction(done));
  await batch(c, 'INSERT #t VALUES (1)');
  assert.equal((await failure(request(c, 'INSERT #t VALUES (1)'))).number, 2627);
  await batch(c, 'INSERT #t VALUES (2)');
  await called((done) => c.commitTransaction(done));
  assert.deepEqual(await rows(c, 'SELECT COUNT(*) FROM #t'), [[2]]);
}));

check('tells errors', () => connected(async (c) => {
  for (const [text, ...expected] of [
    ["DECLARE @x int = 1;\n\nRAISERROR(N'raised %d', 16, 7, @x);", 50000, 16, 7, 3, 'raised 1'],
    ['\nSELECT 1 / 0', 8134, 16, 1, 2, 'Divide by zero error encountered.'],
    ['SELECT * FROM nowhere', 208, 16, 1, 1, "Invalid object name 'nowhere'."],
    ["THROW 51234, N'thrown', 9", 51234, 16, 9, 1, 'thrown'],
  ]) {
    const error = await failure(request(c, text));
    assert.deepEqual([error.number, error.class, error.state, error.lineNumber, error.message], expected);
  }
}));

check('hears messages', () => connected(async (c) => {
  const heard = [];
  c.on('infoMessage', (message) => heard.push([message.number, message.class, message.message]));
  await batch(c, "PRINT N'hello'; RAISERROR(N'mild', 10, 1) WITH NOWAIT");
  assert.deepEqual(heard, [[0, 0, 'hello'], [50000, 0, 'mild']]);
}));

check('calls a procedure', () => connected(async (c) => {
  const answer = await request(c, 'dbo.answer', {
    how: 'callProcedure',
    parameters: [['left', TYPES.Int, 3]],
    outputs: [['sum', TYPES.Int], ['text', TYPES.NVarChar, 'start', { length: 100 }]],
  });
  assert.deepEqual(answer.sets.map((set) => set.rows), [[[3, 5]], [['one'], ['two']]]);
  assert.deepEqual([answer.outputs.sum, answer.outputs.text, answer.status], [8, 'start and more', 42]);
}));

check('prepares and executes', () => connected(async (c) => {
  let got = [];
  const it = new Request('SELECT @a * 2, @b', () => {});
  it.addParameter('a', TYPES.Int);
  it.addParameter('b', TYPES.NVarChar);
  it.on('row', (columns) => got.push(columns.map((column) => column.value)));
  await new Promise((resolve, reject) => {
    it.once('prepared', resolve);
    it.once('error', reject);
    c.prepare(it);
  });
  for (let i = 0; i < 10; i++) {
    await new Promise((resolve) => {
      it.once('requestCompleted', resolve);
      c.execute(it, { a: i, b: `text ${i}` });
    });
  }
  assert.deepEqual(got, [...Array(10).keys()].map((i) => [i * 2, `text ${i}`]));
  await new Promise((resolve) => {
    it.once('requestCompleted', resolve);
    c.unprepare(it);
  });
  assert.deepEqual(await rows(c, 'SELECT 1'), [[1]]);
}));

check('reads several result sets', () => connected(async (c) => {
  const { sets } = await batch(c, "SELECT 1 AS a; PRINT N'x'; SELECT 2 AS b, 3 AS c; SELECT 4 AS d WHERE 1 = 0");
  assert.deepEqual(sets, [
    { columns: ['a'], rows: [[1]] }, { columns: ['b', 'c'], rows: [[2, 3]] }, { columns: ['d'], rows: [] },
  ]);
}));

check('passes tables', () => connected(async (c) => {
  const at = utc('2020-05-06T07:08:09.123Z');
  for (const type of ['lines', 'lines_in_memory']) {
    const columns = [
      { name: 'id', type: TYPES.Int }, { name: 'name', type: TYPES.NVarChar, length: 50 },
      { name: 'amount', type: TYPES.Decimal, precision: 10, scale: 2 }, { name: 'at', type: TYPES.DateTime2, scale: 3 },
    ];
    const lines = [...Array(1000).keys()].map((i) => [i, i % 7 ? `line ${i}` : null, i / 4, at]);
    const call = (given) => request(c, `dbo.sum_${type}`, {
      how: 'callProcedure', parameters: [['lines', TYPES.TVP, { name: type, schema: 'dbo', columns, rows: given }]],
    });
    assert.deepEqual((await call(lines)).sets[0].rows, [[1000, 124875, 'line 999', at]]);
    assert.deepEqual((await call([])).sets[0].rows, [[0, null, null, null]]);
    const { errors } = await failure(call([lines[1], lines[1]]));
    assert.deepEqual(errors.map((error) => error.number), [2627, 8061]);
  }
}));

check('loads rows in bulk', () => connected(async (c) => {
  for (const table of ['on_disk', 'in_memory']) {
    const load = (lines) => new Promise((resolve, reject) => {
      const bulk = c.newBulkLoad(`dbo.${table}`, { keepNulls: true }, (error, count) => (error ? reject(error) : resolve(count)));
      bulk.addColumn('name', TYPES.NVarChar, { length: 50, nullable: false });
      bulk.addColumn('amount', TYPES.Decimal, { precision: 10, scale: 2, nullable: true });
      c.execBulkLoad(bulk, lines);
    });
    const lines = [...Array(3000).keys()].map((i) => ({ name: `na\u00efve ${i}`, amount: i % 3 ? i + 0.25 : null }));
    assert.equal(await load(lines), 3000);
    assert.deepEqual(await rows(c, `SELECT COUNT(*), COUNT(amount), MAX(name) FROM dbo.${table}`), [[3000, 2000, 'na\u00efve 999']]);
    await batch(c, `DELETE dbo.${table}`);
  }
}));

check('cancels a long loop and a wait', () => connected(async (c) => {
  for (const text of ["EXEC (N'SET NOCOUNT ON; DECLARE @i bigint = 0; WHILE 1 = 1 SET @i += 1')", "WAITFOR DELAY '00:01:00'"]) {
    const error = await within(8000, failure(request(c, text, { cancelAfter: 500 })));
    assert.equal(error.code, 'ECANCEL');
    assert.deepEqual(await rows(c, 'SELECT 1'), [[1]]);
  }
}));

check('gives up a wait', () => connected(async (c) => {
  const error = await within(8000, failure(request(c, "WAITFOR DELAY '00:01:00'", { timeout: 500 })));
  assert.equal(error.code, 'ETIMEOUT');
  assert.deepEqual(await rows(c, 'SELECT 1'), [[1]]);
}));

check('resets', () => connected(async (c) => {
  await batch(c, 'SET DATEFIRST 3; CREATE TABLE #left (i int); BEGIN TRAN');
  await called((done) => c.reset(done));
  assert.deepEqual(await rows(c, "SELECT @@DATEFIRST, OBJECT_ID('tempdb..#left'), @@TRANCOUNT, DB_NAME()"), [[7, null, 0, DATABASE]]);
}));

check('carries large values', () => connected(async (c) => {
  await batch(c, 'CREATE TABLE #large (t nvarchar(max), v varchar(max), b varbinary(max))');
  const text = 'A line of text, and another one.'.repeat(32768);
  const data = Buffer.alloc(1 << 20, 'bytes \0\xff');
  await request(c, 'INSERT #large VALUES (@t, @v, @b)', {
    parameters: [['t', TYPES.NVarChar, text + '\u00e9'], ['v', TYPES.VarChar, text], ['b', TYPES.VarBinary, data]],
  });
  const [[t, v, b]] = await rows(c, 'SELECT t, v, b FROM #large');
  assert(t === text + '\u00e9' && v === text && data.equals(b));
}));

check('keeps Unicode names', () => connected(async (c) => {
  await batch(c, 'CREATE TABLE #\u8868 ([\u00e4 b] int, [\u540d\u524d] nvarchar(10))');
  await request(c, 'INSERT #\u8868 VALUES (1, @\u540d)', { parameters: [['\u540d', TYPES.NVarChar, '\u5c71']] });
  assert.deepEqual((await request(c, 'SELECT * FROM #\u8868')).sets, [{ columns: ['\u00e4 b', '\u540d\u524d'], rows: [[1, '\u5c71']] }]);
}));

process.removeAllListeners('warning'); // Node's own about addresses as names
process.on('warning', () => {});
let passed = 0;
let failed = 0;
for (const { name, run } of checks) {
  try {
    let timer;
    const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error('took too long')), CHECK_MS_MAX)));
    await Promise.race([run(), late]).finally(() => clearTimeout(timer));
    passed += 1;
    console.log(`tedious: ${name}: ok`);
  } catch (error) {
    failed += 1;
    console.log(`tedious: ${name}: FAILED\n${error.stack ?? error}`);
  }
}
console.log(`test result: ${failed ? 'FAILED' : 'ok'}. ${passed} passed; ${failed} failed; 0 ignored; tedious`);
process.exit(failed ? 1 : 0);
