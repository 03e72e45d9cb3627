import Glibc
import Vocabulary

/// The address of a broker: `ipc://<absolute path>`, or with keys `tcp://ADDRESS:PORT` too, where a process that connects may
/// write the name of a host. With keys a process names the peer that listens there: `NAME@ipc:///path`. Without keys TCP is
/// rejected, on loopback too: every user of the machine could connect and act as any process of the mesh.
package struct BusEndpoint: Hashable, Sendable {
    /// How a process uses an address.
    package enum Use: Sendable {
        /// It connects.
        case connect
        /// It is the broker that listens there.
        case listen
    }

    /// The address in the form that libzmq expects.
    package let text: String
    /// The path of the socket file; nil for TCP.
    package let path: String?
    /// The host whose addresses are looked up; nil for an address in numbers.
    let host: Host?
    /// The peer that listens there; nil without keys, and for the address at which this process listens.
    package let peer: BusName?

    /// The name of a host, and the port.
    struct Host: Hashable, Sendable {
        var name: String
        var port: String

        /// The address to connect to.
        /// - Parameter address: of the host, in numbers.
        func endpoint(at address: String) -> String { "tcp://\(address):\(port)" }
    }

    /// The longest path that fits into a Unix socket address (unix(7): 108 bytes with the final NUL).
    package static let maximumPathBytes = 107

    /// - Parameter hasKeys: whether the process has a key and a table of peers.
    /// - Throws: `malformed` for other forms, `unprotected` for TCP without keys, `unnamed` and `named` for an address with
    ///   and without keys that should have a name, or should not.
    package init(_ text: String, for use: Use = .connect, hasKeys: Bool = false) throws(BusSettingsError) {
        let (name, address) = Self.split(text)
        self.text = address
        if address.hasPrefix("ipc://") {
            let path = String(address.dropFirst("ipc://".count))
            guard path.hasPrefix("/"), path.utf8.count <= Self.maximumPathBytes, !path.utf8.contains(0) else {
                throw .malformed(endpoint: text)
            }
            self.path = path
            host = nil
        } else if address.hasPrefix("tcp://") {
            guard hasKeys else { throw .unprotected(endpoint: text) }
            guard let (place, port) = Self.placeAndPort(address.dropFirst("tcp://".count), for: use) else {
                throw .malformedTCP(endpoint: text)
            }
            path = nil
            if Self.isNumeric(place) {
                host = nil
            } else {
                guard use == .connect, Self.isHostName(place) else { throw .malformedTCP(endpoint: text) }
                host = Host(name: String(place), port: String(port))
            }
        } else {
            throw .malformed(endpoint: text)
        }
        guard let name else {
            guard !hasKeys || use == .listen else { throw .unnamed(endpoint: text) }
            peer = nil
            return
        }
        guard hasKeys, use == .connect, let peer = BusName(name) else { throw .named(endpoint: text) }
        self.peer = peer
    }

    /// Another way to write an address: with one more slash before the path, or a zero before the port.
    static func otherText(of text: String) -> String {
        if text.hasPrefix("ipc://") { return "ipc:///" + text.dropFirst("ipc://".count) }
        guard let (place, port) = text.lastHalves(at: ":") else { return text }
        return "\(place):0\(port)"
    }

    /// The name before the first `@`, which no address has before its path.
    private static func split(_ text: String) -> (name: String?, address: String) {
        let (name, address) = text.halves(at: "@")
        guard let address, !name.utf8.contains(UInt8(ascii: "/")) else { return (nil, text) }
        return (String(name), String(address))
    }

    /// A process that listens may write port 0: the kernel chooses one.
    private static func placeAndPort(_ text: Substring, for use: Use) -> (Substring, Substring)? {
        guard let (place, port) = text.lastHalves(at: ":"), (1...5).contains(port.utf8.count), port.isASCIIDigits,
            let number = UInt16(port), number > 0 || use == .listen
        else { return nil }
        return (place, port)
    }

    /// `192.0.2.1` or `[2001:db8::1]`.
    private static func isNumeric(_ place: Substring) -> Bool {
        var address = in6_addr()
        if place.hasPrefix("["), place.hasSuffix("]") {
            return inet_pton(AF_INET6, String(place.dropFirst().dropLast()), &address) == 1
        }
        return inet_pton(AF_INET, String(place), &address) == 1
    }

    /// No name ends with a number: that would be an address with a mistake.
    private static func isHostName(_ place: Substring) -> Bool {
        WebURL.isHostName(place) && place.pieces(at: ".").last?.isASCIIDigits == false
    }
}

/// Invalid settings, detected before a socket is opened.
package enum BusSettingsError: Error, Equatable, Sendable {
    /// Not `ipc:///path`.
    case malformed(endpoint: String)
    /// Not `tcp://ADDRESS:PORT`. A process that listens needs the address in numbers.
    case malformedTCP(endpoint: String)
    /// TCP without keys, which neither encrypts nor authenticates.
    case unprotected(endpoint: String)
    /// With keys, an address without the name of the peer that listens there.
    case unnamed(endpoint: String)
    /// A name before an address that has no use for it.
    case named(endpoint: String)
    /// The table of peers has no peer of this name.
    case unknownPeer(endpoint: String)
    case noBroker
    case tooManyBrokers(Int)
    /// Not 1 to 64 letters, digits, `.`, `-` and `_`.
    case malformedInstance(String)
    /// The directory of an `ipc://` socket does not exist.
    case noDirectory(path: String)
    /// Other users can enter the directory of an `ipc://` socket, or another user owns it.
    case directoryNotPrivate(path: String)
    /// With keys the group may enter that directory, and nobody else.
    case directoryNotOfGroup(path: String)
}

extension BusSettingsError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformed(let endpoint): "\"\(endpoint)\" is not of the form ipc:///path"
        case .malformedTCP(let endpoint):
            "\"\(endpoint)\" is not of the form tcp://ADDRESS:PORT, such as tcp://192.0.2.1:9700; a broker listens at an address in numbers"
        case .unprotected(let endpoint):
            "\(endpoint) would let every user of the machine in: without keys (LATCHKEY_BUS_KEYS) only ipc:///path is accepted"
        case .unnamed(let endpoint):
            "\(endpoint) does not say whose address it is: with keys the form is NAME@\(endpoint), with a name of peers.toml"
        case .named(let endpoint):
            "\"\(endpoint)\" names a peer, which has a meaning only with keys (LATCHKEY_BUS_KEYS), and for a process that connects"
        case .unknownPeer(let endpoint): "\(endpoint) names a peer that peers.toml does not have"
        case .noBroker: "no broker is named"
        case .tooManyBrokers(let count):
            "\(count) brokers are named, and at most \(BusSettings.maximumBrokers) can be used"
        case .malformedInstance(let name):
            "\"\(name)\" is no instance name: 1 to 64 letters, digits, '.', '-' and '_'"
        case .noDirectory(let path): "the directory \(path) does not exist"
        case .directoryNotPrivate(let path): "the directory \(path) must belong to this user and have mode 0700"
        case .directoryNotOfGroup(let path):
            "the directory \(path) must belong to this user and have mode 0700, or 0750 for a group that connects"
        }
    }
}
