import Contracts
import Vocabulary

/// The errors of the notifier.
enum NotifierError: Error, Equatable, Sendable {
    /// With a description for the caller's log.
    case invalidRequest(String)
    case invalidTemplate(EmailTemplateError)
    /// The inbox exists only in dev mode.
    case devModeOnly
    /// The same idempotency key was used for another message.
    case idempotencyKeyReused
    /// The channel is not configured.
    case channelNotConfigured(Notifier.Channel)
    /// No configured provider signed the receipt.
    case invalidReceiptSignature
    case webhookNotFound
}

extension Notifier.SendEmail {
    static let maximumLinkBytes = 4096
    static let maximumNameBytes = 1024

    /// Checks whether a message can be built from it.
    func check() throws(NotifierError) {
        if let link {
            guard Self.isWebAddress(link) else { throw .invalidRequest("The link is no web address.") }
        } else if !purpose.isNotice {
            throw .invalidRequest("The link is missing.")
        }
        switch purpose {
        case .verifyAndChangeEmail, .emailChanged:
            guard newEmail != nil else { throw .invalidRequest("The new address is missing.") }
        case .verifyEmail, .resetPassword, .emailSignIn, .emailRemoved, .secondFactorAdded, .secondFactorRemoved,
            .passwordChanged, .recoveryCodeUsed, .passkeyAdded, .passkeyRemoved, .providerLinked,
            .providerRefused:
            break
        }
        for text in [appName, displayName, secondFactor, passkey, provider] {
            guard (text?.utf8.count ?? 0) <= Self.maximumNameBytes else { throw .invalidRequest("A name is too long.") }
        }
        do throws(EmailTemplateError) {
            try template?.check(for: purpose)
        } catch {
            throw .invalidTemplate(error)
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
