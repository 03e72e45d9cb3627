import Contracts
import HTTPServer
import Vocabulary

extension IdentityToolkit {
    private static let signer = "securetoken@system.gserviceaccount.com"
    private static let jwkPath = "/service_accounts/v1/jwk/\(signer)"

    /// `iss` of the ID tokens of a project.
    static func issuer(of project: ProjectID) -> String { "https://securetoken.google.com/\(project)" }

    /// The documents that token verifiers fetch (tokens 6).
    static let publishedKeys: [Route] = [
        Route(.get, [.init(.googleAPIs, "/robot/v1/metadata/x509/\(signer)")], .v1, .unauthenticated) { call in
            try await certificates(.idToken, call)
        },
        Route(.get, [.init(.googleAPIs, jwkPath)], .v1, .unauthenticated) { call in try await keySet(.idToken, call) },
        Route(.get, .v1("publicKeys", v3: "publicKeys"), .v1, .unauthenticated) { call in
            try await certificates(.sessionCookie, call)
        },
        Route(.get, .v1("sessionCookiePublicKeys"), .v1, .unauthenticated) { call in
            try await keySet(.sessionCookie, call)
        },
        Route(
            .get, [.init(.tokenIssuer, "/{project}/.well-known/openid-configuration")], .v1, .unauthenticated
        ) { call in
            let document = Discovery(
                issuer: issuer(of: try call.project()),
                jwksURI: "\(call.settings.publicURL)/\(APIHost.googleAPIs.rawValue)\(jwkPath)")
            return .json(document).cached(seconds: 3600)
        },
    ]

    private static func certificates(
        _ purpose: Identity.ListSigningKeys.Purpose, _ call: Call
    ) async throws -> HTTPResponse {
        let reply = try await call.send(Identity.ListSigningKeys(purpose: purpose))
        let byID = reply.keys.map { ($0.id.rawValue, $0.certificatePEM) }
        return .json(Dictionary(byID) { first, _ in first }).cached(seconds: reply.maximumAgeSeconds)
    }

    private static func keySet(_ purpose: Identity.ListSigningKeys.Purpose, _ call: Call) async throws -> HTTPResponse {
        let reply = try await call.send(Identity.ListSigningKeys(purpose: purpose))
        return .json(KeySet(keys: reply.keys.map(KeySet.Key.init))).cached(seconds: reply.maximumAgeSeconds)
    }
}

/// RFC 7517.
private struct KeySet: Encodable {
    struct Key: Encodable {
        var kty = "RSA"
        var alg = "RS256"
        var use = "sig"
        var kid: String
        var n: String
        var e: String

        init(_ key: Identity.PublishedKey) {
            kid = key.id.rawValue
            n = key.modulus
            e = key.exponent
        }
    }
    var keys: [Key]
}

/// OpenID Connect Discovery 1.0 §3, as far as it applies: there is no authorization endpoint.
private struct Discovery: Encodable {
    var issuer: String
    var jwksURI: String
    var responseTypes = ["id_token"]
    var subjectTypes = ["public"]
    var signingAlgorithms = ["RS256"]

    enum CodingKeys: String, CodingKey {
        case issuer, jwksURI = "jwks_uri", responseTypes = "response_types_supported"
        case subjectTypes = "subject_types_supported", signingAlgorithms = "id_token_signing_alg_values_supported"
    }
}
