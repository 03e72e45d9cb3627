import Contracts
import Vocabulary

extension Notifier.SendPush {
    /// Receipt and secret together stay within the APNs payload limit.
    static let maximumReceiptBytes = 512
    static let maximumSecretBytes = 1024

    /// Checks whether a message can be built from it.
    func check() throws(ServiceError) {
        let token = deviceToken.reveal().utf8
        // APNs does not specify a length; current tokens have 64 digits, and 200 are the documented bound.
        guard (8...200).contains(token.count), token.allSatisfy(\.isASCIIHexadecimalDigit) else {
            throw ServiceError(.invalidRequest, "The device token is not hexadecimal.")
        }
        guard BundleID.isValid(bundleID) else { throw ServiceError(.invalidRequest, "The bundle id is none.") }
        guard (1...Self.maximumReceiptBytes).contains(receipt.utf8.count),
            (1...Self.maximumSecretBytes).contains(secret.reveal().utf8.count)
        else { throw ServiceError(.invalidRequest, "The receipt or the secret is empty or too long.") }
    }
}

/// The bundle ID of an iOS application.
enum BundleID {
    /// Letters, digits, `-`, `.` and `_`, which are safe in a header.
    static func isValid(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isASCIINameByte || "._".utf8.contains($0) }
    }
}
