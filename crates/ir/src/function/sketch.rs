//! How many different values there are: exact for few, then HyperLogLog (Flajolet and others, 2007)
//! with 2^14 registers, whose standard error is 0.8 %.

/// Bits of a hash that choose the register.
const INDEX_BITS: u32 = 14;
const REGISTERS: usize = 1 << INDEX_BITS;
/// As long as there are no more hashes than this they are kept as they are.
const EXACT_MAX: usize = 1024;

/// Which values were seen.
#[derive(Clone, Debug)]
pub enum Sketch {
    /// Their hashes, sorted.
    Exact(Vec<u64>),
    /// For each register the longest run of zeros of the hashes that fell to it, plus one.
    Registers(Box<[u8; REGISTERS]>),
}

impl Sketch {
    /// Bytes on the heap, for memory accounting.
    pub fn heap_bytes(&self) -> usize {
        match self {
            Sketch::Exact(hashes) => hashes.capacity() * size_of::<u64>(),
            Sketch::Registers(_) => REGISTERS,
        }
    }

    /// A value with this hash was seen.
    pub fn add(&mut self, hash: u64) {
        match self {
            Sketch::Exact(hashes) => {
                let Err(at) = hashes.binary_search(&hash) else { return };
                hashes.insert(at, hash);
                if hashes.len() > EXACT_MAX {
                    let mut registers = Box::new([0; REGISTERS]);
                    hashes.iter().for_each(|h| set(&mut registers, *h));
                    *self = Sketch::Registers(registers);
                }
            }
            Sketch::Registers(registers) => set(registers, hash),
        }
    }

    /// What another sketch has seen was seen.
    pub fn merge(&mut self, other: &Sketch) {
        match other {
            Sketch::Exact(hashes) => hashes.iter().for_each(|h| self.add(*h)),
            Sketch::Registers(theirs) => {
                let mut merged = theirs.clone();
                match self {
                    Sketch::Exact(hashes) => hashes.iter().for_each(|h| set(&mut merged, *h)),
                    Sketch::Registers(own) => {
                        merged.iter_mut().zip(own.iter()).for_each(|(m, o)| *m = (*m).max(*o));
                    }
                }
                *self = Sketch::Registers(merged);
            }
        }
    }

    /// How many different values were seen, about.
    pub fn count(&self) -> i64 {
        match self {
            Sketch::Exact(hashes) => hashes.len() as i64,
            Sketch::Registers(registers) => estimate(registers),
        }
    }
}

fn set(registers: &mut [u8; REGISTERS], hash: u64) {
    let index = (hash >> (64 - INDEX_BITS)) as usize;
    // The bit after the index ends the longest run there can be.
    let run = (hash << INDEX_BITS | 1 << (INDEX_BITS - 1)).leading_zeros() as u8 + 1;
    registers[index] = registers[index].max(run);
}

fn estimate(registers: &[u8; REGISTERS]) -> i64 {
    const COUNT: f64 = REGISTERS as f64;
    let correction = 0.7213 / (1.0 + 1.079 / COUNT);
    let sum: f64 = registers.iter().map(|run| (-f64::from(*run)).exp2()).sum();
    let raw = correction * COUNT * COUNT / sum;
    let empty = registers.iter().filter(|run| **run == 0).count();
    // While many registers are empty, their number says more.
    let estimate = match empty {
        1.. if raw <= 2.5 * COUNT => COUNT * (COUNT / empty as f64).ln(),
        _ => raw,
    };
    estimate.round() as i64
}
