import FoundationEssentials
import Glibc
import Vocabulary

/// One header field of a message. Any input text results in exactly one field: this is the protection against header
/// injection (security rule HT3, HT14).
package struct EmailHeader: Equatable, Sendable {
    package let name: String
    /// Without the end of its last line; long values are folded.
    package let value: String

    /// Text for readers.
    package init(_ name: String, text: String) {
        self.name = name
        value = Self.encoded(text)
    }

    /// One address with a display name.
    init(_ name: String, name owner: String?, address: EncodedEmailAddress) {
        self.name = name
        // Encoded words need no quotes, and no character in them has a special meaning.
        let words = owner.map { Self.isAtoms($0) ? $0 : Self.encodedWords($0) }
        value = words.map { "\($0)\r\n <\(address.text)>" } ?? address.text
    }

    /// A fixed word.
    init(_ name: String, word: String) {
        precondition(word.utf8.allSatisfy { (0x20...0x7e).contains($0) }, "a header word is visible ASCII")
        self.name = name
        value = word
    }

    package var line: String { "\(name): \(value)" }

    /// The text unchanged if it is allowed and fits into a line, otherwise as encoded words.
    private static func encoded(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { (0x20...0x7e).contains($0) } && !text.contains("=?")
        return isPlain && text.utf8.count <= 60 && text == text.trimmedOfBlanks ? text : encodedWords(text)
    }

    /// Letters and digits, with spaces between them.
    private static func isAtoms(_ text: String) -> Bool {
        (1...60).contains(text.utf8.count) && text == text.trimmedOfBlanks
            && text.utf8.allSatisfy { $0.isASCIINameByte || $0 == UInt8(ascii: " ") }
    }

    /// RFC 2047 §2: words of at most 75 characters, each with complete UTF-8 characters, on separate lines. Control
    /// characters become spaces, so that no line end appears after decoding.
    private static func encodedWords(_ text: String) -> String {
        var words: [String] = []
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            let encoded = Array(String(scalar.isControlOfText ? " " : Character(scalar)).utf8)
            // 45 bytes are 60 characters of Base64; `=?UTF-8?B?` and `?=` are 12 more.
            if bytes.count + encoded.count > 45 {
                words.append(word(bytes))
                bytes = []
            }
            bytes += encoded
        }
        if !bytes.isEmpty || words.isEmpty { words.append(word(bytes)) }
        return words.joined(separator: "\r\n ")
    }

    private static func word(_ bytes: [UInt8]) -> String { "=?UTF-8?B?\(Data(bytes).base64EncodedString())?=" }
}

extension Unicode.Scalar {
    fileprivate var isControlOfText: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false  // The other Unicode categories contain no line ends.
        }
    }
}

extension String {
    fileprivate var trimmedOfBlanks: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}

/// An address in its SMTP form: the domain in ASCII, the local part unchanged.
struct EncodedEmailAddress: Equatable, Sendable {
    let text: String
    /// The domain in ASCII.
    let domain: String
    /// Whether the local part is not ASCII, which requires SMTPUTF8 (RFC 6531).
    let isInternational: Bool

    /// - Throws: `invalidDomain`.
    init(_ address: EmailAddress) throws(SMTPError) {
        let localPart = address.localPart
        let name = String(address.domain)
        guard let domain = name.utf8.allSatisfy({ $0 < 0x80 }) ? name : InternationalDomain.ascii(name) else {
            throw .invalidDomain
        }
        self.domain = domain
        text = "\(localPart)@\(domain)"
        isInternational = !localPart.utf8.allSatisfy { $0 < 0x80 }
    }
}

extension SMTPMessage {
    /// The header fields before the body, in order. The library adds `MIME-Version` and the headers of the parts.
    func headers(from: EncodedEmailAddress, recipient: EncodedEmailAddress, replyTo: EncodedEmailAddress?)
        -> [EmailHeader]
    {
        let headers: [EmailHeader?] = [
            EmailHeader("Date", word: date.emailText),
            EmailHeader("From", name: self.from.name, address: from),
            EmailHeader("To", name: nil, address: recipient),
            replyTo.map { EmailHeader("Reply-To", name: nil, address: $0) },
            EmailHeader("Subject", text: subject),
            EmailHeader("Message-ID", word: "<\(id)@\(from.domain)>"),
            // RFC 3834 §5: prevents automatic replies.
            EmailHeader("Auto-Submitted", word: "auto-generated"),
            EmailHeader("Content-Language", text: language),
        ]
        return headers.compactMap(\.self)
    }
}

extension Moment {
    /// RFC 5322 §3.3, in UTC: `Fri, 20 Nov 2026 19:00:00 +0000`.
    fileprivate var emailText: String {
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 64)
        // The names of days and months are English: the process sets no other time locale.
        let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S +0000", &parts)
        return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
