//! How the passwords of logins are kept and checked.
//!
//! What is stored is a salt and what PBKDF2 with HMAC-SHA-512 makes of the password and the salt.
//! That takes some fifty milliseconds of a processor, which is intended, but too much for thousands
//! of clients that connect at once. So a password that was right before is recognised by a faster
//! hash: HMAC-SHA-256 under a key that is made anew at every start and never leaves the memory of
//! the process. Wrong passwords always take the slow check.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::Mutex;

use env::Env;
use ring::{hmac, pbkdf2};
use session::instance::login::Passwords;

/// The first byte of a stored hash: this form.
const FORM: u8 = 1;
const SALT_LEN: usize = 32;
const HASH_LEN: usize = 64;
/// Form, rounds, salt, hash.
const STORED_LEN: usize = 1 + 4 + SALT_LEN + HASH_LEN;
/// What OWASP asked for in 2023 is 210,000; SQL Server uses 100,000.
const ROUNDS: u32 = 100_000;
/// Passwords that are recognised fast; more than logins that people really use.
const RECOGNISED_MAX: usize = 4096;

static ALGORITHM: pbkdf2::Algorithm = pbkdf2::PBKDF2_HMAC_SHA512;

/// Hashes passwords and checks them.
pub struct PasswordHasher {
    env: Env,
    rounds: NonZeroU32,
    key: hmac::Key,
    /// Fast hashes of right passwords, each with the stored hash that it belongs to.
    recognised: Mutex<HashMap<[u8; 32], Box<[u8]>>>,
}

impl PasswordHasher {
    /// A hasher with salts and key from this environment.
    pub fn new(env: &Env) -> PasswordHasher {
        PasswordHasher::with_rounds(env, ROUNDS)
    }

    fn with_rounds(env: &Env, rounds: u32) -> PasswordHasher {
        let mut key = [0; 32];
        env.rng().fill(&mut key);
        PasswordHasher {
            env: env.clone(),
            rounds: NonZeroU32::new(rounds).expect("a constant above 0"),
            key: hmac::Key::new(hmac::HMAC_SHA256, &key),
            recognised: Mutex::default(),
        }
    }

    /// Whether [`Passwords::verify`] will say yes to this at once.
    pub fn recognises(&self, password: &str, stored: &[u8]) -> bool {
        let known = self.recognised.lock().unwrap_or_else(|e| e.into_inner());
        known.get(&self.fast_hash(password, stored)).is_some_and(|of| **of == *stored)
    }

    fn fast_hash(&self, password: &str, stored: &[u8]) -> [u8; 32] {
        let mut context = hmac::Context::with_key(&self.key);
        context.update(stored);
        context.update(password.as_bytes());
        context.sign().as_ref().try_into().expect("HMAC-SHA-256 gives 32 bytes")
    }

    fn remember(&self, password: &str, stored: &[u8]) {
        let mut known = self.recognised.lock().unwrap_or_else(|e| e.into_inner());
        if known.len() >= RECOGNISED_MAX {
            known.clear();
        }
        known.insert(self.fast_hash(password, stored), stored.into());
    }

    /// A password that is stored, not remembered: 24 characters of 57, about 140 bits. It has upper
    /// and lower case letters and digits, as password policies demand.
    pub fn generate(env: &Env) -> String {
        const LETTERS: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789";
        loop {
            let mut bytes = [0; 24];
            env.rng().fill(&mut bytes);
            // The remainder favours some letters by a quarter, which costs two bits in all.
            let letter = |byte: u8| char::from(LETTERS[usize::from(byte) % LETTERS.len()]);
            let password: String = bytes.into_iter().map(letter).collect();
            let kinds: [fn(&char) -> bool; 3] =
                [char::is_ascii_uppercase, char::is_ascii_lowercase, char::is_ascii_digit];
            if kinds.iter().all(|is_kind| password.chars().any(|c| is_kind(&c))) {
                return password;
            }
        }
    }
}

impl Passwords for PasswordHasher {
    fn hash(&self, password: &str) -> Box<[u8]> {
        let mut salt = [0; SALT_LEN];
        self.env.rng().fill(&mut salt);
        let mut hash = [0; HASH_LEN];
        pbkdf2::derive(ALGORITHM, self.rounds, &salt, password.as_bytes(), &mut hash);
        let rounds = self.rounds.get().to_le_bytes();
        [&[FORM][..], &rounds, &salt, &hash].concat().into()
    }

    fn verify(&self, password: &str, stored: &[u8]) -> bool {
        if self.recognises(password, stored) {
            return true;
        }
        let Some(Stored { rounds, salt, hash }) = Stored::parse(stored) else {
            // No login has this password; that takes as long as finding out that it is wrong.
            let mut unused = [0; HASH_LEN];
            let salt = [0; SALT_LEN];
            pbkdf2::derive(ALGORITHM, self.rounds, &salt, password.as_bytes(), &mut unused);
            return false;
        };
        let right = pbkdf2::verify(ALGORITHM, rounds, salt, password.as_bytes(), hash).is_ok();
        if right {
            self.remember(password, stored);
        }
        right
    }
}

/// A hash as it is stored.
struct Stored<'a> {
    rounds: NonZeroU32,
    salt: &'a [u8],
    hash: &'a [u8],
}

impl Stored<'_> {
    fn parse(stored: &[u8]) -> Option<Stored<'_>> {
        if stored.len() != STORED_LEN || stored[0] != FORM {
            return None;
        }
        let (rounds, rest) = stored[1..].split_first_chunk::<4>()?;
        let (salt, hash) = rest.split_at(SALT_LEN);
        let rounds = NonZeroU32::new(u32::from_le_bytes(*rounds))?;
        Some(Stored { rounds, salt, hash })
    }
}

#[cfg(test)]
mod tests;
