import Foundation
import HTTPClient
import JSON
import TestSupport
import Vocabulary

extension ProviderTestClient {
    static let saml = "saml.test"
    private static let samlCallbackURL = "http://localhost/__/auth/handler"

    /// Configures the SAML provider, which is authoritative for the addresses of `example.com`.
    func configureSAML() async throws {
        let provider = try TestIdentityProvider.rsa.get()
        try await create(
            "inboundSamlConfigs?inboundSamlConfigId=\(Self.saml)",
            [
                "idpConfig": .object([
                    "idpEntityId": .string(TestIdentityProvider.entityID),
                    "ssoUrl": .string("https://idp.example/sso"),
                    "idpCertificates": .array([.object(["x509Certificate": .string(provider.certificate)])]),
                ]),
                "spConfig": .object([
                    "spEntityId": .string(TestIdentityProvider.audience),
                    "callbackUri": .string(Self.samlCallbackURL),
                ]),
                "authoritativeDomains": .array([.string("example.com")]),
            ])
    }

    /// A sign-in between the request to the provider and its response.
    struct SAMLSignIn {
        var sessionID: String
        var request: TestSAMLRequest
    }

    func startSAML() async throws -> SAMLSignIn {
        let response = try await client.call(
            "createAuthUri", ["providerId": .string(Self.saml), "continueUri": .string(Self.samlCallbackURL)])
        guard let request = TestSAMLRequest(url: try response.text("authUri")) else {
            throw RunningMesh.Failure(response.summary)
        }
        return SAMLSignIn(sessionID: try response.text("sessionId"), request: request)
    }

    /// A valid response, with an assertion of its own.
    func response(
        to signIn: SAMLSignIn, subject: String, _ attributes: [String: [String]] = [:]
    ) -> TestSAMLResponse {
        var response = signIn.request.response(callbackURL: Self.samlCallbackURL, at: Self.now.timestamp)
        response.id = "_\(UUID().uuidString)"
        response.nameID = """
            <saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">\(subject)</saml:NameID>
            """
        let elements = attributes.map { name, values in
            let values = values.map { "<saml:AttributeValue>\($0)</saml:AttributeValue>" }.joined()
            return #"<saml:Attribute Name="\#(name)">\#(values)</saml:Attribute>"#
        }
        response.attributes =
            elements.isEmpty ? "" : "<saml:AttributeStatement>\(elements.joined())</saml:AttributeStatement>"
        return response
    }

    /// - Parameter key: signs the response instead of the configured provider.
    func finish(
        _ signIn: SAMLSignIn, _ response: TestSAMLResponse, key: TestIdentityProvider? = nil
    ) async throws -> HTTPClientResponse {
        let xml = try response.xml(key ?? TestIdentityProvider.rsa.get())
        let message = Data(xml.utf8).base64EncodedString()
        for value in [message, signIn.request.relayState, signIn.sessionID] { credentials.add(value) }
        let body = [("SAMLResponse", message), ("RelayState", signIn.request.relayState)]
            .map { "\($0)=\(PercentEncoding.encoded($1))" }.joined(separator: "&")
        return try await client.call(
            "signInWithIdp",
            [
                "requestUri": .string(Self.samlCallbackURL), "postBody": .string(body),
                "sessionId": .string(signIn.sessionID), "returnSecureToken": .bool(true),
            ])
    }

    func signInWithSAML(
        subject: String, _ attributes: [String: [String]] = [:]
    ) async throws -> HTTPClientResponse {
        let signIn = try await startSAML()
        return try await finish(signIn, response(to: signIn, subject: subject, attributes))
    }
}
