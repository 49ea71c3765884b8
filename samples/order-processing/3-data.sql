-- Fills the tables: scale × weight × 10,000 rows with the weights customers 1, orders 5, order lines 25, products 10,
-- criteria 1. Every value follows from the number of its row, so that a client can compute every answer.

:setvar database_name "OrderProcessing"
:setvar scale "1"

USE [$(database_name)];
GO
SET NOCOUNT ON;
DECLARE @scale bigint = $(scale);

INSERT INTO dbo.Customer (C_ID, C_Name, C_Address, C_City, C_Created)
SELECT value, CONCAT('Customer ', value), CONCAT(value % 997, ' Market Street'), CONCAT('City ', value % 200),
       DATEADD(second, value, CAST('2026-01-01' AS datetime2))
FROM GENERATE_SERIES(CAST(1 AS bigint), @scale * 10000);

INSERT INTO dbo.Products
SELECT value, CONCAT('Product ', value), value % (1000 * @scale), REPLICATE('An article. ', 10 + value % 20),
       value * 37 % 9973 / 10.0,
       value * 3 % 998 / 997E0, value * 5 % 999 / 997E0, value * 7 % 1000 / 997E0, value * 9 % 1001 / 997E0,
       value * 11 % 1002 / 997E0, value * 13 % 1003 / 997E0, value * 15 % 1004 / 997E0, value * 17 % 1005 / 997E0,
       value * 19 % 1006 / 997E0, value * 21 % 1007 / 997E0, value * 23 % 1008 / 997E0, value * 25 % 1009 / 997E0,
       value * 27 % 1010 / 997E0, value * 29 % 1011 / 997E0, value * 31 % 1012 / 997E0, value * 33 % 1013 / 997E0,
       value * 35 % 1014 / 997E0, value * 37 % 1015 / 997E0, value * 39 % 1016 / 997E0, value * 41 % 1017 / 997E0,
       value * 43 % 1018 / 997E0, value * 45 % 1019 / 997E0, value * 47 % 1020 / 997E0, value * 49 % 1021 / 997E0,
       value * 51 % 1022 / 997E0, value * 53 % 1023 / 997E0, value * 55 % 1024 / 997E0, value * 57 % 1025 / 997E0,
       value * 59 % 1026 / 997E0, value * 61 % 1027 / 997E0, value * 63 % 1028 / 997E0, value * 65 % 1029 / 997E0,
       value * 67 % 1030 / 997E0, value * 69 % 1031 / 997E0, value * 71 % 1032 / 997E0, value * 73 % 1033 / 997E0,
       value * 75 % 1034 / 997E0, value * 77 % 1035 / 997E0, value * 79 % 1036 / 997E0, value * 81 % 1037 / 997E0,
       value * 83 % 1038 / 997E0, value * 85 % 1039 / 997E0, value * 87 % 1040 / 997E0, value * 89 % 1041 / 997E0,
       value * 91 % 1042 / 997E0, value * 93 % 1043 / 997E0, value * 95 % 1044 / 997E0, value * 97 % 1045 / 997E0,
       value * 99 % 1046 / 997E0, value * 101 % 1047 / 997E0, value * 103 % 1048 / 997E0, value * 105 % 1049 / 997E0,
       value * 107 % 1050 / 997E0, value * 109 % 1051 / 997E0, value * 111 % 1052 / 997E0, value * 113 % 1053 / 997E0,
       value * 115 % 1054 / 997E0, value * 117 % 1055 / 997E0, value * 119 % 1056 / 997E0, value * 121 % 1057 / 997E0,
       value * 123 % 1058 / 997E0, value * 125 % 1059 / 997E0, value * 127 % 1060 / 997E0, value * 129 % 1061 / 997E0,
       value * 131 % 1062 / 997E0, value * 133 % 1063 / 997E0, value * 135 % 1064 / 997E0, value * 137 % 1065 / 997E0,
       value * 139 % 1066 / 997E0, value * 141 % 1067 / 997E0, value * 143 % 1068 / 997E0, value * 145 % 1069 / 997E0,
       value * 147 % 1070 / 997E0, value * 149 % 1071 / 997E0, value * 151 % 1072 / 997E0, value * 153 % 1073 / 997E0,
       value * 155 % 1074 / 997E0, value * 157 % 1075 / 997E0, value * 159 % 1076 / 997E0, value * 161 % 1077 / 997E0,
       value * 163 % 1078 / 997E0, value * 165 % 1079 / 997E0, value * 167 % 1080 / 997E0, value * 169 % 1081 / 997E0,
       value * 171 % 1082 / 997E0, value * 173 % 1083 / 997E0, value * 175 % 1084 / 997E0, value * 177 % 1085 / 997E0,
       value * 179 % 1086 / 997E0, value * 181 % 1087 / 997E0, value * 183 % 1088 / 997E0, value * 185 % 1089 / 997E0,
       value * 187 % 1090 / 997E0, value * 189 % 1091 / 997E0, value * 191 % 1092 / 997E0, value * 193 % 1093 / 997E0,
       value * 195 % 1094 / 997E0, value * 197 % 1095 / 997E0, value * 199 % 1096 / 997E0, value * 201 % 1097 / 997E0
FROM GENERATE_SERIES(CAST(1 AS bigint), @scale * 100000);

INSERT INTO dbo.Purchase_Criteria
SELECT value,
       value * 5 % 992 / 991E0, value * 7 % 993 / 991E0, value * 9 % 994 / 991E0, value * 11 % 995 / 991E0,
       value * 13 % 996 / 991E0, value * 15 % 997 / 991E0, value * 17 % 998 / 991E0, value * 19 % 999 / 991E0,
       value * 21 % 1000 / 991E0, value * 23 % 1001 / 991E0, value * 25 % 1002 / 991E0, value * 27 % 1003 / 991E0,
       value * 29 % 1004 / 991E0, value * 31 % 1005 / 991E0, value * 33 % 1006 / 991E0, value * 35 % 1007 / 991E0,
       value * 37 % 1008 / 991E0, value * 39 % 1009 / 991E0, value * 41 % 1010 / 991E0, value * 43 % 1011 / 991E0,
       value * 45 % 1012 / 991E0, value * 47 % 1013 / 991E0, value * 49 % 1014 / 991E0, value * 51 % 1015 / 991E0,
       value * 53 % 1016 / 991E0, value * 55 % 1017 / 991E0, value * 57 % 1018 / 991E0, value * 59 % 1019 / 991E0,
       value * 61 % 1020 / 991E0, value * 63 % 1021 / 991E0, value * 65 % 1022 / 991E0, value * 67 % 1023 / 991E0,
       value * 69 % 1024 / 991E0, value * 71 % 1025 / 991E0, value * 73 % 1026 / 991E0, value * 75 % 1027 / 991E0,
       value * 77 % 1028 / 991E0, value * 79 % 1029 / 991E0, value * 81 % 1030 / 991E0, value * 83 % 1031 / 991E0,
       value * 85 % 1032 / 991E0, value * 87 % 1033 / 991E0, value * 89 % 1034 / 991E0, value * 91 % 1035 / 991E0,
       value * 93 % 1036 / 991E0, value * 95 % 1037 / 991E0, value * 97 % 1038 / 991E0, value * 99 % 1039 / 991E0,
       value * 101 % 1040 / 991E0, value * 103 % 1041 / 991E0, value * 105 % 1042 / 991E0, value * 107 % 1043 / 991E0,
       value * 109 % 1044 / 991E0, value * 111 % 1045 / 991E0, value * 113 % 1046 / 991E0, value * 115 % 1047 / 991E0,
       value * 117 % 1048 / 991E0, value * 119 % 1049 / 991E0, value * 121 % 1050 / 991E0, value * 123 % 1051 / 991E0,
       value * 125 % 1052 / 991E0, value * 127 % 1053 / 991E0, value * 129 % 1054 / 991E0, value * 131 % 1055 / 991E0,
       value * 133 % 1056 / 991E0, value * 135 % 1057 / 991E0, value * 137 % 1058 / 991E0, value * 139 % 1059 / 991E0,
       value * 141 % 1060 / 991E0, value * 143 % 1061 / 991E0, value * 145 % 1062 / 991E0, value * 147 % 1063 / 991E0,
       value * 149 % 1064 / 991E0, value * 151 % 1065 / 991E0, value * 153 % 1066 / 991E0, value * 155 % 1067 / 991E0,
       value * 157 % 1068 / 991E0, value * 159 % 1069 / 991E0, value * 161 % 1070 / 991E0, value * 163 % 1071 / 991E0,
       value * 165 % 1072 / 991E0, value * 167 % 1073 / 991E0, value * 169 % 1074 / 991E0, value * 171 % 1075 / 991E0,
       value * 173 % 1076 / 991E0, value * 175 % 1077 / 991E0, value * 177 % 1078 / 991E0, value * 179 % 1079 / 991E0,
       value * 181 % 1080 / 991E0, value * 183 % 1081 / 991E0, value * 185 % 1082 / 991E0, value * 187 % 1083 / 991E0,
       value * 189 % 1084 / 991E0, value * 191 % 1085 / 991E0, value * 193 % 1086 / 991E0, value * 195 % 1087 / 991E0,
       value * 197 % 1088 / 991E0, value * 199 % 1089 / 991E0, value * 201 % 1090 / 991E0, value * 203 % 1091 / 991E0
FROM GENERATE_SERIES(CAST(1 AS bigint), @scale * 10000);

-- Line n of all is of order (n - 1) / 5 + 1; its price is that of its product.
INSERT INTO dbo.OrderLines (OL_O_ID, OL_Number, OL_PR_ID, OL_Quantity, OL_Price)
SELECT (n - 1) / 5 + 1, (n - 1) % 5 + 1, product, n % 9 + 1, product * 37 % 9973 / 10.0
FROM (SELECT value AS n, value * 7 % (@scale * 100000) + 1 AS product
      FROM GENERATE_SERIES(CAST(1 AS bigint), @scale * 250000)) AS lines;

SET IDENTITY_INSERT dbo.Orders ON;
INSERT INTO dbo.Orders (O_ID, O_C_ID, O_Total, O_Date, O_Status)
SELECT OL_O_ID, OL_O_ID % (@scale * 10000) + 1, SUM(OL_Price * OL_Quantity),
       DATEADD(second, OL_O_ID, CAST('2026-01-01' AS datetime2)), 1
FROM dbo.OrderLines
GROUP BY OL_O_ID;
SET IDENTITY_INSERT dbo.Orders OFF;
GO
