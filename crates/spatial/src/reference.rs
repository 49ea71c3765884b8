//! `sys.spatial_reference_systems`: the ellipsoids of geographies.

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
}

/// All systems, by rising SRID.
pub fn systems() -> &'static [System] {
    &[]
}
