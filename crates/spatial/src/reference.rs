//! `sys.spatial_reference_systems`: the ellipsoids of geographies.
//!
//! Rows are EPSG's geodetic datums whose ellipsoid is sure. All measure in meters.

/// A row of `sys.spatial_reference_systems`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct System {
    /// `spatial_reference_id`.
    pub srid: i32,
    /// `authority_name`.
    pub authority: &'static str,
    /// `authorized_spatial_reference_id`.
    pub authorized_id: i32,
    /// `well_known_text`.
    pub text: &'static str,
    /// `unit_of_measure`.
    pub unit: &'static str,
    /// `unit_conversion_factor`: meters in a unit.
    pub factor: f64,
    /// The ellipsoid's equatorial radius, in units.
    pub(crate) radius: f64,
    /// The ellipsoid's flattening.
    pub(crate) flattening: f64,
}

/// A datum of EPSG's: number, names of system, datum and ellipsoid, radius, inverse flattening.
macro_rules! system {
    ($srid:literal, $name:literal, $datum:literal, $ellipsoid:literal, $radius:literal, $inverse:literal) => {
        System {
            srid: $srid,
            authority: "EPSG",
            authorized_id: $srid,
            text: concat!(
                "GEOGCS[\"",
                $name,
                "\", DATUM[\"",
                $datum,
                "\", ELLIPSOID[\"",
                $ellipsoid,
                "\", ",
                stringify!($radius),
                ", ",
                stringify!($inverse),
                "]], PRIMEM[\"Greenwich\", 0], UNIT[\"Degree\", 0.0174532925199433]]"
            ),
            unit: "metre",
            factor: 1.0,
            radius: $radius as f64,
            flattening: 1.0 / $inverse as f64,
        }
    };
}

/// All systems, by rising SRID.
const SYSTEMS: &[System] = &[
    system!(4120, "Greek", "Greek", "Bessel 1841", 6377397.155, 299.1528128),
    system!(
        4121,
        "GGRS87",
        "Greek Geodetic Reference System 1987",
        "GRS 1980",
        6378137,
        298.257222101
    ),
    system!(
        4123,
        "KKJ",
        "Kartastokoordinaattijarjestelma (1966)",
        "International 1924",
        6378388,
        297
    ),
    system!(4124, "RT90", "Rikets koordinatsystem 1990", "Bessel 1841", 6377397.155, 299.1528128),
    system!(4127, "Tete", "Tete", "Clarke 1866", 6378206.4, 294.978698213898),
    system!(4128, "Madzansua", "Madzansua", "Clarke 1866", 6378206.4, 294.978698213898),
    system!(4129, "Observatario", "Observatario", "Clarke 1866", 6378206.4, 294.978698213898),
    system!(4130, "Moznet", "Moznet (ITRF94)", "WGS 84", 6378137, 298.257223563),
    system!(4133, "EST92", "Estonia 1992", "GRS 1980", 6378137, 298.257222101),
    system!(4135, "Old Hawaiian", "Old Hawaiian", "Clarke 1866", 6378206.4, 294.978698213898),
    system!(
        4136,
        "St. Lawrence Island",
        "St. Lawrence Island",
        "Clarke 1866",
        6378206.4,
        294.978698213898
    ),
    system!(4137, "St. Paul Island", "St. Paul Island", "Clarke 1866", 6378206.4, 294.978698213898),
    system!(
        4138,
        "St. George Island",
        "St. George Island",
        "Clarke 1866",
        6378206.4,
        294.978698213898
    ),
    system!(4139, "Puerto Rico", "Puerto Rico", "Clarke 1866", 6378206.4, 294.978698213898),
    system!(4141, "Israel", "Israel", "GRS 1980", 6378137, 298.257222101),
    system!(4142, "Locodjo 1965", "Locodjo 1965", "Clarke 1880 (RGS)", 6378249.145, 293.465),
    system!(4143, "Abidjan 1987", "Abidjan 1987", "Clarke 1880 (RGS)", 6378249.145, 293.465),
    system!(4148, "Hartebeesthoek94", "Hartebeesthoek94", "WGS 84", 6378137, 298.257223563),
    system!(4149, "CH1903", "CH1903", "Bessel 1841", 6377397.155, 299.1528128),
    system!(4150, "CH1903+", "CH1903+", "Bessel 1841", 6377397.155, 299.1528128),
    system!(
        4151,
        "CHTRF95",
        "Swiss Terrestrial Reference Frame 1995",
        "GRS 1980",
        6378137,
        298.257222101
    ),
    system!(
        4152,
        "NAD83(HARN)",
        "NAD83 (High Accuracy Regional Network)",
        "GRS 1980",
        6378137,
        298.257222101
    ),
    system!(4153, "Rassadiran", "Rassadiran", "International 1924", 6378388, 297),
    system!(4154, "ED50(ED77)", "European Datum 1950(1977)", "International 1924", 6378388, 297),
    system!(4156, "S-JTSK", "S-JTSK", "Bessel 1841", 6377397.155, 299.1528128),
    system!(4158, "Gunung Segara", "Gunung Segara", "Bessel 1841", 6377397.155, 299.1528128),
    system!(4159, "ELD79", "European Libyan Datum 1979", "International 1924", 6378388, 297),
    system!(4160, "Chos Malal 1914", "Chos Malal 1914", "International 1924", 6378388, 297),
    system!(4161, "Pampa del Castillo", "Pampa del Castillo", "International 1924", 6378388, 297),
    system!(
        4163,
        "Yemen NGN96",
        "Yemen National Geodetic Network 1996",
        "WGS 84",
        6378137,
        298.257223563
    ),
    system!(4164, "South Yemen", "South Yemen", "Krassowsky 1940", 6378245, 298.3),
    system!(4165, "Bissau", "Bissau", "International 1924", 6378388, 297),
    system!(4166, "Korean 1995", "Korean Datum 1995", "WGS 84", 6378137, 298.257223563),
    system!(
        4167,
        "NZGD2000",
        "New Zealand Geodetic Datum 2000",
        "GRS 1980",
        6378137,
        298.257222101
    ),
    system!(
        4169,
        "American Samoa 1962",
        "American Samoa 1962",
        "Clarke 1866",
        6378206.4,
        294.978698213898
    ),
    system!(
        4170,
        "SIRGAS",
        "Sistema de Referencia Geocentrico para America del Sur 1995",
        "GRS 1980",
        6378137,
        298.257222101
    ),
    system!(4171, "RGF93", "Reseau Geodesique Francais 1993", "GRS 1980", 6378137, 298.257222101),
    system!(4173, "IRENET95", "IRENET95", "GRS 1980", 6378137, 298.257222101),
    system!(4178, "Pulkovo 1942(83)", "Pulkovo 1942(83)", "Krassowsky 1940", 6378245, 298.3),
    system!(4179, "Pulkovo 1942(58)", "Pulkovo 1942(58)", "Krassowsky 1940", 6378245, 298.3),
    system!(4180, "EST97", "Estonia 1997", "GRS 1980", 6378137, 298.257222101),
    system!(4181, "Luxembourg 1930", "Luxembourg 1930", "International 1924", 6378388, 297),
    system!(4188, "OSNI 1952", "OSNI 1952", "Airy 1830", 6377563.396, 299.3249646),
    system!(4189, "REGVEN", "Red Geodesica Venezolana", "GRS 1980", 6378137, 298.257222101),
    system!(
        4190,
        "POSGAR 98",
        "Posiciones Geodesicas Argentinas 1998",
        "GRS 1980",
        6378137,
        298.257222101
    ),
    system!(4191, "Albanian 1987", "Albanian 1987", "Krassowsky 1940", 6378245, 298.3),
    system!(4201, "Adindan", "Adindan", "Clarke 1880 (RGS)", 6378249.145, 293.465),
    system!(
        4202,
        "AGD66",
        "Australian Geodetic Datum 1966",
        "Australian National Spheroid",
        6378160,
        298.25
    ),
    system!(
        4203,
        "AGD84",
        "Australian Geodetic Datum 1984",
        "Australian National Spheroid",
        6378160,
        298.25
    ),
    system!(4204, "Ain el Abd", "Ain el Abd 1970", "International 1924", 6378388, 297),
    system!(4210, "Arc 1960", "Arc 1960", "Clarke 1880 (RGS)", 6378249.145, 293.465),
    system!(4211, "Batavia", "Batavia", "Bessel 1841", 6377397.155, 299.1528128),
    system!(4214, "Beijing 1954", "Beijing 1954", "Krassowsky 1940", 6378245, 298.3),
    system!(4215, "Belge 1950", "Reseau National Belge 1950", "International 1924", 6378388, 297),
    system!(4216, "Bermuda 1957", "Bermuda 1957", "Clarke 1866", 6378206.4, 294.978698213898),
    system!(4218, "Bogota 1975", "Bogota 1975", "International 1924", 6378388, 297),
    system!(4221, "Campo Inchauspe", "Campo Inchauspe", "International 1924", 6378388, 297),
    system!(4224, "Chua", "Chua", "International 1924", 6378388, 297),
    system!(4225, "Corrego Alegre", "Corrego Alegre", "International 1924", 6378388, 297),
    system!(4229, "Egypt 1907", "Egypt 1907", "Helmert 1906", 6378200, 298.3),
    system!(4230, "ED50", "European Datum 1950", "International 1924", 6378388, 297),
    system!(4231, "ED87", "European Datum 1987", "International 1924", 6378388, 297),
    system!(4236, "Hu Tzu Shan", "Hu Tzu Shan", "International 1924", 6378388, 297),
    system!(4237, "HD72", "Hungarian Datum 1972", "GRS 1967", 6378160, 298.247167427),
    system!(4247, "La Canoa", "La Canoa", "International 1924", 6378388, 297),
    system!(
        4248,
        "PSAD56",
        "Provisional South American Datum 1956",
        "International 1924",
        6378388,
        297
    ),
    system!(4254, "Hito XVIII 1963", "Hito XVIII 1963", "International 1924", 6378388, 297),
    system!(4255, "Herat North", "Herat North", "International 1924", 6378388, 297),
    system!(
        4258,
        "ETRS89",
        "European Terrestrial Reference System 1989",
        "GRS 1980",
        6378137,
        298.257222101
    ),
    system!(4265, "Monte Mario", "Monte Mario", "International 1924", 6378388, 297),
    system!(4267, "NAD27", "North American Datum 1927", "Clarke 1866", 6378206.4, 294.978698213898),
    system!(4269, "NAD83", "North American Datum 1983", "GRS 1980", 6378137, 298.257222101),
    system!(4270, "Nahrwan 1967", "Nahrwan 1967", "Clarke 1880 (RGS)", 6378249.145, 293.465),
    system!(4271, "Naparima 1972", "Naparima 1972", "International 1924", 6378388, 297),
    system!(4272, "NZGD49", "New Zealand Geodetic Datum 1949", "International 1924", 6378388, 297),
    system!(4274, "Datum 73", "Datum 73", "International 1924", 6378388, 297),
    system!(
        4275,
        "NTF",
        "Nouvelle Triangulation Francaise",
        "Clarke 1880 (IGN)",
        6378249.2,
        293.466021293627
    ),
    system!(4276, "NSWC 9Z-2", "NSWC 9Z-2", "NWL 9D", 6378145, 298.25),
    system!(4277, "OSGB 1936", "OSGB 1936", "Airy 1830", 6377563.396, 299.3249646),
    system!(4278, "OSGB70", "OSGB 1970 (SN)", "Airy 1830", 6377563.396, 299.3249646),
    system!(4279, "OS(SN)80", "OS (SN) 1980", "Airy 1830", 6377563.396, 299.3249646),
    system!(
        4283,
        "GDA94",
        "Geocentric Datum of Australia 1994",
        "GRS 1980",
        6378137,
        298.257222101
    ),
    system!(4284, "Pulkovo 1942", "Pulkovo 1942", "Krassowsky 1940", 6378245, 298.3),
    system!(4289, "Amersfoort", "Amersfoort", "Bessel 1841", 6377397.155, 299.1528128),
    system!(4292, "Sapper Hill 1943", "Sapper Hill 1943", "International 1924", 6378388, 297),
    system!(4297, "Tananarive", "Tananarive 1925", "International 1924", 6378388, 297),
    system!(4299, "TM65", "TM65", "Airy Modified 1849", 6377340.189, 299.3249646),
    system!(4300, "TM75", "Geodetic Datum of 1965", "Airy Modified 1849", 6377340.189, 299.3249646),
    system!(4301, "Tokyo", "Tokyo", "Bessel 1841", 6377397.155, 299.1528128),
    system!(4312, "MGI", "Militar-Geographische Institut", "Bessel 1841", 6377397.155, 299.1528128),
    system!(4313, "Belge 1972", "Reseau National Belge 1972", "International 1924", 6378388, 297),
    system!(4314, "DHDN", "Deutsches Hauptdreiecksnetz", "Bessel 1841", 6377397.155, 299.1528128),
    system!(4322, "WGS 72", "World Geodetic System 1972", "WGS 72", 6378135, 298.26),
    system!(4324, "WGS 72BE", "WGS 72 Transit Broadcast Ephemeris", "WGS 72", 6378135, 298.26),
    system!(4326, "WGS 84", "World Geodetic System 1984", "WGS 84", 6378137, 298.257223563),
    system!(4610, "Xian 1980", "Xian 1980", "Xian 1980", 6378140, 298.257),
    system!(4612, "JGD2000", "Japanese Geodetic Datum 2000", "GRS 1980", 6378137, 298.257222101),
    system!(
        4617,
        "NAD83(CSRS)",
        "NAD83 Canadian Spatial Reference System",
        "GRS 1980",
        6378137,
        298.257222101
    ),
    system!(4619, "SWEREF99", "SWEREF99", "GRS 1980", 6378137, 298.257222101),
    system!(4659, "ISN93", "Islands Network 1993", "GRS 1980", 6378137, 298.257222101),
    system!(4661, "LKS92", "Latvia 1992", "GRS 1980", 6378137, 298.257222101),
    system!(4669, "LKS94", "Lithuania 1994 (ETRS89)", "GRS 1980", 6378137, 298.257222101),
    system!(
        4674,
        "SIRGAS 2000",
        "Sistema de Referencia Geocentrico para America del Sur 2000",
        "GRS 1980",
        6378137,
        298.257222101
    ),
    system!(4737, "Korea 2000", "Geocentric datum of Korea", "GRS 1980", 6378137, 298.257222101),
];

/// All systems, by rising SRID.
pub fn systems() -> &'static [System] {
    SYSTEMS
}

/// The system of an SRID.
pub(crate) fn find(srid: i32) -> Option<&'static System> {
    let at = SYSTEMS.binary_search_by_key(&srid, |system| system.srid).ok()?;
    SYSTEMS.get(at)
}
