/// The names so far in each open object, to reject duplicates (RFC 8259 §4 leaves their meaning open). A few names are
/// compared with each other. The names of a larger object are hashed, so that the cost of a member does not grow with
/// the members before it.
struct JSONNameIndex {
    /// Up to here comparing is faster than hashing.
    private static let maximumCompared = 48

    /// The larger objects among the open ones.
    private var hashed: [(object: Int, hashes: Set<Int>)] = []

    /// - Parameter name: the last node.
    /// - Returns: false if the object has a member of the same name.
    mutating func insert(_ name: Int, of object: Int, nodes: [JSONNode], bytes: [UInt8]) -> Bool {
        guard nodes[object].count >= Self.maximumCompared else {
            return !Self.hasEqual(name, in: object, nodes: nodes, bytes: bytes)
        }
        if hashed.last?.object != object {
            var hashes: Set<Int> = []
            var other = object + 1
            while other < name {
                hashes.insert(Self.hash(other, nodes, bytes))
                other = nodes[other + 1].indexAfter(other + 1)
            }
            hashed.append((object, hashes))
        }
        let isNew = hashed[hashed.endIndex - 1].hashes.insert(Self.hash(name, nodes, bytes)).inserted
        // Swift seeds the hashes of each process, so a client cannot search for names with equal hashes.
        return isNew || !Self.hasEqual(name, in: object, nodes: nodes, bytes: bytes)
    }

    mutating func leave(_ container: Int) {
        if hashed.last?.object == container { hashed.removeLast() }
    }

    private static func hasEqual(_ name: Int, in object: Int, nodes: [JSONNode], bytes: [UInt8]) -> Bool {
        let text = bytes.span.extracting(nodes[name].bytes)
        var other = object + 1
        while other < name {
            if bytes.span.isEqual(nodes[other].bytes, to: text) { return true }
            other = nodes[other + 1].indexAfter(other + 1)
        }
        return false
    }

    private static func hash(_ name: Int, _ nodes: [JSONNode], _ bytes: [UInt8]) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes[nodes[name].bytes])
        return hasher.finalize()
    }
}
