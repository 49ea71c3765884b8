//! How the descriptions in backups, chains and detached databases are written: fields one after the
//! other.
//!
//! Numbers are little-endian; texts and bytes have their length before them, as a u32; lists have
//! their count, and options a byte that says whether there is a value.

/// Writes fields.
#[derive(Default)]
pub(crate) struct Writer(pub Vec<u8>);

/// Reads fields; everything is `None` after the end.
pub(crate) struct Reader<'a>(pub &'a [u8]);

impl Writer {
    pub fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    pub fn bool(&mut self, value: bool) {
        self.u8(value.into());
    }

    pub fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub fn u64(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub fn u128(&mut self, value: u128) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub fn bytes(&mut self, value: &[u8]) {
        self.u32(u32::try_from(value.len()).expect("fields are short"));
        self.0.extend_from_slice(value);
    }

    pub fn text(&mut self, value: &str) {
        self.bytes(value.as_bytes());
    }

    pub fn option<T>(&mut self, value: Option<T>, put: impl FnOnce(&mut Writer, T)) {
        self.bool(value.is_some());
        if let Some(value) = value {
            put(self, value);
        }
    }

    pub fn list<T>(
        &mut self,
        values: impl ExactSizeIterator<Item = T>,
        mut put: impl FnMut(&mut Writer, T),
    ) {
        self.u32(u32::try_from(values.len()).expect("lists are short"));
        values.for_each(|value| put(self, value));
    }
}

impl<'a> Reader<'a> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (value, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*value)
    }

    pub fn u8(&mut self) -> Option<u8> {
        self.array().map(|[value]| value)
    }

    pub fn bool(&mut self) -> Option<bool> {
        match self.u8()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub fn u128(&mut self) -> Option<u128> {
        self.array().map(u128::from_le_bytes)
    }

    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let len = self.u32()? as usize;
        let (value, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(value)
    }

    pub fn text(&mut self) -> Option<Box<str>> {
        std::str::from_utf8(self.bytes()?).ok().map(Box::from)
    }

    pub fn option<T>(
        &mut self,
        get: impl FnOnce(&mut Reader<'a>) -> Option<T>,
    ) -> Option<Option<T>> {
        match self.bool()? {
            true => get(self).map(Some),
            false => Some(None),
        }
    }

    pub fn list<T>(&mut self, mut get: impl FnMut(&mut Reader<'a>) -> Option<T>) -> Option<Vec<T>> {
        let count = self.u32()?;
        (0..count).map(|_| get(self)).collect()
    }

    /// `value`, if that was all.
    pub fn end<T>(&self, value: T) -> Option<T> {
        self.0.is_empty().then_some(value)
    }
}
