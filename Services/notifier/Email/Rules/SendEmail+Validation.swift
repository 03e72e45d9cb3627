import Contracts
import Vocabulary

extension Notifier.SendEmail {
    static let maximumLinkBytes = 4096
    static let maximumNameBytes = 1024

    /// Checks whether a message can be built from it.
    func check() throws(ServiceError) {
        if let link {
            guard Self.isWebAddress(link) else { throw ServiceError(.invalidRequest, "The link is no web address.") }
        } else if purpose.requiredPlaceholder == .link {
            throw ServiceError(.invalidRequest, "The link is missing.")
        }
        let isCode = code.map { $0.reveal().isASCIIDigits && $0.reveal().utf8.count == OneTimeCode.digits }
        guard isCode ?? (purpose.requiredPlaceholder != .code) else {
            throw ServiceError(.invalidRequest, "The code is missing or malformed.")
        }
        if let logoURL, !Self.isWebAddress(logoURL) {
            throw ServiceError(.invalidRequest, "The address of the logo is no web address.")
        }
        switch purpose {
        case .verifyAndChangeEmail, .emailChanged:
            guard newEmail != nil else { throw ServiceError(.invalidRequest, "The new address is missing.") }
        case .verifyEmail, .resetPassword, .emailSignIn, .emailSignInCode, .emailVerificationCode, .emailRemoved,
            .secondFactorAdded, .secondFactorRemoved, .passwordChanged, .recoveryCodeUsed, .passkeyAdded,
            .passkeyRemoved, .providerLinked,
            .providerRefused:
            break
        case .newSignIn:
            guard signIn != nil else { throw ServiceError(.invalidRequest, "The sign-in is missing.") }
        case .deletionScheduled:
            guard deletionTime != nil else {
                throw ServiceError(.invalidRequest, "The time of the deletion is missing.")
            }
        }
        for text in [
            appName, displayName, secondFactor, passkey, provider, signIn?.time, signIn?.device, signIn?.network,
            deletionTime,
        ] {
            guard (text?.utf8.count ?? 0) <= Self.maximumNameBytes else {
                throw ServiceError(.invalidRequest, "A name is too long.")
            }
        }
        do throws(EmailTemplateError) {
            try template?.check(for: purpose)
        } catch {
            throw ServiceError(.invalidEmailTemplate, error.description)
        }
    }

    /// Visible ASCII with everything else percent-encoded, so that no character has a special meaning in the message.
    private static func isWebAddress(_ text: String) -> Bool {
        let lowercased = text.prefix(8).asciiLowercased
        guard lowercased.hasPrefix("https://") || lowercased.hasPrefix("http://") else { return false }
        return text.utf8.count <= maximumLinkBytes
            && text.utf8.allSatisfy { (0x21...0x7e).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }
    }
}

extension EmailAddress {
    /// `a•••@example.com`: enough for an operator to recognize an address, too little to contact it.
    var masked: String {
        "\(localPart.count > 1 ? String(localPart.prefix(1)) : "")•••@\(domain)"
    }
}
