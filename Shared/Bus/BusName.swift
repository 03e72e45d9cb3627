package import Contracts

/// The name of a service or of one of its processes as a frame carries it: 1 to 64 ASCII letters, digits, `.`, `-` and
/// `_`. The broker takes names that our own `ServiceName` does not know, so that it need not be built anew for each
/// service.
package struct BusName: Hashable, Sendable {
    package static let maximumBytes = 64

    /// The bytes as text.
    package let rawValue: String

    /// - Returns: nil for bytes that are no such name.
    package init?(_ bytes: some Collection<UInt8>) {
        guard (1...Self.maximumBytes).contains(bytes.count), bytes.allSatisfy(Self.isNameByte) else { return nil }
        rawValue = String(decoding: bytes, as: UTF8.self)
    }

    package init?(_ text: String) {
        self.init(text.utf8)
    }

    /// What `latchkey up` joins as. It says of every process that it starts how that one ended.
    package static let launcher = BusName(unchecked: "latchkey-up")

    private init(unchecked text: StaticString) {
        rawValue = text.description
    }

    package init(_ service: ServiceName) {
        rawValue = service.rawValue
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

extension BusName: CustomStringConvertible {
    package var description: String { rawValue }
}
