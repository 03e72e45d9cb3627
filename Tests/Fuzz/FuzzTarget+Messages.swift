import Contracts
import FoundationEssentials
import HTTPClient
import Vocabulary

@testable import EmailTemplates
@testable import MFASMSService
@testable import NotifierService
@testable import SMTPClient

extension FuzzTarget {
    static func readEmailAddress(_ text: String) throws {
        guard let address = EmailAddress(text) else { return }
        try demand(EmailAddress(address.rawValue) == address, "an address is its own form")
        try demand(
            Array(address.rawValue.utf8) == Array("\(address.localPart)@\(address.domain)".utf8),
            "an address is its two parts")
        try demand(EmailAddress(address.folded)?.folded == address.folded, "a folded address is folded")
        _ = address.masked
        _ = try? EncodedEmailAddress(address)
    }

    /// The first line is the subject of a project's own template, and the rest its body. The text is also the name that
    /// a user has chosen.
    static func readEmailTemplate(_ text: String) throws {
        let (subject, body) = text.halves(at: "\n")
        let escaped = text.markupEscaped
        try demand(
            !escaped.unicodeScalars.contains { "<>\"'".unicodeScalars.contains($0) }, "a value brings no markup")
        guard let recipient = EmailAddress("ada@example.com") else { return }
        for format in [Notifier.EmailTemplate.BodyFormat.html, .plainText] {
            for template in [
                Notifier.EmailTemplate(
                    senderDisplayName: String(subject), subject: String(subject), body: body.map { String($0) },
                    bodyFormat: format),
                Notifier.EmailTemplate(body: "%DISPLAY_NAME% %LINK%", bodyFormat: format),
            ] {
                for purpose in [Notifier.EmailPurpose.resetPassword, .passkeyAdded] {
                    let request = Notifier.SendEmail(
                        realm: realm, recipient: recipient, purpose: purpose, locale: String(subject), appName: text,
                        link: "https://example.com/action", displayName: text, passkey: text, template: template)
                    guard let email = try? EmailRenderer.render(request) else { continue }
                    let lines = [email.subject, email.senderName ?? ""]
                    try demand(
                        lines.allSatisfy { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f } },
                        "a line of a header has no controls")
                    try demand(email.subject.count <= EmailRenderer.maximumSubjectLength, "a subject has its limit")
                }
            }
        }
    }

    /// The first line is a name, and the rest a value.
    static func readEmailHeader(_ text: String) throws {
        let (first, second) = text.halves(at: "\n")
        let sender = EmailTransport.Sender(text)
        var headers = [EmailHeader("Subject", text: text), EmailHeader("Subject", text: String(second ?? ""))]
        for text in [text, String(first)] {
            if let address = EmailAddress(text), let wire = try? EncodedEmailAddress(address) {
                headers.append(EmailHeader("To", name: second.map { String($0) }, address: wire))
            }
        }
        if let sender, let wire = try? EncodedEmailAddress(sender.address) {
            headers.append(EmailHeader("From", name: sender.name, address: wire))
        }
        for header in headers {
            let lines = header.line.pieces(at: "\n")
            try demand(
                lines.dropLast().allSatisfy { $0.utf8.last == UInt8(ascii: "\r") }
                    && lines.dropFirst().allSatisfy { $0.utf8.first == UInt8(ascii: " ") },
                "a header is one field")
            try demand(lines.allSatisfy { $0.utf8.count <= 998 }, "a line has its limit")
            try demand(
                header.line.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x0d || $0 == 0x0a },
                "a header has no controls")
        }
    }

    /// The responses of SMS and captcha providers, and the callbacks that they send.
    static func readProviderReply(_ text: String) {
        for status in [200, 400, 500] {
            let response = HTTPClientResponse(status: status, headers: [], body: Data(text.utf8))
            _ = TwilioProvider.outcome(response)
            _ = VonageProvider.outcome(response)
            _ = WebhookProvider.outcome(response)
            _ = RecaptchaResponse(response.body, status: status, for: ProjectConfiguration())
            _ = APNsReason(response.body)
        }
        _ = FormEncoding.decoded(text)
        _ = ProviderAcceptance.Price(decimal: text, currency: "EUR")
        _ = WebhookSignature.isGood(text, of: [], secret: "secret", at: now)
        let receipts = DeliveryReceiptVerifier(
            publicURL: "https://example.com", twilioAuthToken: Secret("a"), vonageSignatureSecret: Secret("b"),
            webhookSecret: Secret("c"))
        for provider in Notifier.SMSProviderName.allCases {
            _ = try? receipts.verify(
                .init(
                    provider: provider, target: "/receipts?\(text)", contentType: "application/json", signature: text,
                    body: text), at: now)
        }
    }
}
