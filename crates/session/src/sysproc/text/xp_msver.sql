CREATE PROCEDURE sys.xp_msver (@optname sysname = NULL) AS
SET NOCOUNT ON
SELECT CONVERT(smallint, v.[Index]) AS [Index], CONVERT(sysname, v.[Name]) AS [Name],
  CONVERT(int, v.[Internal_Value]) AS [Internal_Value],
  CONVERT(nvarchar(256), v.[Character_Value]) AS [Character_Value]
FROM (
  SELECT 1 AS [Index], 'ProductName' AS [Name], NULL AS [Internal_Value],
    CONVERT(nvarchar(256), 'Microsoft SQL Server') AS [Character_Value]
  UNION ALL SELECT 2, 'ProductVersion', @@MICROSOFTVERSION / 65536,
    CONVERT(nvarchar(256), SERVERPROPERTY('ProductVersion'))
  UNION ALL SELECT 3, 'Language', 1033, N'English (United States)'
  UNION ALL SELECT 4, 'Platform', NULL, N'Linux x64'
  UNION ALL SELECT 16, 'ProcessorCount', i.cpu_count, CONVERT(nvarchar(20), i.cpu_count)
    FROM sys.dm_os_sys_info AS i
  UNION ALL SELECT 19, 'PhysicalMemory', i.physical_memory_kb / 1024,
    CONVERT(nvarchar(20), i.physical_memory_kb / 1024)
    + N' (' + CONVERT(nvarchar(20), i.physical_memory_kb * 1024) + N')'
    FROM sys.dm_os_sys_info AS i
) AS v
WHERE @optname IS NULL OR v.[Name] = @optname ORDER BY 1
