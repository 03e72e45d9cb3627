import Contracts
import FoundationEssentials
import HTTPServer
import Synchronization
import Vocabulary

/// The logos of projects and tenants, for pages and mails. The digest in the path names the content, so a browser never
/// asks again, and the path says nothing about the user.
enum LogoRoute {
    static let folder = "/__/auth/logo/"

    static let routes: [Route] = [
        Route(.get, .local("\(folder){logo}"), .v1, .unauthenticated) { call in
            guard let digest = call.values[.logo], digest.utf8.count == 64, digest.isASCIIHexadecimal,
                let picture = try await picture(digest.asciiLowercased, call)
            else { throw APIError.pathNotFound }
            return HTTPResponse(
                status: 200,
                headers: [
                    ("Content-Type", picture.mediaType),
                    ("Cache-Control", "public, max-age=31536000, immutable"),
                    // A document would run nothing (security rule HT8); mail readers show it at other origins.
                    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox"),
                    ("Cross-Origin-Resource-Policy", "cross-origin"),
                ], body: Data(picture.content.bytes))
        }
    ]

    private static func picture(_ digest: String, _ call: Call) async throws -> Identity.ReadLogo.Picture? {
        if let picture = call.gateway.logos[digest] { return picture }
        let picture = try await call.send(Identity.ReadLogo(digest: digest)).picture
        if let picture { call.gateway.logos.insert(picture, digest) }
        return picture
    }
}

/// The logos that were asked for last, by their digests. Content never changes, so nothing is invalidated.
final class LogoCache: Sendable {
    /// Each has at most 32 KB.
    private static let capacity = 32

    private let pictures = Mutex(LRUCache<String, Identity.ReadLogo.Picture>(capacity: capacity))

    subscript(digest: String) -> Identity.ReadLogo.Picture? { pictures.withLock { $0[digest] } }

    func insert(_ picture: Identity.ReadLogo.Picture, _ digest: String) {
        pictures.withLock { $0.set(picture, for: digest) }
    }
}
