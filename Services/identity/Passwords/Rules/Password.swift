import Foundation

/// A password as it is compared: the person's text in Unicode form NFKC, whole, with no trimming and no change of case
/// (security rule PW6, PW8).
struct Password: Sendable {
    /// More is refused before any work is done with it.
    static let maximumBytes = 4096

    /// UTF-8 of the normalised text.
    let bytes: [UInt8]
    private let text: String

    /// - Returns: nil above `maximumBytes`, as given or as normalised.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        self.text = text.utf8.allSatisfy { $0 < 0x80 } ? text : text.precomposedStringWithCompatibilityMapping
        bytes = Array(self.text.utf8)
        guard bytes.count <= Self.maximumBytes else { return nil }
    }

    /// In code points, which is how lengths of passwords are counted.
    var length: Int { text.unicodeScalars.count }

    /// The same letters in either case, for comparison with things a password should not be.
    var folded: String { text.lowercased() }

    func contains(where isWanted: (Unicode.Scalar.Properties) -> Bool) -> Bool {
        text.unicodeScalars.contains { isWanted($0.properties) }
    }
}
