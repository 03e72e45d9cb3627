import Contracts
import Vocabulary

/// Why the notifier does not do what it is asked.
enum NotifierError: Error, Equatable, Sendable {
    /// With what is wrong, for the caller's log.
    case invalidRequest(String)
    case invalidTemplate(EmailTemplateError)
    /// There is an inbox in dev mode only.
    case devModeOnly
    /// The same idempotency key came with another message.
    case idempotencyKeyReused
    /// Nothing is set up here that could send it.
    case channelNotConfigured(Notifier.Channel)
    /// A receipt that no provider of ours has signed.
    case invalidReceiptSignature
}

extension Notifier.SendEmail {
    static let maximumLinkBytes = 4096
    static let maximumNameBytes = 1024

    /// Whether a message can be made of it.
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
            .passwordChanged, .recoveryCodeUsed:
            break
        }
        for text in [appName, displayName, secondFactor] {
            guard (text?.utf8.count ?? 0) <= Self.maximumNameBytes else { throw .invalidRequest("A name is too long.") }
        }
        do throws(EmailTemplateError) {
            try template?.check(for: purpose)
        } catch {
            throw .invalidTemplate(error)
        }
    }

    /// Visible ASCII with everything else percent-encoded, so that no character of it means anything to a reader.
    private static func isWebAddress(_ text: String) -> Bool {
        let lowercased = text.prefix(8).asciiLowercased
        guard lowercased.hasPrefix("https://") || lowercased.hasPrefix("http://") else { return false }
        return text.utf8.count <= maximumLinkBytes
            && text.utf8.allSatisfy { (0x21...0x7e).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }
    }
}

extension EmailAddress {
    /// `a•••@example.com`: enough for an operator to recognise what somebody asks about, too little to write to.
    var masked: String {
        "\(localPart.count > 1 ? String(localPart.prefix(1)) : "")•••@\(domain)"
    }
}
