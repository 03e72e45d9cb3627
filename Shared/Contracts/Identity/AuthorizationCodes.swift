package import Vocabulary

extension Identity {
    /// The answer of an application to a program that intercepts its code (RFC 7636): the SHA-256 of a verifier that only the
    /// application knows. The method `plain`, and a request without a challenge, are refused (RFC 9700 §2.1.1).
    package struct CodeChallenge: Codable, Equatable, Sendable {
        /// 43 characters of base64url.
        package let text: String

        /// - Returns: nil without a digest, or for another method than `S256`.
        package init?(_ text: String?, method: String?) {
            guard let text, method == "S256", text.utf8.count == 43, Base64URL.decode(text)?.count == 32 else {
                return nil
            }
            self.text = text
        }

        /// - Parameter text: of a challenge that was accepted before.
        package init(accepted text: String) {
            self.text = text
        }
    }

    /// Issues a code to a registered application, for the session of an ID token (RFC 6749 §4.1). The code is valid for a
    /// minute and one redemption, and ends with the session.
    package struct IssueAuthorizationCode: BusRequest {
        package static let operation = Identity.Operation.issueAuthorizationCode
        package static let retrySemantics = RetrySemantics.deduplicated
        package static let lifetime = Duration.seconds(60)
        package var realm: Realm
        /// Of the hosted page.
        package var idToken: Secret<String>?
        package var application: ApplicationID
        package var redirectURL: String
        package var challenge: CodeChallenge
        /// The claim `nonce` of the ID token, at most `maximumNonceBytes`.
        package var nonce: String?
        /// A sign-in that is older is refused.
        package var maximumSignInAgeSeconds: Int64?
        /// A session below it is refused.
        package var minimumLevel: AuthenticationLevel?
        package var client: ClientContext
        package static let maximumNonceBytes = 256

        package init(
            realm: Realm, idToken: Secret<String>?, application: ApplicationID, redirectURL: String,
            challenge: CodeChallenge, nonce: String? = nil, maximumSignInAgeSeconds: Int64? = nil,
            minimumLevel: AuthenticationLevel? = nil, client: ClientContext = .init()
        ) {
            self.realm = realm
            self.idToken = idToken
            self.application = application
            self.redirectURL = redirectURL
            self.challenge = challenge
            self.nonce = nonce
            self.maximumSignInAgeSeconds = maximumSignInAgeSeconds
            self.minimumLevel = minimumLevel
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var code: Secret<String>

            package init(code: Secret<String>) {
                self.code = code
            }
        }
    }

    /// Redeems a code for a session of its own, with the authentication context of the page's session. The first
    /// redemption ends the code, whatever its result; a later one ends the session that the first one has opened.
    package struct RedeemAuthorizationCode: BusRequest {
        package static let operation = Identity.Operation.redeemAuthorizationCode
        package static let retrySemantics = RetrySemantics.deduplicated
        package var project: ProjectID
        package var code: Secret<String>
        package var application: ApplicationID
        package var redirectURL: String
        package var verifier: Secret<String>
        package var client: ClientContext

        package init(
            project: ProjectID, code: Secret<String>, application: ApplicationID, redirectURL: String,
            verifier: Secret<String>, client: ClientContext = .init()
        ) {
            self.project = project
            self.code = code
            self.application = application
            self.redirectURL = redirectURL
            self.verifier = verifier
            self.client = client
        }

        package typealias Reply = RefreshSession.Reply
    }
}
