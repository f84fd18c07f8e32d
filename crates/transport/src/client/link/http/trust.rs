//! The trusted certificates: public authorities, those of the system, and those that the user names.

use std::sync::{Arc, OnceLock};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

use crate::client::{Endpoint, Failure};

/// What to do about a server that does not speak TLS. Its answer is invalid, or there is none.
pub(super) const HINT_WITHOUT_TLS: &str = "a server without TLS needs http://";

/// The TLS configuration for `endpoint`.
pub(super) fn tls_config(endpoint: &Endpoint) -> Result<Arc<ClientConfig>, Failure> {
    static DEFAULT_CONFIG: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    if endpoint.insecure {
        return accept_any();
    }
    match (endpoint.roots.as_deref(), DEFAULT_CONFIG.get()) {
        (None, Some(config)) => Ok(Arc::clone(config)),
        (None, None) => verify_with(None).map(|config| Arc::clone(DEFAULT_CONFIG.get_or_init(|| config))),
        (Some(pem), _) => verify_with(Some(pem)),
    }
}

/// The certificates in `pem`; an error says what is wrong with them.
pub fn read_certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match found {
        Ok(found) if found.is_empty() => Err("there is no certificate in PEM".to_owned()),
        Ok(found) => Ok(found),
        Err(why) => Err(why.to_string()),
    }
}

/// What is wrong with TLS, and the repair.
pub(super) fn explain(why: &std::io::Error) -> String {
    let inner = why.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match inner {
        Some(rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer)) => {
            "its certificate was issued by an authority that is not trusted; name the authority's certificate with \
             --cacert FILE, or accept any certificate with --insecure"
                .to_owned()
        }
        Some(rustls::Error::InvalidCertificate(_)) => {
            format!("{why}; --insecure accepts any certificate")
        }
        Some(_) | None => format!("{why}; {HINT_WITHOUT_TLS}"),
    }
}

fn verify_with(pem: Option<&[u8]>) -> Result<Arc<ClientConfig>, Failure> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    // This honours SSL_CERT_FILE and SSL_CERT_DIR. On a system without a store the public authorities remain.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let unreadable = |why: &dyn std::fmt::Display| {
        Failure::Unusable(format!("a certificate that was to be trusted cannot be read: {why}"))
    };
    let given = pem.map(read_certificates).transpose().map_err(|why| unreadable(&why))?;
    for certificate in given.into_iter().flatten() {
        roots.add(certificate).map_err(|why| unreadable(&why))?;
    }
    let config = builder()?.with_root_certificates(roots).with_no_client_auth();
    Ok(Arc::new(config))
}

fn accept_any() -> Result<Arc<ClientConfig>, Failure> {
    let verifier = Arc::new(AcceptAny(Arc::new(rustls::crypto::ring::default_provider())));
    let config = builder()?.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth();
    Ok(Arc::new(config))
}

fn builder() -> Result<rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier>, Failure> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|why| Failure::Ours(why.to_string()))
}

/// Accepts every certificate. The signatures of the handshake must still match it.
#[derive(Debug)]
struct AcceptAny(Arc<CryptoProvider>);

impl ServerCertVerifier for AcceptAny {
    fn verify_server_cert(
        &self,
        _certificate: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
