import Contracts
import Crypto
import HTTPClient
import Vocabulary

/// Fetches the certificates of Game Center and verifies that they are Apple's: the host, the path to a trust anchor, the
/// organization and the usage.
struct GameCenterCertificates: Sendable {
    /// A certificate that leads to a trust anchor.
    struct Verified: Sendable {
        let certificate: Certificate
        let key: PublicKey
    }

    private let cache: RemoteDocumentCache<Verified>
    private let now: @Sendable () -> Moment

    init(
        client: ProviderClient, anchors: GameCenterAnchors, now: @escaping @Sendable () -> Moment,
        metrics: FederationMetrics
    ) {
        self.now = now
        let issuers = RemoteDocumentCache(instant: client.instant) { url in try await client.fetchCertificate(url) }
        cache = RemoteDocumentCache(instant: client.instant) { url in
            let fetched = try await client.fetchCertificate(url)
            let path = CertificatePath(anchors: await anchors.trustAnchors(), issuers: issuers)
            do throws(CertificateError) {
                let verified = try await path.verify(fetched.document, at: now().timestamp.seconds)
                return .init(document: verified, maximumAge: fetched.maximumAge)
            } catch {
                metrics.recordUntrustedCertificate(from: WebURL(url)?.host ?? "", reason: error.reason)
                throw ServiceError.untrustedCertificate
            }
        }
    }

    /// The key of a certificate.
    /// - Throws: `invalidProviderResponse` for a URL that is not Apple's, `providerUnavailable`.
    func key(at url: String) async throws -> PublicKey {
        guard GameCenterURL.isCertificate(url) else {
            throw ServiceError(.invalidProviderResponse, "publicKeyUrl is not an address of Game Center.")
        }
        let verified = try await cache.document(at: url).document
        guard verified.certificate.isValid(at: now().timestamp.seconds) else { throw ServiceError.untrustedCertificate }
        return verified.key
    }
}

extension ServiceError {
    fileprivate static let untrustedCertificate = ServiceError(
        .providerUnavailable, "The certificate of Game Center is not trusted.")
}

/// The path from a certificate of Game Center to a trust anchor.
private struct CertificatePath: Sendable {
    let anchors: TrustAnchors
    let issuers: RemoteDocumentCache<Certificate>

    /// Certificates between Apple's and the trust anchor. There is one today.
    private static let maximumIntermediates = 3
    private static let organization = "Apple Inc."
    private static let codeSigning: OID = "1.3.6.1.5.5.7.3.3"

    func verify(
        _ certificate: Certificate, at seconds: Int64
    ) async throws(CertificateError) -> GameCenterCertificates.Verified {
        guard certificate.subject.values(of: CertificateName.organization) == [Self.organization] else {
            throw .untrusted("another organization")
        }
        guard try certificate.extendedKeyUsage?.contains(Self.codeSigning) == true else {
            throw .untrusted("another usage")
        }
        var intermediates: [Certificate] = []
        while true {
            do throws(CertificateError) {
                try anchors.verify(certificate, intermediates: intermediates, at: seconds)
                break
            } catch .untrusted(let reason) {
                guard intermediates.count < Self.maximumIntermediates,
                    let issuer = await issuer(of: intermediates.last ?? certificate)
                else { throw .untrusted(reason) }
                intermediates.append(issuer)
            }
        }
        // `try?`: any other key is refused.
        guard let key = try? PublicKey(subjectPublicKeyInfo: certificate.subjectPublicKeyInfo),
            key.algorithm == .rs256
        else { throw .untrusted("the key is not an RSA key") }
        return .init(certificate: certificate, key: key)
    }

    /// - Returns: nil if it cannot be fetched.
    private func issuer(of certificate: Certificate) async -> Certificate? {
        guard let url = certificate.issuerURLs.lazy.compactMap(GameCenterURL.issuer).first else { return nil }
        // `try?`: the caller reports the missing certificate.
        return try? await issuers.document(at: url).document
    }
}

extension CertificateError {
    /// For the log.
    fileprivate var reason: String {
        switch self {
        case .malformed: "malformed"
        case .untrusted(let reason), .failure(let reason): reason
        }
    }
}
