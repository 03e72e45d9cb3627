import Crypto
import Foundation
import HTTPClient
import JSON
import LatchkeyAuth
import TestSupport
import Vocabulary

/// A mesh whose identity providers run in the test, and its users.
struct ProviderTestClient: Sendable {
    static let openID = "oidc.test"
    static let bundleID = "com.example.game"

    /// How users sign in.
    enum Method: CaseIterable, Sendable {
        case apple, facebookAccessToken, facebookLimitedLogin, gitHub, google, googleAccessToken, linkedIn, microsoft
        case openID

        var providerID: String {
            switch self {
            case .apple: "apple.com"
            case .facebookAccessToken, .facebookLimitedLogin: "facebook.com"
            case .gitHub: "github.com"
            case .google, .googleAccessToken: "google.com"
            case .linkedIn: "linkedin.com"
            case .microsoft: "microsoft.com"
            case .openID: ProviderTestClient.openID
            }
        }
    }

    let mesh: RunningMesh
    let providers: FakeProviders
    let gameCenter: GameCenterSigner
    /// Every credential that a client has sent.
    let credentials = Tally<String>()

    var client: MeshClient { mesh.client }

    // MARK: Configuration

    private static let owner = [(name: "Authorization", value: "Bearer owner")]

    /// Configures all providers of the project.
    func configure() async throws {
        let providers = ["apple.com", "facebook.com", "github.com", "google.com", "linkedin.com", "microsoft.com"]
        for id in providers {
            try await create(
                "defaultSupportedIdpConfigs?idpId=\(id)",
                ["clientId": .string(FakeProviders.clientID), "clientSecret": .string(FakeProviders.appSecret)])
        }
        try await create("defaultSupportedIdpConfigs?idpId=gc.apple.com", ["clientId": .string(Self.bundleID)])
        try await configureSAML()
        try await create(
            "oauthIdpConfigs?oauthIdpConfigId=\(Self.openID)",
            ["clientId": .string(FakeProviders.clientID), "issuer": .string(self.providers.base)])
    }

    func create(_ path: String, _ fields: [String: JSONValue]) async throws {
        let response = try await client.send(
            .post, "/admin/v2/projects/demo-latchkey/\(path)",
            .object(fields.merging(["enabled": .bool(true)]) { $1 }), headers: Self.owner)
        guard response.status == 200 else { throw RunningMesh.Failure(response.summary) }
    }

    /// Gives an account the identity of every provider, as an administrator can.
    func link(_ accountID: String, subject: String) async throws {
        for id in Set(Method.allCases.map(\.providerID)).union(["gc.apple.com"]) {
            let response = try await client.send(
                .post, "/identitytoolkit.googleapis.com/v1/projects/demo-latchkey/accounts:update",
                .object([
                    "localId": .string(accountID),
                    "linkProviderUserInfo": .object(["providerId": .string(id), "rawId": .string(subject)]),
                ]), headers: Self.owner)
            guard response.status == 200 else { throw RunningMesh.Failure(response.summary) }
        }
    }

    // MARK: Sign-in

    /// The parameters that an application receives from the provider's library.
    /// - Parameter subject: of digits, as the IDs of GitHub are numbers; ignored by Facebook's access token.
    func parameters(
        _ method: Method, subject: String, _ claims: [String: JSONValue] = [:]
    ) throws -> [String: String] {
        var claims = claims
        claims["sub"] = .string(subject)
        func token(_ issuer: String?) throws -> String {
            try providers.token(issuer: issuer, at: Self.now, claims)
        }
        switch method {
        case .apple: return ["id_token": try token("https://appleid.apple.com")]
        case .facebookAccessToken: return ["access_token": "EAA\(UUID().uuidString)"]
        case .facebookLimitedLogin:
            let nonce = UUID().uuidString
            claims["nonce"] = .string(SHA2.sha256(Array(nonce.utf8)).hexadecimal)
            return ["id_token": try token("https://www.facebook.com"), "nonce": nonce]
        case .gitHub:
            providers.reply("/github/applications/\(FakeProviders.clientID)/token", 200)
            providers.reply("/github/user", 200, #"{"id":\#(subject),"login":"octocat"}"#)
            providers.reply("/github/user/emails", 200, "[]")
            return ["access_token": "gho_\(UUID().uuidString)"]
        case .google: return ["id_token": try token("https://accounts.google.com")]
        case .googleAccessToken:
            providers.reply("/google/oauth2/v3/tokeninfo", 200, #"{"aud":"\#(FakeProviders.clientID)"}"#)
            providers.reply("/google/oauth2/v3/userinfo", 200, #"{"sub":"\#(subject)"}"#)
            return ["access_token": "ya29.\(UUID().uuidString)"]
        case .linkedIn: return ["id_token": try token("https://www.linkedin.com/oauth")]
        case .microsoft:
            let tenant = "11111111-2222-3333-4444-555555555555"
            claims["tid"] = .string(tenant)
            return ["id_token": try token("https://login.microsoftonline.com/\(tenant)/v2.0")]
        case .openID: return ["id_token": try token(nil)]
        }
    }

    /// What an application passes to the client library.
    /// - Parameter subject: as in `parameters`.
    func credential(
        _ method: Method, subject: String, _ claims: [String: JSONValue] = [:]
    ) throws -> AuthCredential {
        let parameters = try parameters(method, subject: subject, claims)
        for value in parameters.values { credentials.add(value) }
        return OAuthProvider.credential(
            withProviderID: method.providerID, idToken: parameters["id_token"], rawNonce: parameters["nonce"],
            accessToken: parameters["access_token"])
    }

    func signIn(
        _ method: Method, subject: String, _ claims: [String: JSONValue] = [:]
    ) async throws -> HTTPClientResponse {
        try await signIn(method.providerID, parameters(method, subject: subject, claims))
    }

    func signIn(_ providerID: String, _ parameters: [String: String]) async throws -> HTTPClientResponse {
        for value in parameters.values { credentials.add(value) }
        let items = ["providerId=\(providerID)"] + parameters.map { "\($0)=\(PercentEncoding.encoded($1))" }
        return try await client.call(
            "signInWithIdp",
            [
                "requestUri": .string("http://localhost"), "postBody": .string(items.joined(separator: "&")),
                "returnSecureToken": .bool(true),
            ])
    }

    func signInWithGameCenter(_ playerID: String) async throws -> HTTPClientResponse {
        let (now, salt) = (Self.now.milliseconds, Random.bytes(8))
        let signature = try gameCenter.sign(
            playerID: playerID, bundleID: Self.bundleID, milliseconds: now, salt: salt)
        return try await client.call(
            "signInWithGameCenter",
            [
                "teamPlayerId": .string(playerID), "publicKeyUrl": .string(GameCenterSigner.certificateURL),
                "signature": .string(Base64URL.encode(signature)), "salt": .string(Base64URL.encode(salt)),
                "timestamp": .integer(now),
            ])
    }

    /// Signs a new user in with the OpenID provider, as a step of `withBusyClients`. The tally has the subjects and
    /// accounts of acknowledged sign-ins.
    func signInNewUser(_ tally: Tally<(subject: String, accountID: String)>) async {
        let subject = UUID().uuidString
        // Without a response from a failed process, nothing was acknowledged.
        guard let response = try? await signIn(.openID, subject: subject) else { return }
        if let tokens = try? Tokens(response) {
            tally.add((subject, tokens.accountID))
        } else if !response.asksToComeAgain {
            tally.surprise(response)
        }
    }

    static var now: Moment { Moment(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }

    // MARK: Tokens

    /// The member `firebase` of an ID token.
    static func session(of idToken: String) throws -> JSONValue {
        guard let session = try PhoneTestClient.claims(idToken)["firebase"] else {
            throw RunningMesh.Failure("no session in the token")
        }
        return session
    }
}
