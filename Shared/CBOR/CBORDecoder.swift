/// Decodes CBOR from outside by the rules of the CTAP2 canonical CBOR encoding form (CTAP 2.1 §8) and within limits:
/// definite lengths, shortest numbers and lengths, no tags, no duplicate keys. It never allocates for an announced length.
package struct CBORDecoder: Sendable {
    /// Rule for the order of map keys.
    package enum KeyOrder: Sendable {
        case any
        /// CTAP2: lower major type first, then the shorter key, then the lower bytes.
        case canonical
    }

    /// Containers within containers; a scalar alone has depth 0.
    package var maximumDepth: Int
    /// Items of any kind, containers and keys included.
    package var maximumItems: Int
    package var maximumBytes: Int
    package var keyOrder: KeyOrder

    /// The standard limits have the depth that CTAP2 allows.
    package init(
        maximumDepth: Int = 4, maximumItems: Int = 512, maximumBytes: Int = 256 << 10, keyOrder: KeyOrder = .any
    ) {
        self.maximumDepth = maximumDepth
        self.maximumItems = maximumItems
        self.maximumBytes = maximumBytes
        self.keyOrder = keyOrder
    }

    /// Decodes one item that uses all of `bytes`.
    package func decode(_ bytes: [UInt8]) throws(CBORError) -> CBORValue {
        let (value, byteCount) = try decodeFirst(of: bytes)
        guard byteCount == bytes.count else { throw .trailingBytes }
        return value
    }

    /// Decodes the item at the start of `bytes`, which may be followed by other data.
    /// - Returns: the item, and how many bytes it uses.
    package func decodeFirst(of bytes: [UInt8]) throws(CBORError) -> (value: CBORValue, byteCount: Int) {
        guard bytes.count <= maximumBytes else { throw .tooLong }
        var reader = CBORHeadReader(bytes)
        var open: [OpenContainer] = []
        var itemCount = 0
        while true {
            let start = reader.position
            let head = try reader.next()
            itemCount += 1
            guard itemCount <= maximumItems else { throw .tooManyItems }
            var value: CBORValue
            switch head {
            case .scalar(let scalar):
                value = scalar
            case .array(let count), .map(let count):
                guard open.last?.expectsKey != true else { throw .unsupported }
                guard open.count < maximumDepth else { throw .tooDeep }
                // Each element has at least one byte, so a greater count is a truncated container.
                guard let count = Int(exactly: count), count <= reader.remainingBytes else { throw .malformed }
                let container = OpenContainer(isMap: head.isMap, count: count)
                guard container.isComplete else {
                    open.append(container)
                    continue
                }
                value = container.value
            }
            // A complete item may complete the containers around it.
            while var container = open.popLast() {
                try container.append(value, encoded: bytes[start..<reader.position], keyOrder)
                guard container.isComplete else {
                    open.append(container)
                    break
                }
                value = container.value
            }
            if open.isEmpty { return (value, reader.position) }
        }
    }
}

/// An array or a map whose elements are being decoded.
private struct OpenContainer {
    private let isMap: Bool
    private let count: Int
    private var elements: [CBORValue] = []
    private var entries: [CBORMap.Entry] = []
    private var key: CBORValue?
    private var lastEncodedKey: ArraySlice<UInt8> = []
    private var encodedKeys: Set<ArraySlice<UInt8>> = []

    init(isMap: Bool, count: Int) {
        self.isMap = isMap
        self.count = count
    }

    /// Whether the next item is a key of a map.
    var expectsKey: Bool { isMap && key == nil }

    var isComplete: Bool { (isMap ? entries.count : elements.count) == count }

    var value: CBORValue { isMap ? .map(CBORMap(entries)) : .array(elements) }

    /// - Parameter encoded: the bytes of the item, for a key.
    mutating func append(
        _ item: CBORValue, encoded: ArraySlice<UInt8>, _ order: CBORDecoder.KeyOrder
    ) throws(CBORError) {
        guard isMap else { return elements.append(item) }
        if let key {
            entries.append(.init(key: key, value: item))
            self.key = nil
            return
        }
        guard item.integer != nil || item.text != nil else { throw .unsupported }
        // Equal keys have equal bytes, because only the shortest form is accepted.
        guard encodedKeys.insert(encoded).inserted else { throw .duplicateKey }
        switch order {
        case .any: break
        case .canonical: guard Self.isOrdered(lastEncodedKey, encoded) else { throw .keyOrder }
        }
        lastEncodedKey = encoded
        key = item
    }

    /// Compares the major type, then the length, then the bytes.
    private static func isOrdered(_ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>) -> Bool {
        guard let first = a.first, let second = b.first else { return true }
        if first >> 5 != second >> 5 { return first >> 5 < second >> 5 }
        return a.count != b.count ? a.count < b.count : a.lexicographicallyPrecedes(b)
    }
}
