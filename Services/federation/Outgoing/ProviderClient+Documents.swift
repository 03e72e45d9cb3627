import Contracts
import Crypto
import FoundationEssentials
import HTTPClient
import JOSE
import Vocabulary

extension ProviderClient {
    /// A cache of key sets.
    func keySets() -> RemoteDocumentCache<JWKSet> {
        RemoteDocumentCache(instant: instant) { url in
            let response = try await fetchDocument(url)
            do throws(JWTError) {
                let set = try JWKSet(json: response.body)
                // It would verify nothing, and replace one that does.
                guard !set.keys.isEmpty else { throw .malformed }
                return .init(document: set, maximumAge: Self.maximumAge(of: response))
            } catch {
                throw ServiceError(.providerUnavailable, "The key set of the provider is malformed.")
            }
        }
    }

    /// A cache of discovery documents, by their URLs.
    func discoveryDocuments(isDev: Bool) -> RemoteDocumentCache<DiscoveryDocument> {
        RemoteDocumentCache(instant: instant) { url in
            let response = try await fetchDocument(url)
            return .init(
                document: try DiscoveryDocument(json: response.body, from: url, isDev: isDev),
                maximumAge: Self.maximumAge(of: response))
        }
    }

    /// A certificate in DER form.
    func fetchCertificate(_ url: String) async throws -> RemoteDocumentCache<Certificate>.Fetched {
        let response = try await fetchDocument(url, type: "*/*")
        do throws(CertificateError) {
            return .init(
                document: try Certificate(der: Array(response.body)), maximumAge: Self.maximumAge(of: response))
        } catch {
            throw ServiceError(.providerUnavailable, "The certificate of the provider is malformed.")
        }
    }

    private func fetchDocument(
        _ url: String, type: String = "application/json"
    ) async throws(ServiceError) -> HTTPClientResponse {
        let response = try await send(HTTPClientRequest(.get, url, headers: [("Accept", type)]), .document)
        guard response.status == 200 else { throw .providerUnreachable }
        return response
    }

    private static func maximumAge(of response: HTTPClientResponse) -> Duration? {
        CacheControl.maximumAge(response.header("cache-control"))
    }
}
