/// Reads the fields of a header, one after the other. It never reads beyond the end, whatever the bytes say.
struct BusHeaderReader {
    private let bytes: UnsafeRawBufferPointer
    private var position: Int

    /// - Parameter position: of the first field; beyond the end there is none.
    init(_ bytes: UnsafeRawBufferPointer, from position: Int) {
        self.bytes = bytes
        self.position = min(position, bytes.count)
    }

    var isAtEnd: Bool { position == bytes.count }

    private mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count <= bytes.count - position else { return nil }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<(position + count)])
    }

    /// A number in network byte order.
    mutating func integer<Value: FixedWidthInteger>(or error: BusMessageError) throws(BusMessageError) -> Value {
        guard let field = take(MemoryLayout<Value>.size) else { throw error }
        return Value(bigEndian: field.loadUnaligned(as: Value.self))
    }

    mutating func sixteenBytes<Value: SixteenBytes>(or error: BusMessageError) throws(BusMessageError) -> Value {
        guard let field = take(Value.byteCount), let value = Value(field) else { throw error }
        return value
    }

    /// A name after its length in one byte.
    mutating func name() throws(BusMessageError) -> BusName {
        guard let name = try optionalName() else { throw .malformedName }
        return name
    }

    /// - Returns: nil for the length 0.
    mutating func optionalName() throws(BusMessageError) -> BusName? {
        let count: UInt8 = try integer(or: .malformedName)
        if count == 0 { return nil }
        guard let field = take(Int(count)), let name = BusName(field) else { throw .malformedName }
        return name
    }
}

/// The same fields, written.
extension [UInt8] {
    mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    mutating func append(_ value: some SixteenBytes) {
        value.withBytes { append(contentsOf: $0) }
    }

    /// A name after its length in one byte; the length 0 for none.
    mutating func append(_ name: BusName?) {
        let bytes = (name?.rawValue ?? "").utf8
        append(UInt8(bytes.count))  // `BusName` bounds it.
        append(contentsOf: bytes)
    }
}
