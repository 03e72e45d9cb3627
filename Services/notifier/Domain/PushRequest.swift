import Contracts
import Vocabulary

extension Notifier.SendPush {
    static let maximumNameBytes = 255

    /// Whether a message can be made of it.
    func check() throws(NotifierError) {
        let token = deviceToken.reveal().utf8
        // APNs promises no length; today's tokens have 64 digits, and 200 are the documented bound.
        guard (8...200).contains(token.count), token.allSatisfy(Self.isHexadecimal) else {
            throw .invalidRequest("The device token is not hexadecimal.")
        }
        guard !bundleID.isEmpty, bundleID.utf8.count <= Self.maximumNameBytes else {
            throw .invalidRequest("The bundle id is empty or too long.")
        }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
