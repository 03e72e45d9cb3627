package import Contracts
import Vocabulary

/// The name of a service or of a process in a frame: 1 to 64 ASCII letters, digits, `.`, `-` and `_`. The broker
/// accepts names that `ServiceName` does not contain, so a new service needs no new build of the broker.
package struct BusName: Hashable, Sendable {
    package static let maximumBytes = 64

    package let rawValue: String

    /// - Returns: nil if the bytes are not a valid name.
    package init?(_ bytes: some Collection<UInt8>) {
        guard (1...Self.maximumBytes).contains(bytes.count), bytes.allSatisfy(Self.isNameByte) else { return nil }
        rawValue = String(decoding: bytes, as: UTF8.self)
    }

    package init?(_ text: String) {
        self.init(text.utf8)
    }

    /// The service name under which `latchkey up` joins. It reports how each process that it started ended.
    package static let launcher = BusName(unchecked: "latchkey-up")

    private init(unchecked text: StaticString) {
        rawValue = text.description
    }

    package init(_ service: ServiceName) {
        rawValue = service.rawValue
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isASCIINameByte || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    }
}

extension BusName: CustomStringConvertible {
    package var description: String { rawValue }
}
