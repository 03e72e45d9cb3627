import Contracts
import Vocabulary

/// What a session says to backends about its sign-in: `amr` (RFC 8176) and `acr` of its ID tokens (tokens 2).
extension AuthenticationContext {
    /// Backends decide by these texts.
    enum Method: String, Sendable {
        case password = "pwd"
        /// A link or a code, sent to the address.
        case email
        case textMessage = "sms"
        /// A code of an authenticator app, or a recovery code.
        case oneTimeCode = "otp"
        /// The key of a passkey, for which the user was present.
        case key = "pop"
        case presence = "user"
        /// An identity provider.
        case federation = "fed"
        case twoFactors = "mfa"
    }

    /// Empty where Latchkey has authenticated nobody: for anonymous users, and for custom tokens.
    var methods: [Method] {
        let first: [Method] =
            switch signInProvider {
            case Self.anonymousProvider, "custom": []
            case "password": [isByEmail == true ? .email : .password]
            case "phone": [.textMessage]
            case Self.passkeyProvider: [.key, .presence]
            // Of the identity providers.
            default: [.federation]
            }
        // Another one than an SMS is an authenticator app or a recovery code.
        let second = secondFactor.map { factor -> Method in
            factor.kind == SecondFactor.Method.phone.rawValue ? .textMessage : .oneTimeCode
        }
        return first + [second].compactMap(\.self).filter { !first.contains($0) } + (hasTwoFactors ? [.twoFactors] : [])
    }

    /// Nil where Latchkey has authenticated nobody.
    var level: AuthenticationLevel? {
        guard !methods.isEmpty else { return nil }
        return isUserVerified == true ? .phishingResistant : hasTwoFactors ? .twoFactors : .oneFactor
    }

    /// Checks what an application demands of a sign-in (OpenID Connect Core §3.1.2.1).
    /// - Throws: `recentSignInRequired`, `secondFactorRequired`.
    func require(
        _ minimum: AuthenticationLevel?, maximumSignInAgeSeconds: Int64?, at now: Moment
    ) throws(ServiceError) {
        if let maximumSignInAgeSeconds,
            !Moment(authenticatedAt).beginsWindow(of: .seconds(maximumSignInAgeSeconds), containing: now)
        {
            throw ServiceError(.recentSignInRequired)
        }
        if let minimum {
            guard let level, level >= minimum else { throw ServiceError(.secondFactorRequired) }
        }
    }
}
