/// The master keys of an installation: the first one seals, and all of them open. Outside of a rotation there is one.
///
/// Its text, in a file or in the environment, is a list of keys separated by white space: one line for each.
package struct MasterKeyRing: Sendable {
    /// The key that seals new records.
    package let current: MasterKey
    /// Keys that only open older records.
    package let former: [MasterKey]

    /// More keys than overlapping rotations need.
    package static let limit = 16

    package init(_ current: MasterKey, former: [MasterKey] = []) {
        self.current = current
        self.former = former
    }

    /// - Throws: why the text is not a valid ring.
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

    /// The ids of all keys, the current one first. Not a secret.
    package var ids: [String] { all.map(\.id) }

    package subscript(id: String) -> MasterKey? { all.first { $0.id == id } }

    /// The secrets themselves, for a file that only its owner can read.
    package var text: String { all.map { $0.text + "\n" }.joined() }

    /// The ring in which `key` seals, and all other keys of this ring still open.
    package func rotated(to key: MasterKey) -> MasterKeyRing { .init(key, former: all.filter { $0.id != key.id }) }

    /// The ring in which `key` opens and seals nothing yet.
    package func announcing(_ key: MasterKey) -> MasterKeyRing { .init(current, former: former + [key]) }

    /// The ring in which the key seals that replaced the current one, where the ring has it.
    /// - Parameter replacements: by the id of a key, the id of the one that replaced it.
    func following(_ replacements: [String: String]) -> MasterKeyRing {
        var ring = self
        // Several rotations may have ended since the file was copied; each step follows one of them.
        for _ in former {
            guard let next = replacements[ring.current.id], let key = self[next] else { break }
            ring = ring.rotated(to: key)
        }
        return ring
    }

    /// The ring without a key that is not the current one.
    package func without(_ id: String) -> MasterKeyRing { .init(current, former: former.filter { $0.id != id }) }
}

/// Why a text is not a valid ring of master keys.
package enum MasterKeyRingError: Error, Equatable {
    /// Entry 1, 2, ... is not a valid key, or there is no entry.
    case malformed(entry: Int)
    case repeated(id: String)
    case tooMany

    /// The rest of a sentence that begins with the name of the file or variable.
    var problem: String {
        switch self {
        case .malformed(entry: 1): "holds no master key"
        case .malformed(let entry): "holds no master key as entry \(entry)"
        case .repeated(let id): "holds the master key \(id) twice"
        case .tooMany: "holds more than \(MasterKeyRing.limit) master keys"
        }
    }
}
