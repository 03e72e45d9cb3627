/// The address of a broker: `ipc://<absolute path>`. TCP is rejected, on loopback too, until peers have keys: every
/// user of the machine could connect and act as any process of the mesh.
package struct BusEndpoint: Hashable, Sendable {
    /// The address in the form that libzmq expects.
    package let text: String
    /// The path of the socket file.
    package let path: String

    /// The longest path that fits into a Unix socket address (unix(7): 108 bytes with the final NUL).
    package static let maximumPathBytes = 107

    /// - Throws: `malformed` for other forms, `unprotected` for TCP.
    package init(_ text: String) throws(BusSettingsError) {
        self.text = text
        if text.hasPrefix("ipc://") {
            let path = String(text.dropFirst("ipc://".count))
            guard path.hasPrefix("/"), path.utf8.count <= Self.maximumPathBytes, !path.utf8.contains(0) else {
                throw .malformed(endpoint: text)
            }
            self.path = path
        } else if text.hasPrefix("tcp://") {
            throw .unprotected(endpoint: text)
        } else {
            throw .malformed(endpoint: text)
        }
    }
}

/// Invalid settings, detected before a socket is opened.
package enum BusSettingsError: Error, Equatable, Sendable {
    /// Not `ipc:///path`.
    case malformed(endpoint: String)
    /// TCP, which neither encrypts nor authenticates.
    case unprotected(endpoint: String)
    case noBroker
    case tooManyBrokers(Int)
    /// Not 1 to 64 letters, digits, `.`, `-` and `_`.
    case malformedInstance(String)
    /// The directory of an `ipc://` socket does not exist.
    case noDirectory(path: String)
    /// Other users can enter the directory of an `ipc://` socket, or another user owns it.
    case directoryNotPrivate(path: String)
}

extension BusSettingsError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformed(let endpoint): "\"\(endpoint)\" is not of the form ipc:///path"
        case .unprotected(let endpoint):
            "\(endpoint) would let every user of the machine in: processes have no keys yet, so only ipc:///path is accepted"
        case .noBroker: "no broker is named"
        case .tooManyBrokers(let count):
            "\(count) brokers are named, and at most \(BusSettings.maximumBrokers) can be used"
        case .malformedInstance(let name):
            "\"\(name)\" is no instance name: 1 to 64 letters, digits, '.', '-' and '_'"
        case .noDirectory(let path): "the directory \(path) does not exist"
        case .directoryNotPrivate(let path): "the directory \(path) must belong to this user and have mode 0700"
        }
    }
}
