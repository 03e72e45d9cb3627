import UnicodeForms

/// A password in its comparison form: the user's text in Unicode form NFKC, without trimming and without a change of
/// case (security rule PW6, PW8).
struct Password: Sendable {
    /// Longer texts are rejected before any other work.
    static let maximumBytes = 4096

    /// UTF-8 of the normalized text.
    let bytes: [UInt8]
    /// UTF-8 of the text as it was entered. Other systems have hashed passwords in this form.
    let originalBytes: [UInt8]
    private let text: String

    /// - Returns: nil above `maximumBytes`, before or after normalization.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        originalBytes = Array(text.utf8)
        self.text = text.utf8.allSatisfy { $0 < 0x80 } ? text : UnicodeForms.nfkc(text)
        bytes = Array(self.text.utf8)
        guard bytes.count <= Self.maximumBytes else { return nil }
    }

    /// In code points, the unit of password lengths.
    var length: Int { text.unicodeScalars.count }

    /// The lower-case form, for comparison with forbidden texts.
    var folded: String { text.lowercased() }

    func contains(where isWanted: (Unicode.Scalar.Properties) -> Bool) -> Bool {
        text.unicodeScalars.contains { isWanted($0.properties) }
    }
}
