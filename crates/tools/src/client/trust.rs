//! Which certificates are accepted: the verifier for `rustls`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

use super::error::ClientError;
use super::options::Trust;

/// Where systems keep the certificate authorities that they trust.
const AUTHORITY_FILES: [&str; 4] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// The TLS configuration of a connection. `is_strict` for TLS before everything else, where any
/// version of TLS will do; within packets it is TLS 1.2, which all servers speak there.
pub(super) fn client_config(trust: &Trust, is_strict: bool) -> Result<ClientConfig, ClientError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions: &[_] = match is_strict {
        true => &[&rustls::version::TLS13, &rustls::version::TLS12],
        false => &[&rustls::version::TLS12],
    };
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(versions)
        .map_err(tls_error)?;
    let verifier: Arc<dyn ServerCertVerifier> = match trust {
        Trust::Any => Arc::new(Pinned { certificate: None, provider }),
        Trust::Certificate(file) => {
            let certificate = certificates(file)?.into_iter().next();
            let certificate = certificate.ok_or_else(|| no_certificate(file))?;
            Arc::new(Pinned { certificate: Some(certificate), provider })
        }
        Trust::Authorities { file, .. } => {
            let roots = Arc::new(authorities(file.as_deref())?);
            WebPkiServerVerifier::builder_with_provider(roots, provider)
                .build()
                .map_err(|error| ClientError::Tls(error.to_string()))?
        }
    };
    let mut config =
        builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth();
    if is_strict {
        config.alpn_protocols = vec![b"tds/8.0".to_vec()];
    }
    Ok(config)
}

/// The name that the server's certificate must have.
pub(super) fn server_name(trust: &Trust, host: &str) -> Result<ServerName<'static>, ClientError> {
    let name = match trust {
        Trust::Authorities { name: Some(name), .. } => name,
        _ => host,
    };
    ServerName::try_from(name.to_owned())
        .map_err(|_| ClientError::Tls(format!("'{name}' is no name that a certificate can have")))
}

fn tls_error(error: Error) -> ClientError {
    ClientError::Tls(error.to_string())
}

fn no_certificate(file: &Path) -> ClientError {
    ClientError::Tls(format!("there is no certificate in {}", file.display()))
}

fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, ClientError> {
    let read = CertificateDer::pem_file_iter(file).and_then(|found| found.collect());
    read.map_err(|error| ClientError::Tls(format!("{}: {error}", file.display())))
}

fn authorities(file: Option<&Path>) -> Result<RootCertStore, ClientError> {
    let found;
    let file = match file {
        Some(file) => file,
        None => {
            let named = std::env::var_os("SSL_CERT_FILE").map(PathBuf::from);
            let usual = || AUTHORITY_FILES.iter().map(PathBuf::from).find(|file| file.exists());
            found = named.or_else(usual).ok_or_else(|| {
                ClientError::Tls("this machine's certificate authorities were not found".into())
            })?;
            &found
        }
    };
    let mut roots = RootCertStore::empty();
    // Collections have certificates that the library does not take; the others count.
    let (added, _) = roots.add_parsable_certificates(certificates(file)?);
    if added == 0 { Err(no_certificate(file)) } else { Ok(roots) }
}

/// Accepts one certificate, or any; that the server has the key to it is checked either way.
#[derive(Debug)]
struct Pinned {
    certificate: Option<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match &self.certificate {
            Some(certificate) if certificate.as_ref() != end_entity.as_ref() => {
                Err(Error::General("the server has another certificate".into()))
            }
            _ => Ok(ServerCertVerified::assertion()),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
