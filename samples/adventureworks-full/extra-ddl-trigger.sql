-- The trigger that writes each change of a definition to dbo.DatabaseLog. It is left disabled, as
-- in AdventureWorks.

USE AdventureWorks;
SET QUOTED_IDENTIFIER ON;
GO

CREATE TRIGGER ddlDatabaseTriggerLog ON DATABASE FOR DDL_DATABASE_LEVEL_EVENTS AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @event xml = EVENTDATA();
    INSERT INTO dbo.DatabaseLog (PostTime, DatabaseUser, Event, [Schema], Object, TSQL, XmlEvent)
    VALUES (GETDATE(), CONVERT(sysname, CURRENT_USER), @event.value('(/EVENT_INSTANCE/EventType)[1]', 'sysname'),
            @event.value('(/EVENT_INSTANCE/SchemaName)[1]', 'sysname'), @event.value('(/EVENT_INSTANCE/ObjectName)[1]', 'sysname'),
            @event.value('(/EVENT_INSTANCE/TSQLCommand/CommandText)[1]', 'nvarchar(max)'), @event);
END;
GO
CREATE TABLE Production.Scratch (ScratchID int NOT NULL);
GO
DROP TABLE Production.Scratch;
GO
DISABLE TRIGGER ddlDatabaseTriggerLog ON DATABASE;
GO
CREATE TABLE Production.Scratch (ScratchID int NOT NULL);
DROP TABLE Production.Scratch;
GO
SELECT 'Two definitions are logged' AS Name,
       IIF(STRING_AGG(CONCAT(Event, ':', [Schema], '.', Object), ' ') WITHIN GROUP (ORDER BY DatabaseLogID)
           = 'CREATE_TABLE:Production.Scratch DROP_TABLE:Production.Scratch', 'passed', 'failed') AS Result
FROM dbo.DatabaseLog WHERE Object = N'Scratch'
UNION ALL
SELECT 'With their text', IIF(COUNT(*) = 2, 'passed', 'failed')
FROM dbo.DatabaseLog WHERE Object = N'Scratch' AND TSQL LIKE N'%Production.Scratch%';
GO
