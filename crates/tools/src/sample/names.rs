//! Words that generated data is made of.

/// Territories: name, country, group.
pub const TERRITORIES: [(&str, &str, &str); 10] = [
    ("Northwest", "US", "North America"),
    ("Northeast", "US", "North America"),
    ("Central", "US", "North America"),
    ("Southwest", "US", "North America"),
    ("Southeast", "US", "North America"),
    ("Canada", "CA", "North America"),
    ("France", "FR", "Europe"),
    ("Germany", "DE", "Europe"),
    ("Australia", "AU", "Pacific"),
    ("United Kingdom", "GB", "Europe"),
];

/// Countries: code, name.
pub const COUNTRIES: [(&str, &str); 6] = [
    ("AU", "Australia"),
    ("CA", "Canada"),
    ("DE", "Germany"),
    ("FR", "France"),
    ("GB", "United Kingdom"),
    ("US", "United States"),
];

/// States and provinces: code, country, name, number of the territory from 1.
pub const STATES: [(&str, &str, &str, i64); 30] = [
    ("WA", "US", "Washington", 1),
    ("OR", "US", "Oregon", 1),
    ("ID", "US", "Idaho", 1),
    ("NY", "US", "New York", 2),
    ("MA", "US", "Massachusetts", 2),
    ("ME", "US", "Maine", 2),
    ("IL", "US", "Illinois", 3),
    ("OH", "US", "Ohio", 3),
    ("MN", "US", "Minnesota", 3),
    ("CA", "US", "California", 4),
    ("AZ", "US", "Arizona", 4),
    ("TX", "US", "Texas", 4),
    ("FL", "US", "Florida", 5),
    ("GA", "US", "Georgia", 5),
    ("TN", "US", "Tennessee", 5),
    ("BC", "CA", "British Columbia", 6),
    ("ON", "CA", "Ontario", 6),
    ("QC", "CA", "Quebec", 6),
    ("75", "FR", "Paris", 7),
    ("69", "FR", "Rhône", 7),
    ("13", "FR", "Bouches-du-Rhône", 7),
    ("BY", "DE", "Bayern", 8),
    ("HH", "DE", "Hamburg", 8),
    ("NW", "DE", "Nordrhein-Westfalen", 8),
    ("NSW", "AU", "New South Wales", 9),
    ("QLD", "AU", "Queensland", 9),
    ("VIC", "AU", "Victoria", 9),
    ("ENG", "GB", "England", 10),
    ("SCT", "GB", "Scotland", 10),
    ("WLS", "GB", "Wales", 10),
];

/// Streets.
pub const STREETS: [&str; 24] = [
    "Alder", "Birch", "Canal", "Chapel", "Cherry", "Church", "Elm", "Foundry", "Garden", "Harbour",
    "Hazel", "High", "Juniper", "King", "Lake", "Maple", "Market", "Mill", "Oak", "Orchard",
    "Park", "River", "Station", "Willow",
];

/// What streets are.
pub const STREET_KINDS: [&str; 6] = ["Avenue", "Court", "Drive", "Lane", "Road", "Street"];

/// Parts of the names of towns.
pub const TOWN_HEADS: [&str; 16] = [
    "Ash", "Black", "Bright", "Clear", "East", "Fair", "Green", "High", "Kings", "Long", "New",
    "North", "Red", "South", "Stone", "West",
];

/// Their ends.
pub const TOWN_TAILS: [&str; 12] = [
    "bridge", "brook", "bury", "dale", "field", "ford", "haven", "mouth", "port", "ton", "ville",
    "wood",
];

/// Ways to ship: name, base price, price per kilogram; in ten-thousandths.
pub const SHIP_METHODS: [(&str, i64, i64); 5] = [
    ("Road, economy", 39_500, 9_900),
    ("Road, express", 99_500, 19_900),
    ("Sea, overseas", 299_500, 29_900),
    ("Air, overnight", 219_500, 12_900),
    ("Freight, pallet", 89_900, 14_900),
];

/// Units: code, name.
pub const UNITS: [(&str, &str); 8] = [
    ("CM", "Centimeter"),
    ("EA", "Each"),
    ("G", "Gram"),
    ("IN", "Inch"),
    ("KG", "Kilogram"),
    ("LB", "US pound"),
    ("M", "Meter"),
    ("MM", "Millimeter"),
];

/// Categories of products.
pub const CATEGORIES: [&str; 4] = ["Bikes", "Components", "Clothing", "Accessories"];

/// Subcategories: number of the category from 1, name, lowest and highest list price in whole
/// units; 0 for parts that are not sold.
pub const SUBCATEGORIES: [(i64, &str, i64, i64); 37] = [
    (1, "Mountain Bikes", 540, 3_400),
    (1, "Road Bikes", 540, 3_600),
    (1, "Touring Bikes", 740, 2_400),
    (2, "Handlebars", 40, 130),
    (2, "Bottom Brackets", 50, 125),
    (2, "Brakes", 100, 110),
    (2, "Chains", 15, 25),
    (2, "Cranksets", 170, 410),
    (2, "Derailleurs", 90, 125),
    (2, "Forks", 140, 230),
    (2, "Headsets", 30, 125),
    (2, "Mountain Frames", 250, 1_400),
    (2, "Pedals", 40, 85),
    (2, "Road Frames", 330, 1_450),
    (2, "Saddles", 25, 55),
    (2, "Touring Frames", 330, 1_010),
    (2, "Wheels", 60, 360),
    (3, "Bib-Shorts", 85, 95),
    (3, "Caps", 8, 10),
    (3, "Gloves", 24, 40),
    (3, "Jerseys", 45, 55),
    (3, "Shorts", 55, 75),
    (3, "Socks", 8, 10),
    (3, "Tights", 70, 80),
    (3, "Vests", 60, 70),
    (4, "Bike Racks", 110, 130),
    (4, "Bike Stands", 150, 165),
    (4, "Bottles and Cages", 4, 10),
    (4, "Cleaners", 7, 9),
    (4, "Fenders", 20, 24),
    (4, "Helmets", 33, 37),
    (4, "Hydration Packs", 50, 58),
    (4, "Lights", 13, 45),
    (4, "Locks", 22, 26),
    (4, "Panniers", 120, 130),
    (4, "Pumps", 19, 26),
    (4, "Tires and Tubes", 2, 36),
];

/// Parts that bikes are made of.
pub const PARTS: [&str; 19] = [
    "Axle",
    "Bearing",
    "Blade",
    "Bolt",
    "Cone",
    "Crown",
    "Cup",
    "Decal",
    "Ferrule",
    "Hub",
    "Keyed Washer",
    "Lock Nut",
    "Nipple",
    "Pivot",
    "Plate",
    "Rim",
    "Spoke",
    "Spring",
    "Steerer",
];

/// Series of products.
pub const SERIES: [&str; 8] =
    ["Alpine", "Breeze", "Comet", "Drift", "Ember", "Fjord", "Granite", "Harrier"];

/// Colours.
pub const COLORS: [&str; 8] =
    ["Black", "Blue", "Grey", "Multi", "Red", "Silver", "White", "Yellow"];

/// Offers: description, discount in ten-thousandths, type, category, least and most pieces (0: no
/// limit).
pub const OFFERS: [(&str, i64, &str, &str, i64, i64); 16] = [
    ("No Discount", 0, "No Discount", "No Discount", 0, 0),
    ("11 to 14 pieces", 200, "Volume Discount", "Reseller", 11, 14),
    ("15 to 24 pieces", 500, "Volume Discount", "Reseller", 15, 24),
    ("25 to 40 pieces", 1_000, "Volume Discount", "Reseller", 25, 40),
    ("41 to 60 pieces", 1_500, "Volume Discount", "Reseller", 41, 60),
    ("More than 60 pieces", 2_000, "Volume Discount", "Reseller", 61, 0),
    ("Mountain bikes, last year's", 3_500, "Discontinued Product", "Reseller", 0, 0),
    ("Helmets in spring", 1_000, "Seasonal Discount", "Reseller", 0, 0),
    ("Road bikes, last year's", 3_000, "Excess Inventory", "Reseller", 0, 0),
    ("Touring, new series", 1_500, "New Product", "Reseller", 0, 0),
    ("Tires in autumn", 5_000, "Excess Inventory", "Customer", 0, 0),
    ("Frames, clearance", 3_500, "Discontinued Product", "Reseller", 0, 0),
    ("Half the price", 5_000, "Promotional Discount", "Customer", 0, 0),
    ("Touring in winter", 2_000, "New Product", "Customer", 0, 0),
    ("Saddles, introduction", 1_000, "New Product", "Customer", 0, 0),
    ("Mountain frames, last ones", 4_000, "Discontinued Product", "Customer", 0, 0),
];
