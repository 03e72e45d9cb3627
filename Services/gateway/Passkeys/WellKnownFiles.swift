import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import Vocabulary

extension IdentityToolkit {
    /// The files by which browsers, operating systems and password managers find the origins, apps and pages of a
    /// relying party. They describe the default project (`LATCHKEY_PROJECT`): a host has one relying party.
    static let wellKnownFiles: [Route] = [
        // Apple's associated domains: apps that may use passkeys of this host.
        file("apple-app-site-association") { party, _ in
            party.appleApps.isEmpty ? nil : AppleAppSiteAssociation(webcredentials: .init(apps: party.appleApps))
        },
        // Google's Digital Asset Links, for Android apps.
        file("assetlinks.json") { party, _ in party.androidApps.compactMap(AssetLink.init).nilIfEmpty },
        // Related origins (WebAuthn 5.11).
        file("webauthn") { party, _ in
            party.relatedOrigins.isEmpty ? nil : RelatedOrigins(origins: party.relatedOrigins)
        },
        // W3C, A Well-Known URL for Passkey Endpoints.
        file("passkey-endpoints") { party, call in
            func page(_ path: String) async throws -> String? {
                try await call.accountPage(of: call.settings.project, path).map { call.settings.publicURL + $0 }
            }
            var endpoints = PasskeyEndpoints(enroll: party.enrollURL, manage: party.manageURL)
            if endpoints.enroll == nil { endpoints.enroll = try await page(AccountPages.passkeyPath) }
            if endpoints.manage == nil { endpoints.manage = try await page(AccountPages.securityPath) }
            return endpoints.enroll == nil && endpoints.manage == nil ? nil : endpoints
        },
    ]

    /// How long caches may serve a file after the configuration changed.
    private static let cacheSeconds = 300

    /// - Parameter content: of the file; nil if the relying party has none, and then the response is 404.
    private static func file(
        _ name: String,
        content: @escaping @Sendable (Passkey.DescribeRelyingParty.Reply, Call) async throws -> (any Encodable)?
    ) -> Route {
        Route(.get, .local("/.well-known/\(name)"), .v1, .unauthenticated) { call in
            guard let party = try await relyingParty(call), let content = try await content(party, call) else {
                throw APIError.pathNotFound
            }
            // Without a charset: the readers of these files compare the media type, and JSON is UTF-8 (RFC 8259 §11).
            return HTTPResponse(
                status: 200, headers: [("Content-Type", "application/json")], body: try WireJSON.encodeSorted(content)
            ).cached(seconds: cacheSeconds)
        }
    }

    /// Nil if there is no default project, or if it has no passkeys.
    private static func relyingParty(_ call: Call) async throws -> Passkey.DescribeRelyingParty.Reply? {
        guard let project = call.settings.project else { return nil }
        do {
            return try await call.send(Passkey.DescribeRelyingParty(realm: Realm(project: project)))
        } catch let error as ServiceError where error.code == .passkeysNotEnabled || error.code == .projectNotFound {
            return nil
        }
    }
}

private struct AppleAppSiteAssociation: Encodable {
    struct WebCredentials: Encodable {
        var apps: [String]
    }
    var webcredentials: WebCredentials
}

private struct AssetLink: Encodable {
    struct Target: Encodable {
        var namespace = "android_app"
        var packageName: String
        var sha256CertFingerprints: [String]

        enum CodingKeys: String, CodingKey {
            case namespace, packageName = "package_name", sha256CertFingerprints = "sha256_cert_fingerprints"
        }
    }
    /// Sharing of sign-in credentials alone: links of the site are not opened by the app.
    var relation = ["delegate_permission/common.get_login_creds"]
    var target: Target

    /// Nil for an incomplete entry, which identity does not store.
    init?(_ app: ProjectConfiguration.Passkeys.AndroidApp) {
        guard let name = app.packageName, let fingerprints = app.sha256CertFingerprints else { return nil }
        target = Target(packageName: name, sha256CertFingerprints: fingerprints)
    }
}

private struct RelatedOrigins: Encodable {
    var origins: [String]
}

private struct PasskeyEndpoints: Encodable {
    var enroll: String?
    var manage: String?
}
