-- The schemas of the XML columns. Targets, elements and attributes have the names that queries for
-- AdventureWorks use.

USE AdventureWorks;
GO

-- Three schemas: what a contact is (ContactTypes), a record of a contact (ContactRecord), and the
-- document that mixes both with text (ContactInfo).
CREATE XML SCHEMA COLLECTION Person.AdditionalContactInfoSchemaCollection AS N'
<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified"
  targetNamespace="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ContactTypes"
  xmlns="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ContactTypes">
  <xsd:complexType name="Remark" mixed="true">
    <xsd:sequence>
      <xsd:any namespace="##targetNamespace" processContents="strict" minOccurs="0" maxOccurs="unbounded"/>
    </xsd:sequence>
  </xsd:complexType>
  <xsd:complexType name="Line">
    <xsd:sequence>
      <xsd:element name="number" type="xsd:string"/>
      <xsd:element name="SpecialInstructions" type="Remark" minOccurs="0"/>
    </xsd:sequence>
  </xsd:complexType>
  <xsd:complexType name="Mailbox">
    <xsd:sequence>
      <xsd:element name="eMailAddress" type="xsd:string"/>
      <xsd:element name="SpecialInstructions" type="Remark" minOccurs="0"/>
    </xsd:sequence>
  </xsd:complexType>
  <xsd:complexType name="Postal">
    <xsd:sequence>
      <xsd:element name="Street" type="xsd:string" maxOccurs="2"/>
      <xsd:element name="City" type="xsd:string"/>
      <xsd:element name="StateProvince" type="xsd:string"/>
      <xsd:element name="PostalCode" type="xsd:string" minOccurs="0"/>
      <xsd:element name="CountryRegion" type="xsd:string"/>
      <xsd:element name="SpecialInstructions" type="Remark" minOccurs="0"/>
    </xsd:sequence>
  </xsd:complexType>
  <xsd:element name="telephoneNumber" type="Line"/>
  <xsd:element name="mobile" type="Line"/>
  <xsd:element name="pager" type="Line"/>
  <xsd:element name="facsimileTelephoneNumber" type="Line"/>
  <xsd:element name="telexNumber" type="Line"/>
  <xsd:element name="internationaliSDNNumber" type="Line"/>
  <xsd:element name="eMail" type="Mailbox"/>
  <xsd:element name="homePostalAddress" type="Postal"/>
  <xsd:element name="physicalDeliveryOfficeName" type="Postal"/>
  <xsd:element name="registeredAddress" type="Postal"/>
</xsd:schema>
<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified"
  targetNamespace="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ContactRecord"
  xmlns:act="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ContactTypes">
  <xsd:import namespace="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ContactTypes"/>
  <xsd:element name="ContactRecord">
    <xsd:complexType mixed="true">
      <xsd:choice minOccurs="0" maxOccurs="unbounded">
        <xsd:any namespace="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ContactTypes" processContents="strict"/>
      </xsd:choice>
      <xsd:attribute name="date" type="xsd:date"/>
    </xsd:complexType>
  </xsd:element>
</xsd:schema>
<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified"
  targetNamespace="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ContactInfo">
  <xsd:element name="AdditionalContactInfo">
    <xsd:complexType mixed="true">
      <xsd:sequence>
        <xsd:any namespace="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ContactRecord http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ContactTypes"
          processContents="strict" minOccurs="0" maxOccurs="unbounded"/>
      </xsd:sequence>
    </xsd:complexType>
  </xsd:element>
</xsd:schema>';
GO

CREATE XML SCHEMA COLLECTION Person.IndividualSurveySchemaCollection AS N'
<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified"
  targetNamespace="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/IndividualSurvey"
  xmlns="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/IndividualSurvey">
  <xsd:simpleType name="Income">
    <xsd:restriction base="xsd:string">
      <xsd:enumeration value="0-25000"/>
      <xsd:enumeration value="25001-50000"/>
      <xsd:enumeration value="50001-75000"/>
      <xsd:enumeration value="75001-100000"/>
      <xsd:enumeration value="greater than 100000"/>
    </xsd:restriction>
  </xsd:simpleType>
  <xsd:simpleType name="Distance">
    <xsd:restriction base="xsd:string">
      <xsd:enumeration value="0-1 Miles"/>
      <xsd:enumeration value="1-2 Miles"/>
      <xsd:enumeration value="2-5 Miles"/>
      <xsd:enumeration value="5-10 Miles"/>
      <xsd:enumeration value="10+ Miles"/>
    </xsd:restriction>
  </xsd:simpleType>
  <xsd:element name="IndividualSurvey">
    <xsd:complexType>
      <xsd:sequence>
        <xsd:element name="TotalPurchaseYTD" type="xsd:decimal" minOccurs="0"/>
        <xsd:element name="DateFirstPurchase" type="xsd:date" minOccurs="0"/>
        <xsd:element name="BirthDate" type="xsd:date" minOccurs="0"/>
        <xsd:element name="MaritalStatus" type="xsd:string" minOccurs="0"/>
        <xsd:element name="YearlyIncome" type="Income" minOccurs="0"/>
        <xsd:element name="Gender" type="xsd:string" minOccurs="0"/>
        <xsd:element name="TotalChildren" type="xsd:int" minOccurs="0"/>
        <xsd:element name="NumberChildrenAtHome" type="xsd:int" minOccurs="0"/>
        <xsd:element name="Education" type="xsd:string" minOccurs="0"/>
        <xsd:element name="Occupation" type="xsd:string" minOccurs="0"/>
        <xsd:element name="HomeOwnerFlag" type="xsd:boolean" minOccurs="0"/>
        <xsd:element name="NumberCarsOwned" type="xsd:int" minOccurs="0"/>
        <xsd:element name="Hobby" type="xsd:string" minOccurs="0" maxOccurs="unbounded"/>
        <xsd:element name="CommuteDistance" type="Distance" minOccurs="0"/>
        <xsd:element name="Comments" type="xsd:string" minOccurs="0"/>
      </xsd:sequence>
    </xsd:complexType>
  </xsd:element>
</xsd:schema>';
GO

CREATE XML SCHEMA COLLECTION HumanResources.HRResumeSchemaCollection AS N'
<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified"
  targetNamespace="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/Resume"
  xmlns="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/Resume">
  <xsd:complexType name="Person">
    <xsd:sequence>
      <xsd:element name="Name.Prefix" type="xsd:string" minOccurs="0"/>
      <xsd:element name="Name.First" type="xsd:string"/>
      <xsd:element name="Name.Middle" type="xsd:string" minOccurs="0"/>
      <xsd:element name="Name.Last" type="xsd:string"/>
      <xsd:element name="Name.Suffix" type="xsd:string" minOccurs="0"/>
    </xsd:sequence>
  </xsd:complexType>
  <xsd:complexType name="Place">
    <xsd:sequence>
      <xsd:element name="Loc.CountryRegion" type="xsd:string"/>
      <xsd:element name="Loc.State" type="xsd:string" minOccurs="0"/>
      <xsd:element name="Loc.City" type="xsd:string" minOccurs="0"/>
    </xsd:sequence>
  </xsd:complexType>
  <xsd:element name="Location" type="Place"/>
  <xsd:complexType name="At">
    <xsd:sequence>
      <xsd:element ref="Location"/>
    </xsd:sequence>
  </xsd:complexType>
  <xsd:complexType name="Phone">
    <xsd:sequence>
      <xsd:element name="Tel.Type" type="xsd:string" minOccurs="0"/>
      <xsd:element name="Tel.IntlCode" type="xsd:int" minOccurs="0"/>
      <xsd:element name="Tel.AreaCode" type="xsd:int" minOccurs="0"/>
      <xsd:element name="Tel.Number" type="xsd:string"/>
      <xsd:element name="Tel.Extension" type="xsd:int" minOccurs="0"/>
    </xsd:sequence>
  </xsd:complexType>
  <xsd:element name="Telephone" type="Phone"/>
  <xsd:complexType name="Phones">
    <xsd:sequence>
      <xsd:element ref="Telephone" maxOccurs="unbounded"/>
    </xsd:sequence>
  </xsd:complexType>
  <xsd:complexType name="Job">
    <xsd:sequence>
      <xsd:element name="Emp.StartDate" type="xsd:date" minOccurs="0"/>
      <xsd:element name="Emp.EndDate" type="xsd:date" minOccurs="0"/>
      <xsd:element name="Emp.OrgName" type="xsd:string"/>
      <xsd:element name="Emp.JobTitle" type="xsd:string"/>
      <xsd:element name="Emp.Responsibility" type="xsd:string"/>
      <xsd:element name="Emp.FunctionCategory" type="xsd:string" minOccurs="0"/>
      <xsd:element name="Emp.IndustryCategory" type="xsd:string" minOccurs="0"/>
      <xsd:element name="Emp.Location" type="At" minOccurs="0"/>
    </xsd:sequence>
  </xsd:complexType>
  <xsd:complexType name="Study">
    <xsd:sequence>
      <xsd:element name="Edu.Level" type="xsd:string"/>
      <xsd:element name="Edu.StartDate" type="xsd:date"/>
      <xsd:element name="Edu.EndDate" type="xsd:date"/>
      <xsd:element name="Edu.Degree" type="xsd:string" minOccurs="0"/>
      <xsd:element name="Edu.Major" type="xsd:string" minOccurs="0"/>
      <xsd:element name="Edu.Minor" type="xsd:string" minOccurs="0"/>
      <xsd:element name="Edu.GPA" type="xsd:string" minOccurs="0"/>
      <xsd:element name="Edu.GPAScale" type="xsd:decimal" minOccurs="0"/>
      <xsd:element name="Edu.School" type="xsd:string" minOccurs="0"/>
      <xsd:element name="Edu.Location" type="At" minOccurs="0"/>
    </xsd:sequence>
  </xsd:complexType>
  <xsd:complexType name="Home">
    <xsd:sequence>
      <xsd:element name="Addr.Type" type="xsd:string"/>
      <xsd:element name="Addr.OrgName" type="xsd:string" minOccurs="0"/>
      <xsd:element name="Addr.Street" type="xsd:string" maxOccurs="unbounded"/>
      <xsd:element name="Addr.Location" type="At"/>
      <xsd:element name="Addr.PostalCode" type="xsd:string"/>
      <xsd:element name="Addr.Telephone" type="Phones" minOccurs="0"/>
    </xsd:sequence>
  </xsd:complexType>
  <xsd:element name="Resume">
    <xsd:complexType>
      <xsd:sequence>
        <xsd:element name="Name" type="Person"/>
        <xsd:element name="Skills" type="xsd:string" minOccurs="0"/>
        <xsd:element name="Employment" type="Job" minOccurs="0" maxOccurs="unbounded"/>
        <xsd:element name="Education" type="Study" minOccurs="0" maxOccurs="unbounded"/>
        <xsd:element name="Address" type="Home" minOccurs="0" maxOccurs="unbounded"/>
        <xsd:element ref="Telephone" minOccurs="0"/>
        <xsd:element name="EMail" type="xsd:string" minOccurs="0"/>
        <xsd:element name="WebSite" type="xsd:string" minOccurs="0"/>
      </xsd:sequence>
    </xsd:complexType>
  </xsd:element>
</xsd:schema>';
GO

-- What a product's maker promises is a schema of its own; the description imports it.
CREATE XML SCHEMA COLLECTION Production.ProductDescriptionSchemaCollection AS N'
<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified"
  targetNamespace="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ProductModelWarrAndMain"
  xmlns="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ProductModelWarrAndMain">
  <xsd:element name="Warranty">
    <xsd:complexType>
      <xsd:sequence>
        <xsd:element name="WarrantyPeriod" type="xsd:string"/>
        <xsd:element name="Description" type="xsd:string"/>
      </xsd:sequence>
    </xsd:complexType>
  </xsd:element>
  <xsd:element name="Maintenance">
    <xsd:complexType>
      <xsd:sequence>
        <xsd:element name="NoOfYears" type="xsd:string"/>
        <xsd:element name="Description" type="xsd:string"/>
      </xsd:sequence>
    </xsd:complexType>
  </xsd:element>
</xsd:schema>';
GO
ALTER XML SCHEMA COLLECTION Production.ProductDescriptionSchemaCollection ADD N'
<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified"
  targetNamespace="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ProductModelDescription"
  xmlns="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ProductModelDescription"
  xmlns:wm="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ProductModelWarrAndMain">
  <xsd:import namespace="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ProductModelWarrAndMain"/>
  <xsd:element name="Taxonomy" type="xsd:string"/>
  <xsd:element name="Code" type="xsd:string"/>
  <xsd:element name="Description" type="xsd:string"/>
  <xsd:complexType name="Prose" mixed="true">
    <xsd:sequence>
      <xsd:any namespace="http://www.w3.org/1999/xhtml" processContents="skip" minOccurs="0" maxOccurs="unbounded"/>
    </xsd:sequence>
  </xsd:complexType>
  <xsd:complexType name="Maker">
    <xsd:sequence>
      <xsd:element name="Name" type="xsd:string" minOccurs="0"/>
      <xsd:element name="CopyrightURL" type="xsd:string" minOccurs="0"/>
      <xsd:element name="Copyright" type="xsd:string" minOccurs="0"/>
      <xsd:element name="ProductURL" type="xsd:string" minOccurs="0"/>
    </xsd:sequence>
  </xsd:complexType>
  <xsd:complexType name="Promises" mixed="true">
    <xsd:sequence>
      <xsd:element ref="wm:Warranty"/>
      <xsd:element ref="wm:Maintenance"/>
      <xsd:any namespace="##other" processContents="skip" minOccurs="0" maxOccurs="unbounded"/>
    </xsd:sequence>
  </xsd:complexType>
  <xsd:complexType name="Photo">
    <xsd:sequence>
      <xsd:element name="Name" type="xsd:string" minOccurs="0"/>
      <xsd:element name="Angle" type="xsd:string" minOccurs="0"/>
      <xsd:element name="Size" type="xsd:string" minOccurs="0"/>
      <xsd:element name="ProductPhotoID" type="xsd:integer" minOccurs="0"/>
    </xsd:sequence>
  </xsd:complexType>
  <xsd:complexType name="Class">
    <xsd:sequence>
      <xsd:element ref="Taxonomy"/>
      <xsd:element ref="Code"/>
      <xsd:element ref="Description" minOccurs="0"/>
    </xsd:sequence>
  </xsd:complexType>
  <xsd:complexType name="Figures" mixed="true">
    <xsd:sequence>
      <xsd:any processContents="skip" minOccurs="0" maxOccurs="unbounded"/>
    </xsd:sequence>
  </xsd:complexType>
  <xsd:element name="ProductDescription">
    <xsd:complexType>
      <xsd:sequence>
        <xsd:element name="Summary" type="Prose" minOccurs="0"/>
        <xsd:element name="Manufacturer" type="Maker" minOccurs="0"/>
        <xsd:element name="Features" type="Promises" minOccurs="0" maxOccurs="unbounded"/>
        <xsd:element name="Picture" type="Photo" minOccurs="0" maxOccurs="unbounded"/>
        <xsd:element name="Category" type="Class" minOccurs="0" maxOccurs="unbounded"/>
        <xsd:element name="Specifications" type="Figures" minOccurs="0" maxOccurs="unbounded"/>
      </xsd:sequence>
      <xsd:attribute name="ProductModelID" type="xsd:string"/>
      <xsd:attribute name="ProductModelName" type="xsd:string"/>
    </xsd:complexType>
  </xsd:element>
</xsd:schema>';
GO

CREATE XML SCHEMA COLLECTION Production.ManuInstructionsSchemaCollection AS N'
<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified"
  targetNamespace="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ProductModelManuInstructions"
  xmlns="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ProductModelManuInstructions">
  <xsd:complexType name="Work" mixed="true">
    <xsd:choice minOccurs="0" maxOccurs="unbounded">
      <xsd:element name="tool" type="xsd:string"/>
      <xsd:element name="material" type="xsd:string"/>
      <xsd:element name="blueprint" type="xsd:string"/>
      <xsd:element name="specs" type="xsd:string"/>
      <xsd:element name="diag" type="xsd:string"/>
    </xsd:choice>
  </xsd:complexType>
  <xsd:complexType name="Station" mixed="true">
    <xsd:sequence>
      <xsd:element name="step" type="Work" maxOccurs="unbounded"/>
    </xsd:sequence>
    <xsd:attribute name="LocationID" type="xsd:integer" use="required"/>
    <xsd:attribute name="SetupHours" type="xsd:decimal"/>
    <xsd:attribute name="MachineHours" type="xsd:decimal"/>
    <xsd:attribute name="LaborHours" type="xsd:decimal"/>
    <xsd:attribute name="LotSize" type="xsd:decimal"/>
  </xsd:complexType>
  <xsd:element name="root">
    <xsd:complexType mixed="true">
      <xsd:sequence>
        <xsd:element name="Location" type="Station" maxOccurs="unbounded"/>
      </xsd:sequence>
    </xsd:complexType>
  </xsd:element>
</xsd:schema>';
GO

CREATE XML SCHEMA COLLECTION Sales.StoreSurveySchemaCollection AS N'
<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified"
  targetNamespace="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/StoreSurvey"
  xmlns="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/StoreSurvey">
  <xsd:simpleType name="Business">
    <xsd:restriction base="xsd:string">
      <xsd:enumeration value="BM"/>
      <xsd:enumeration value="BS"/>
      <xsd:enumeration value="D"/>
      <xsd:enumeration value="OS"/>
      <xsd:enumeration value="SGS"/>
    </xsd:restriction>
  </xsd:simpleType>
  <xsd:simpleType name="Focus">
    <xsd:restriction base="xsd:string">
      <xsd:enumeration value="Family"/>
      <xsd:enumeration value="Kids"/>
      <xsd:enumeration value="BMX"/>
      <xsd:enumeration value="Touring"/>
      <xsd:enumeration value="Road"/>
      <xsd:enumeration value="Mountain"/>
      <xsd:enumeration value="All"/>
    </xsd:restriction>
  </xsd:simpleType>
  <xsd:simpleType name="Range">
    <xsd:restriction base="xsd:string">
      <xsd:enumeration value="AW"/>
      <xsd:enumeration value="2"/>
      <xsd:enumeration value="3"/>
      <xsd:enumeration value="4+"/>
    </xsd:restriction>
  </xsd:simpleType>
  <xsd:simpleType name="Link">
    <xsd:restriction base="xsd:string">
      <xsd:enumeration value="56kb"/>
      <xsd:enumeration value="ISDN"/>
      <xsd:enumeration value="DSL"/>
      <xsd:enumeration value="T1"/>
      <xsd:enumeration value="T2"/>
      <xsd:enumeration value="T3"/>
    </xsd:restriction>
  </xsd:simpleType>
  <xsd:element name="StoreSurvey">
    <xsd:complexType>
      <xsd:sequence>
        <xsd:element name="ContactName" type="xsd:string" minOccurs="0"/>
        <xsd:element name="JobTitle" type="xsd:string" minOccurs="0"/>
        <xsd:element name="AnnualSales" type="xsd:decimal" minOccurs="0"/>
        <xsd:element name="AnnualRevenue" type="xsd:decimal" minOccurs="0"/>
        <xsd:element name="BankName" type="xsd:string" minOccurs="0"/>
        <xsd:element name="BusinessType" type="Business" minOccurs="0"/>
        <xsd:element name="YearOpened" type="xsd:gYear" minOccurs="0"/>
        <xsd:element name="Specialty" type="Focus" minOccurs="0"/>
        <xsd:element name="SquareFeet" type="xsd:float" minOccurs="0"/>
        <xsd:element name="Brands" type="Range" minOccurs="0"/>
        <xsd:element name="Internet" type="Link" minOccurs="0"/>
        <xsd:element name="NumberEmployees" type="xsd:int" minOccurs="0"/>
        <xsd:element name="Comments" type="xsd:string" minOccurs="0"/>
      </xsd:sequence>
    </xsd:complexType>
  </xsd:element>
</xsd:schema>';
GO
