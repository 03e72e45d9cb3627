/// Stores at most `capacity` values and removes the least recently used one first. Every operation except `removeAll`
/// takes constant time.
struct LRUCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// A node of the list, ordered from the most to the least recent use.
    private struct Entry: Sendable {
        var key: Key
        var value: Value
        var newer: Int?
        var older: Int?
    }

    let capacity: Int
    private var entries: [Entry] = []
    private var positions: [Key: Int] = [:]
    private var newest: Int?
    private var oldest: Int?

    var count: Int { entries.count }

    /// - Precondition: `capacity` is at least 1.
    init(capacity: Int) {
        precondition(capacity > 0, "a cache without room")
        self.capacity = capacity
    }

    /// Reads and writes count as use. Values are removed only by `removeAll(where:)` or by eviction.
    subscript(key: Key) -> Value? {
        mutating get {
            guard let position = positions[key] else { return nil }
            touch(position)
            return entries[position].value
        }
    }

    mutating func set(_ value: Value, for key: Key) {
        if let position = positions[key] {
            entries[position].value = value
            touch(position)
        } else if entries.count < capacity {
            entries.append(.init(key: key, value: value))
            positions[key] = entries.count - 1
            link(entries.count - 1)
        } else if let position = oldest {
            unlink(position)
            positions[entries[position].key] = nil
            entries[position] = .init(key: key, value: value)
            positions[key] = position
            link(position)
        }
    }

    mutating func removeAll(where isUnwanted: (Value) -> Bool) {
        var kept = Self(capacity: capacity)
        var position = oldest
        while let current = position {
            if !isUnwanted(entries[current].value) { kept.set(entries[current].value, for: entries[current].key) }
            position = entries[current].newer
        }
        self = kept
    }

    private mutating func touch(_ position: Int) {
        guard newest != position else { return }
        unlink(position)
        link(position)
    }

    private mutating func unlink(_ position: Int) {
        let (newer, older) = (entries[position].newer, entries[position].older)
        if let newer { entries[newer].older = older } else { newest = older }
        if let older { entries[older].newer = newer } else { oldest = newer }
    }

    private mutating func link(_ position: Int) {
        entries[position].newer = nil
        entries[position].older = newest
        if let newest { entries[newest].newer = position }
        newest = position
        if oldest == nil { oldest = position }
    }
}
