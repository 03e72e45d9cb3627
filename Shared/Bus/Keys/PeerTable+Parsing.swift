import Contracts
import Vocabulary
import ZeroMQ

/// Why a table of peers is refused: the first mistake.
package struct PeerTableError: Error, Equatable, Sendable {
    /// Counted from 1.
    package var line: Int
    /// The name of the peer in which it is, if it has one by then.
    package var peer: String?
    package var problem: String
}

extension PeerTableError: CustomStringConvertible {
    package var description: String { "line \(line)\(peer.map { ", peer \"\($0)\"" } ?? ""): \(problem)" }
}

extension PeerTable {
    package static let maximumBytes = 1 << 20
    /// A longer line is refused.
    static let maximumLineBytes = 4096

    /// Reads the form of `peers.toml`, a part of TOML: tables `[[peer]]` with strings, lists of strings in one line, and
    /// `true` or `false`.
    /// - Throws: the first mistake. An unknown member is one, too.
    package init(_ bytes: some Collection<UInt8>) throws(PeerTableError) {
        guard bytes.count <= Self.maximumBytes else {
            throw PeerTableError(line: 1, problem: "the file is longer than \(Self.maximumBytes) bytes")
        }
        var reader = PeerReader()
        var number = 0
        for line in Array(bytes).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            guard line.count <= Self.maximumLineBytes else {
                throw PeerTableError(line: number, problem: "the line is longer than \(Self.maximumLineBytes) bytes")
            }
            try reader.read(line.last == UInt8(ascii: "\r") ? line.dropLast() : line, number)
        }
        self.init(checked: try reader.finish())
    }
}

/// Reads a table line by line.
private struct PeerReader {
    /// The members of one peer as they were written.
    private struct Draft {
        var line: Int
        var name: BusName?
        var publicKey: CurvePublicKey?
        var nextPublicKey: CurvePublicKey?
        var serves: Set<BusName>?
        var calls: Set<BusCaller> = []
        var isBroker = false
        var members: Set<String> = []
    }

    private enum Value {
        case text(String)
        case list([String])
        case flag(Bool)
    }

    private static let maximumListed = 64
    private static let commands: Set<String> = ["latchkey", BusName.launcher.rawValue]

    private var draft: Draft?
    private var peers: [BusPeer] = []
    private var names: Set<BusName> = []
    private var keys: [CurvePublicKey: BusName] = [:]

    mutating func read(_ bytes: ArraySlice<UInt8>, _ line: Int) throws(PeerTableError) {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw error(line, "the line is not UTF-8") }
        var rest = text.utf8[...]
        Self.skipSpaces(&rest)
        guard let first = rest.first, first != UInt8(ascii: "#") else { return }
        if first == UInt8(ascii: "[") {
            guard rest.starts(with: "[[peer]]".utf8) else { throw error(line, "only [[peer]] begins a table") }
            rest = rest.dropFirst("[[peer]]".utf8.count)
            try requireEnd(&rest, line)
            try closePeer()
            guard peers.count < PeerTable.maximumPeers else {
                throw error(line, "there are more than \(PeerTable.maximumPeers) peers")
            }
            draft = Draft(line: line)
            return
        }
        let member = rest.prefix { $0.isASCIINameByte || $0 == UInt8(ascii: "_") }
        rest = rest.dropFirst(member.count)
        Self.skipSpaces(&rest)
        guard !member.isEmpty, rest.popFirst() == UInt8(ascii: "=") else {
            throw error(line, "a line is [[peer]], NAME = VALUE, or a comment after #")
        }
        Self.skipSpaces(&rest)
        let value = try value(&rest, line)
        try requireEnd(&rest, line)
        try set(String(Substring(member)), to: value, line)
    }

    mutating func finish() throws(PeerTableError) -> [BusPeer] {
        try closePeer()
        return peers
    }

    // MARK: Values

    private func value(_ rest: inout Substring.UTF8View, _ line: Int) throws(PeerTableError) -> Value {
        switch rest.first {
        case UInt8(ascii: "\""): return .text(try string(&rest, line))
        case UInt8(ascii: "["):
            rest = rest.dropFirst()
            var list: [String] = []
            while true {
                Self.skipSpaces(&rest)
                if rest.first == UInt8(ascii: "]") {
                    rest = rest.dropFirst()
                    return .list(list)
                }
                guard list.count < Self.maximumListed else {
                    throw error(line, "a list has more than \(Self.maximumListed) members")
                }
                list.append(try string(&rest, line))
                Self.skipSpaces(&rest)
                if rest.first == UInt8(ascii: ",") {
                    rest = rest.dropFirst()
                } else if rest.first != UInt8(ascii: "]") {
                    throw error(line, "a list ends with ] in the same line")
                }
            }
        default:
            for (word, flag) in [("true", true), ("false", false)] where rest.starts(with: word.utf8) {
                rest = rest.dropFirst(word.utf8.count)
                return .flag(flag)
            }
            throw error(line, "a value is \"text\", [\"text\", \"text\"], true or false")
        }
    }

    /// No value of a table needs an escape, so there is none.
    private func string(_ rest: inout Substring.UTF8View, _ line: Int) throws(PeerTableError) -> String {
        guard rest.popFirst() == UInt8(ascii: "\"") else { throw error(line, "a text is between \" and \"") }
        let content = rest.prefix { $0 != UInt8(ascii: "\"") }
        rest = rest.dropFirst(content.count)
        guard rest.popFirst() == UInt8(ascii: "\"") else { throw error(line, "a text is between \" and \"") }
        guard content.allSatisfy({ $0 >= 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "\\") }) else {
            throw error(line, "a text has a backslash or a control character")
        }
        return String(Substring(content))
    }

    private func requireEnd(_ rest: inout Substring.UTF8View, _ line: Int) throws(PeerTableError) {
        Self.skipSpaces(&rest)
        guard rest.isEmpty || rest.first == UInt8(ascii: "#") else {
            throw error(line, "nothing but a comment may follow on the line")
        }
    }

    private static func skipSpaces(_ rest: inout Substring.UTF8View) {
        rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }

    // MARK: Members

    private mutating func set(_ member: String, to value: Value, _ line: Int) throws(PeerTableError) {
        guard draft != nil else { throw error(line, "\(member) stands before the first [[peer]]") }
        guard draft?.members.insert(member).inserted == true else { throw error(line, "\(member) is set twice") }
        switch (member, value) {
        case ("name", .text(let text)):
            guard let name = BusName(text) else {
                throw error(line, "a name is 1 to 64 letters, digits, '.', '-' and '_'")
            }
            draft?.name = name
            guard names.insert(name).inserted else { throw error(line, "another peer has this name") }
        case ("public-key", .text(let text)):
            let key = try key(text, member, line)
            draft?.publicKey = key
        case ("next-public-key", .text(let text)):
            let key = try key(text, member, line)
            draft?.nextPublicKey = key
        case ("serves", .list(let list)):
            var serves: Set<BusName> = []
            for text in list {
                guard ServiceName(rawValue: text) != nil || Self.commands.contains(text), let name = BusName(text)
                else {
                    throw error(line, "serves names no service: \"\(text)\"")
                }
                serves.insert(name)
            }
            draft?.serves = serves
        case ("calls", .list(let list)):
            for text in list {
                guard let caller = BusCaller(rawValue: text) else {
                    throw error(line, "calls names no caller: \"\(text)\"")
                }
                draft?.calls.insert(caller)
            }
        case ("brokers", .flag(let flag)): draft?.isBroker = flag
        case ("name", _), ("public-key", _), ("next-public-key", _):
            throw error(line, "the value of \(member) is a text")
        case ("serves", _), ("calls", _): throw error(line, "the value of \(member) is a list of texts")
        case ("brokers", _): throw error(line, "the value of \(member) is true or false")
        default: throw error(line, "a peer has no member \"\(member)\"")
        }
    }

    private func key(_ text: String, _ member: String, _ line: Int) throws(PeerTableError) -> CurvePublicKey {
        guard let key = CurvePublicKey(text) else {
            throw error(line, "\(member) is no public key: latchkey keys bus create prints one, of 40 characters")
        }
        return key
    }

    private mutating func closePeer() throws(PeerTableError) {
        guard let draft else { return }
        guard let name = draft.name else { throw error(draft.line, "the peer has no name") }
        guard let publicKey = draft.publicKey else { throw error(draft.line, "the peer has no public-key") }
        guard let serves = draft.serves, !serves.isEmpty else {
            throw error(draft.line, "the peer has no serves: the services as which it may join")
        }
        for caller in draft.calls.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard serves.contains(where: { Self.callers(of: $0).contains(caller) }) else {
                throw error(draft.line, "calls has \"\(caller.rawValue)\", which nothing of its serves may be")
            }
        }
        let peer = BusPeer(
            name: name, publicKey: publicKey, nextPublicKey: draft.nextPublicKey, serves: serves, calls: draft.calls,
            isBroker: draft.isBroker)
        for key in peer.keys {
            guard let other = keys.updateValue(name, forKey: key) else { continue }
            throw error(
                draft.line,
                other == name ? "both keys of the peer are the same" : "the peer \"\(other)\" has the same key")
        }
        peers.append(peer)
        self.draft = nil
    }

    /// As which callers a process may act that joins under this name.
    private static func callers(of name: BusName) -> Set<BusCaller> {
        if let service = ServiceName(rawValue: name.rawValue) { return BusCaller.all(of: service) }
        return name == .launcher ? [] : [.operatorCommand]
    }

    private func error(_ line: Int, _ problem: String) -> PeerTableError {
        PeerTableError(line: line, peer: draft?.name?.rawValue, problem: problem)
    }
}
