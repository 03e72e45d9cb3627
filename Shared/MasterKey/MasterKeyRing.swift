/// The master keys of an installation: the first seals, all of them open. There is one, but for the time of a rotation.
///
/// Its text, in a file or in the environment, is one key after another with white space between them: a line for each.
package struct MasterKeyRing: Sendable {
    /// What is sealed now is sealed under this one.
    package let current: MasterKey
    /// They only open what was sealed before.
    package let former: [MasterKey]

    /// More keys than anybody rotates through before the first is given up.
    package static let limit = 16

    package init(_ current: MasterKey, former: [MasterKey] = []) {
        self.current = current
        self.former = former
    }

    /// - Throws: why the text is no ring.
    package init(text: String) throws(MasterKeyRingError) {
        var keys: [MasterKey] = []
        for word in text.split(whereSeparator: \.isWhitespace) {
            guard keys.count < Self.limit else { throw .tooMany }
            guard let key = MasterKey(text: String(word)) else { throw .malformed(entry: keys.count + 1) }
            guard !keys.contains(where: { $0.id == key.id }) else { throw .repeated(id: key.id) }
            keys.append(key)
        }
        guard let current = keys.first else { throw .malformed(entry: 1) }
        self.init(current, former: Array(keys.dropFirst()))
    }

    /// The current key first.
    package var all: [MasterKey] { [current] + former }

    /// Of all keys, the current one first. No secret.
    package var ids: [String] { all.map(\.id) }

    package subscript(id: String) -> MasterKey? { all.first { $0.id == id } }

    /// The secrets themselves, to be written to a file nobody else can read.
    package var text: String { all.map { $0.text + "\n" }.joined() }

    /// The ring in which `key` seals, and all keys of this one still open.
    package func rotated(to key: MasterKey) -> MasterKeyRing { .init(key, former: all) }
}

/// Why a text is no ring of master keys.
package enum MasterKeyRingError: Error, Equatable {
    /// Entry 1, 2, ... is no key, or there is none at all.
    case malformed(entry: Int)
    case repeated(id: String)
    case tooMany

    /// The rest of a sentence that begins with where the text stands.
    var problem: String {
        switch self {
        case .malformed(entry: 1): "holds no master key"
        case .malformed(let entry): "holds no master key as entry \(entry)"
        case .repeated(let id): "holds the master key \(id) twice"
        case .tooMany: "holds more than \(MasterKeyRing.limit) master keys"
        }
    }
}
