-- FOR XML EXPLICIT: attributes that are lists of the values of several rows.
CREATE TABLE books (id int PRIMARY KEY, title varchar(20))
CREATE TABLE authors (book int, name varchar(20))
INSERT books VALUES (1, 'One & all'), (2, 'Two'), (3, 'Three')
INSERT authors VALUES (1, 'ann'), (1, 'b"ob'), (3, 'cy')
GO
SELECT 1 AS Tag, NULL AS Parent, id AS [book!1!id!hide], title AS [book!1!title],
  NULL AS [book!1!by!IDREFS], NULL AS [author!2!name!ID]
FROM books
UNION ALL
SELECT 1, NULL, book, NULL, name, NULL FROM authors
UNION ALL
SELECT 2, 1, book, NULL, NULL, name FROM authors
ORDER BY [book!1!id!hide], [author!2!name!ID], [book!1!by!IDREFS]
FOR XML EXPLICIT
GO
-- Two lists, below an element, behind content.
SELECT Tag, Parent, a AS [r!1!a], b AS [e!2!b], c AS [e!2!c!nmtokens], d AS [e!2!d!idrefs],
  x AS [e!2!x!element]
FROM (VALUES (1, 1, NULL, 'r', NULL, NULL, NULL, NULL), (2, 2, 1, NULL, '"> c="', NULL, NULL, 'x'),
  (3, 2, 1, NULL, NULL, 1, NULL, NULL), (4, 2, 1, NULL, NULL, NULL, 'i', NULL),
  (5, 2, 1, NULL, NULL, 2, NULL, NULL), (6, 2, 1, NULL, NULL, NULL, 'j', NULL),
  (7, 2, 1, NULL, 'next', NULL, NULL, NULL), (8, 2, 1, NULL, NULL, 3, NULL, NULL))
  AS v (n, Tag, Parent, a, b, c, d, x)
ORDER BY n
FOR XML EXPLICIT, ROOT
GO
-- A value without an element before it, or with another one; two values.
SELECT 1 AS Tag, NULL AS Parent, 'x' AS [e!1!a!idrefs] FOR XML EXPLICIT
GO
SELECT Tag, Parent, a AS [e!1!a!idrefs], b AS [f!2!b]
FROM (VALUES (1, 1, NULL, NULL, NULL), (2, 2, 1, NULL, 1), (3, 1, NULL, 'late', NULL))
  AS v (n, Tag, Parent, a, b)
ORDER BY n
FOR XML EXPLICIT
GO
SELECT Tag, Parent, a AS [e!1!a!idrefs], b AS [e!1!b!idrefs]
FROM (VALUES (1, 1, NULL, NULL, NULL), (2, 1, NULL, 'x', 'y')) AS v (n, Tag, Parent, a, b)
ORDER BY n
FOR XML EXPLICIT
GO
-- What is not there.
SELECT 1 AS Tag, NULL AS Parent, 'x' AS [e!1!a!idrefs!element] FOR XML EXPLICIT
GO
SELECT 1 AS Tag, NULL AS Parent, 'x' AS [e!1!a!idrefs], '<a/>' AS [e!1!!xmltext] FOR XML EXPLICIT
GO
