//! The server's certificate, and what TLS is spoken with.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use env::{Env, FileError};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::NoServerSessionStorage;

use crate::config::Config;

/// The application protocol by which clients of TDS 8.0 begin.
pub const TDS_8: &[u8] = b"tds/8.0";

const CERTIFICATE_FILE: &str = "server-certificate.pem";
const KEY_FILE: &str = "server-key.pem";

/// Why there is no TLS.
#[derive(Debug)]
pub enum CertificateError {
    /// A file could not be read or written.
    File(FileError),
    /// A file does not hold what it should.
    Content(PathBuf, String),
    /// Certificate and key do not fit, or are of a kind that is not supported.
    Tls(String),
    /// A certificate could not be made.
    Made(rcgen::Error),
    /// One of the two files is configured and the other is not.
    Half,
}

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CertificateError::File(error) => error.fmt(f),
            CertificateError::Content(path, what) => write!(f, "{}: {what}", path.display()),
            CertificateError::Tls(error) => write!(f, "the certificate cannot be used: {error}"),
            CertificateError::Made(error) => write!(f, "no certificate could be made: {error}"),
            CertificateError::Half => {
                write!(f, "tls_certificate and tls_key must be set together")
            }
        }
    }
}

impl std::error::Error for CertificateError {}

impl From<FileError> for CertificateError {
    fn from(error: FileError) -> CertificateError {
        CertificateError::File(error)
    }
}

/// How TLS is spoken with clients.
#[derive(Clone)]
pub struct Tls {
    /// Within packets, up to TDS 7.4. TLS 1.2 alone: in 1.3 the server goes on after the handshake
    /// with messages that have no place where the login alone is encrypted.
    pub within_packets: Arc<ServerConfig>,
    /// Before everything else: TDS 8.0.
    pub strict: Arc<ServerConfig>,
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("Tls")
    }
}

impl Tls {
    /// With the configured certificate, or with the one in the data directory, which is made if
    /// there is none yet.
    ///
    /// # Errors
    /// Files that cannot be read or do not fit together.
    pub fn load(env: &Env, config: &Config) -> Result<Tls, CertificateError> {
        let (certificate, key) = match (&config.tls_certificate, &config.tls_key) {
            (Some(certificate), Some(key)) => (certificate.clone(), key.clone()),
            (None, None) => own_files(env, &config.data)?,
            _ => return Err(CertificateError::Half),
        };
        let chain = read_chain(env, &certificate)?;
        let key_bytes = env.fs().read(&key)?;
        let key = PrivateKeyDer::from_pem_slice(&key_bytes)
            .map_err(|error| CertificateError::Content(key, error.to_string()))?;
        Tls::with(chain, key)
    }

    fn with(
        chain: Vec<CertificateDer<'static>>,
        key: PrivateKeyDer<'static>,
    ) -> Result<Tls, CertificateError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let build = |versions: &[&'static rustls::SupportedProtocolVersion]| {
            let config = ServerConfig::builder_with_provider(provider.clone())
                .with_protocol_versions(versions)?
                .with_no_client_auth()
                .with_single_cert(chain.clone(), key.clone_key());
            config.map(without_resumption)
        };
        let fail = |error: rustls::Error| CertificateError::Tls(error.to_string());
        let within_packets = build(&[&rustls::version::TLS12]).map_err(fail)?;
        let both = [&rustls::version::TLS13, &rustls::version::TLS12];
        let mut strict = build(&both).map_err(fail)?;
        strict.alpn_protocols = vec![TDS_8.to_vec()];
        Ok(Tls { within_packets: Arc::new(within_packets), strict: Arc::new(strict) })
    }
}

/// Clients of databases do not resume TLS sessions, and what is kept for it costs memory.
fn without_resumption(mut config: ServerConfig) -> ServerConfig {
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    config
}

fn read_chain(env: &Env, path: &Path) -> Result<Vec<CertificateDer<'static>>, CertificateError> {
    let bytes = env.fs().read(path)?;
    let content = |what: String| CertificateError::Content(path.into(), what);
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&bytes).collect();
    match chain {
        Ok(chain) if chain.is_empty() => Err(content("it holds no certificate".into())),
        Ok(chain) => Ok(chain),
        Err(error) => Err(content(error.to_string())),
    }
}

/// The certificate in the data directory, made if there is none.
fn own_files(env: &Env, data: &Path) -> Result<(PathBuf, PathBuf), CertificateError> {
    let (certificate, key) = (data.join(CERTIFICATE_FILE), data.join(KEY_FILE));
    if !env.fs().exists(&certificate)? || !env.fs().exists(&key)? {
        make(env, data, &certificate, &key)?;
    }
    Ok((certificate, key))
}

/// Makes a key and a certificate that it has signed itself. The certificate comes last, so that a
/// crash in between makes both anew.
fn make(env: &Env, data: &Path, certificate: &Path, key: &Path) -> Result<(), CertificateError> {
    let mut names = vec!["localhost".to_string(), "127.0.0.1".into(), "::1".into()];
    names.extend(crate::machine::host_name(env));
    let made = rcgen::generate_simple_self_signed(names).map_err(CertificateError::Made)?;
    let fs = env.fs();
    for stale in [certificate, key] {
        if fs.exists(stale)? {
            fs.remove_file(stale)?;
        }
    }
    fs.write_new(key, made.signing_key.serialize_pem().as_bytes())?;
    fs.write_new(certificate, made.cert.pem().as_bytes())?;
    fs.sync_dir(data)?;
    Ok(())
}

/// The files of an own certificate, by which a data directory is recognised.
pub fn is_own_file(name: &str) -> bool {
    name == CERTIFICATE_FILE || name == KEY_FILE
}
