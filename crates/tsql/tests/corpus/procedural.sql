-- Control flow, variables, calls, cursors, transactions.
--> BeginTransaction Select Commit
BEGIN TRAN SELECT 1 COMMIT
GO
--> BeginTransaction BeginTransaction BeginTransaction BeginTransaction SaveTransaction SaveTransaction Rollback Rollback Rollback Commit Commit Commit Commit
BEGIN TRANSACTION t1 WITH MARK 'x'
BEGIN TRAN @name
BEGIN DISTRIBUTED TRAN
BEGIN TRANSACTION
SAVE TRAN s1
SAVE TRANSACTION @s
ROLLBACK TRANSACTION s1
ROLLBACK TRAN @s
ROLLBACK WORK
COMMIT TRAN t1
COMMIT WORK
COMMIT TRANSACTION WITH (DELAYED_DURABILITY = ON)
COMMIT
GO
--> If
IF @@TRANCOUNT > 0 ROLLBACK TRAN
GO
--> If SaveTransaction
IF @@TRANCOUNT = 0 BEGIN BEGIN TRAN IF @@TRANCOUNT = 2 COMMIT TRAN END
SAVE TRAN [x]
GO
--> Declare Declare Declare Declare
DECLARE @a int, @b varchar(10) = 'x', @c AS decimal(10, 2) = 1 + 2, @d datetime2 = SYSDATETIME()
DECLARE @t TABLE (id int IDENTITY PRIMARY KEY, name nvarchar(50) NOT NULL DEFAULT N'', UNIQUE (name), INDEX ix (name), CHECK (id > 0))
DECLARE @od Sales.SalesOrderDetailType_inmem, @x xml, @n national character varying (20), @f double precision
DECLARE @cur CURSOR
GO
--> SetVariable SetVariable SetVariable SetCursor SetVariable
SET @a = 1
SET @a += 2
SET @a ^= (SELECT MAX(x) FROM t)
SET @cur = CURSOR LOCAL FAST_FORWARD FOR SELECT a FROM t
SET @cur = other
GO
--> If If While
IF 1 = 1 SELECT 1 ELSE IF 2 = 2 SELECT 2 ELSE SELECT 3
IF EXISTS (SELECT 1) BEGIN SELECT 1 END; ELSE BEGIN SELECT 2; END
WHILE @i < 20
BEGIN;
    SET @i += 1
    IF @i = 5 CONTINUE
    IF @i = 10 BREAK;
END
GO
--> If If
IF 1 = 1 IF 2 = 2 SELECT 'inner' ELSE SELECT 'inner else'
IF (SELECT COUNT(*) FROM t) > 0 PRINT 'x'
GO
--> TryCatch
BEGIN TRY
    SELECT 1 / 0;
    THROW 50000, 'text', 1;
END TRY
BEGIN CATCH
    IF XACT_STATE() <> 0 ROLLBACK;
    THROW;
END CATCH;
GO
--> TryCatch
BEGIN TRY SELECT 1 END TRY BEGIN CATCH END CATCH
GO
--> Throw RaiseError RaiseError RaiseError Print Print WaitFor WaitFor
THROW @n, @m, @s;
RAISERROR ('x %s %d', 16, 1, 'a', @b) WITH NOWAIT, LOG
RAISERROR (50001, -1, -1, N'x')
RAISERROR (@msg, 10, 1) WITH SETERROR
PRINT 'a' + CAST(@b AS varchar)
PRINT N'x'
WAITFOR DELAY '00:00:01'
WAITFOR TIME @t
GO
--> Goto Label Select Goto Label
GOTO done
again: SELECT 1
GOTO again
done:
GO
--> Return
RETURN
GO
--> Execute
sp_who
GO
--> Execute
dbo.usp_ValidateIntegrity @o
GO
--> Execute
sp_datatype_info_100 93,3
GO
--> Execute
..sp_stored_procedures
GO
--> Execute Select
EXEC dbo.p SELECT 1
GO
--> Execute Execute Execute Execute Execute Execute Execute Execute
EXEC dbo.usp_ValidateIntegrity @o
EXEC @r = dbo.p 1, -2, +3, 'x', N'y', $4.5, 0x01, 1e5, NULL, DEFAULT, word, [quoted], @v OUTPUT, @w OUT
EXECUTE p @a = 1, @b = @c OUTPUT, @d = DEFAULT WITH RECOMPILE
EXEC @procedure 'x'
EXEC p;2 1
EXEC sys.sp_executesql N'SELECT @a', N'@a int', @a = 1
EXEC srv.db.dbo.p {ts '2020-01-01 00:00:00'}
EXEC p WITH RESULT SETS ((a int NOT NULL, b nvarchar(10) COLLATE Latin1_General_CI_AS NULL), (c date))
GO
--> Execute Execute Execute Execute Execute Execute
EXEC ('SELECT 1' + @sql + N' x')
EXEC (@sql) AS USER = 'u'
EXECUTE ('SELECT ?', 1, @b OUTPUT) AT srv
EXEC p WITH RESULT SETS UNDEFINED
EXEC p WITH RESULT SETS NONE, RECOMPILE
EXEC p 1 WITH RESULT SETS (AS OBJECT dbo.t, AS TYPE dbo.tt, AS FOR XML)
GO
--> Execute Execute Execute
{call dbo.p(1, @a OUTPUT)}
{@r = call p}
{call p()}
GO
--> DeclareCursor DeclareCursor DeclareCursor OpenCursor Fetch Fetch Fetch Fetch Fetch Fetch Fetch Fetch While CloseCursor DeallocateCursor DeallocateCursor
DECLARE c CURSOR FOR SELECT a, b FROM t
DECLARE c2 INSENSITIVE SCROLL CURSOR FOR SELECT a FROM t FOR READ ONLY
DECLARE c3 CURSOR LOCAL SCROLL KEYSET OPTIMISTIC TYPE_WARNING FOR SELECT a FROM t ORDER BY a FOR UPDATE OF a, b
OPEN c
FETCH NEXT FROM c INTO @a, @b
FETCH c
FETCH FROM GLOBAL c2
FETCH PRIOR FROM c2
FETCH FIRST FROM c2
FETCH LAST FROM @cur INTO @a
FETCH ABSOLUTE -5 FROM c2
FETCH RELATIVE @n FROM c2
WHILE @@FETCH_STATUS = 0 FETCH NEXT FROM c INTO @a, @b
CLOSE c
DEALLOCATE c
DEALLOCATE @cur
GO
--> Fetch
FETCH next INTO @a
GO
--> Declare Insert While
DECLARE 
      @i int = 0, 
      @od Sales.SalesOrderDetailType_inmem, 
      @SalesOrderID int, 
      @DueDate datetime2 = sysdatetime(), 
      @CustomerID int = rand() * 8000, 
      @BillToAddressID int = rand() * 10000, 
      @ShipToAddressID int = rand() * 10000, 
      @ShipMethodID int = (rand() * 5) + 1; 

INSERT INTO @od 
SELECT OrderQty, ProductID, SpecialOfferID 
FROM Demo.DemoSalesOrderDetailSeed 
WHERE OrderID= cast((rand()*106) + 1 as int); 

WHILE (@i < 20) 
BEGIN; 
      EXEC Sales.usp_InsertSalesOrder_inmem @SalesOrderID OUTPUT, @DueDate, @CustomerID, @BillToAddressID, @ShipToAddressID, @ShipMethodID, @od; 
      SET @i += 1 
END
GO
--> Declare Execute
    DECLARE @o int = object_id(N'Sales.SalesOrderHeader_inmem')
    EXEC dbo.usp_ValidateIntegrity @o
GO
--> Declare Select Execute Select TruncateTable Select
declare
    @ms_ticks1 bigint
    ,@ms_ticks2 bigint
    ;

SELECT TOP 1 @ms_ticks1 = ms_ticks
FROM sys.dm_os_sys_info WITH(NOLOCK)

EXEC dbo.usp_InsertSampleOrders  @InsertTotalCount = 100000

SELECT TOP 1 @ms_ticks2 = ms_ticks
FROM sys.dm_os_sys_info WITH(NOLOCK)
TRUNCATE TABLE dbo.Orders


SELECT
    ms_ticks1 = @ms_ticks1
    ,[2-1] = @ms_ticks2 - @ms_ticks1
;
GO
--> If SetOption Execute
IF 1 = 0 RETURN
SET NOCOUNT ON
EXEC p
