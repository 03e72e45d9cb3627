package import Vocabulary

extension Federation {
    /// Revokes the tokens that Apple issued to an application for a user, whose account must be linked with `apple.com`
    /// (REST 3.7). The account stays as it is.
    package struct RevokeToken: BusRequest, Equatable {
        package static let operation = Federation.Operation.revokeToken
        // A code is redeemed.
        package static let retrySemantics = RetrySemantics.atMostOnce
        package var realm: Realm
        package var tokenType: RevocableToken
        package var token: Secret<String>
        /// The ID token of the user.
        package var idToken: Secret<String>?
        /// The redirect URL that a code was issued for; absent for a code of a native application.
        package var redirectURL: String?
        /// The bundle ID of the application that sends the request.
        package var bundleID: String?

        package init(
            realm: Realm, tokenType: RevocableToken, token: Secret<String>, idToken: Secret<String>?,
            redirectURL: String? = nil, bundleID: String? = nil
        ) {
            self.realm = realm
            self.tokenType = tokenType
            self.token = token
            self.idToken = idToken
            self.redirectURL = redirectURL
            self.bundleID = bundleID
        }

        package typealias Reply = EmptyReply
    }

    package enum RevocableToken: String, CaseIterable, Codable, Sendable {
        case refreshToken, accessToken
        /// An authorization code, which is exchanged for a token first.
        case code
    }
}
