//! Nodes of trees: `hierarchyid`.

use super::{Source, literal};

const PATHS: &[&str] = &[
    "/",
    "/1/",
    "/1/2/",
    "/1/2/3/",
    "/2/",
    "/0/",
    "/-1/",
    "/1.5/",
    "/1.1.1/",
    "/1.-7/",
    "/281479271683151/",
    "/-281479271682120/",
    "/281479271683152/",
    "",
    "1",
    "//",
    "/1",
    "/a/",
    "/01/",
    "/ 1/",
    "/1..2/",
    "/1./",
    "/+1/",
    "/1/2",
];

impl Source<'_> {
    fn node(&mut self) -> String {
        match self.rng.between(0, 12) {
            0 => "hierarchyid::GetRoot()".into(),
            1 => self.any(),
            2 => "CAST(NULL AS hierarchyid)".into(),
            3 => {
                let bytes = self.rng.one(&[
                    "0x",
                    "0x58",
                    "0x5AC0",
                    "0x00",
                    "0xFF",
                    "0x5B5A",
                    "0xFFFFFFFFFFFFFFFFFF",
                    "0x0123456789",
                ]);
                format!("CAST({bytes} AS hierarchyid)")
            }
            4 => format!(
                "hierarchyid::Parse('/' + REPLICATE('{}/', {}))",
                self.rng.one(&["1", "1.1", "-8000"]),
                self.rng.one(&[3, 100, 400, 1_427, 1_428, 5_000])
            ),
            _ => {
                let mut path = self.rng.one(PATHS).to_owned();
                if self.rng.once_in(3) {
                    path += &format!("{}/", self.rng.between(0, 90_000));
                }
                format!("hierarchyid::Parse({})", literal(&path, self.rng.once_in(2)))
            }
        }
    }

    /// A call of a member.
    pub fn node_call(&mut self) -> String {
        let (a, b, c) = (self.node(), self.node(), self.node());
        let a = format!("CAST({a} AS hierarchyid)");
        match self.rng.between(0, 9) {
            0 => format!("{a}.ToString()"),
            1 => format!("{a}.GetLevel()"),
            2 => format!(
                "{a}.GetAncestor({}).ToString()",
                self.rng.one(&["0", "1", "-1", "2147483647", "NULL", "5"])
            ),
            3 => format!("{a}.IsDescendantOf({b})"),
            4 => format!("{a}.GetDescendant({b}, {c}).ToString()"),
            5 => format!("{a}.GetDescendant({a}.GetDescendant(NULL, NULL), NULL).ToString()"),
            6 => format!("{a}.GetReparentedValue({b}, {c}).ToString()"),
            7 => format!("CASE WHEN {a} < {b} THEN 1 ELSE 0 END"),
            _ => format!("CAST({a} AS varbinary(892))"),
        }
    }
}
