import Contracts
import Crypto
import FoundationEssentials
import JOSE
import JSON
import TestSupport
import Vocabulary

@testable import IdentityService

/// A service account with its private key, as an operator's backend has it.
struct ServiceAccountSigner {
    var email = "robot@demo.example"
    var keyID = "key-1"
    var project = IdentityFixture.realm.project
    let key: PrivateKey

    /// - Parameter keyName: signers with different names have different keys.
    init(keyName: String = "first", _ change: (inout ServiceAccountSigner) -> Void = { _ in }) throws {
        key = try TestKey.rsa(keyName)
        change(&self)
    }

    var registration: Identity.ServiceAccountKey {
        get throws {
            .init(
                email: email, keyID: keyID, project: project,
                publicKey: Base64URL.encode(try key.publicKey.subjectPublicKeyInfo))
        }
    }

    /// A custom token as client libraries create it, with some claims changed; `null` removes a claim.
    func customToken(_ uid: String?, at now: Moment, _ changes: [String: JSONValue] = [:]) throws -> Secret<String> {
        var claims: [String: JSONValue] = [
            "iss": .string(email), "sub": .string(email), "aud": .string(CustomTokenClaims.audience),
            "iat": .integer(now.timestamp.seconds), "exp": .integer(now.timestamp.seconds + 3600),
        ]
        claims["uid"] = uid.map(JSONValue.string)
        return Secret(try sign(claims.merging(changes) { $1 }.filter { $0.value != .null }))
    }

    /// An assertion for an access token, as Google's libraries create it.
    func assertion(at now: Moment, _ changes: [String: JSONValue] = [:]) throws -> Secret<String> {
        let claims: [String: JSONValue] = [
            "iss": .string(email), "aud": .string(ServiceAccountTests.endpoint),
            "iat": .integer(now.timestamp.seconds), "exp": .integer(now.timestamp.seconds + 3600),
            "scope": .string("https://www.googleapis.com/auth/cloud-platform"),
        ]
        return Secret(try sign(claims.merging(changes) { $1 }.filter { $0.value != .null }))
    }

    func sign(_ claims: [String: JSONValue]) throws -> String {
        try JWT.sign(claims: WireJSON.encode(claims), keyID: keyID, with: key)
    }
}

extension IdentityFixture {
    func register(_ signer: ServiceAccountSigner) async throws {
        _ = try await send(Identity.AddServiceAccountKey(key: signer.registration))
    }

    func exchange(_ token: Secret<String>?, in realm: Realm = realm) async throws
        -> Identity.SignInWithCustomToken.Reply
    {
        try await send(Identity.SignInWithCustomToken(realm: realm, token: token))
    }

    /// A new tenant where every sign-in method is enabled unless `change` disables it.
    func makeTenant(_ change: (inout TenantConfiguration) -> Void = { _ in }) async throws -> Realm {
        var configuration = TenantConfiguration()
        configuration.displayName = "Acme-Corp"
        configuration.allowPasswordSignup = true
        configuration.enableEmailLinkSignin = true
        configuration.enableAnonymousUser = true
        change(&configuration)
        let tenant = try await send(
            Identity.CreateTenant(project: Self.realm.project, configuration: configuration))
        return Realm(project: Self.realm.project, tenant: tenant.id)
    }

    func changeTenant(_ realm: Realm, _ change: (inout TenantConfiguration) -> Void) async throws {
        let tenant = realm.tenant ?? TenantID("")
        let current = try await send(Identity.ReadTenant(project: realm.project, tenant: tenant))
        var configuration = current.configuration
        change(&configuration)
        _ = try await send(
            Identity.ReplaceTenant(
                project: realm.project, tenant: tenant, configuration: configuration,
                expectedRevision: current.revision))
    }
}
