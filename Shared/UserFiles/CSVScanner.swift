/// Divides CSV into records (RFC 4180). `firebase auth:export` puts fields with a comma in quotes but does not double
/// the quotes in them, so a quote that no comma and no line end follows is part of the field.
struct CSVScanner: Sendable {
    private enum State {
        case fieldStart, plain, quoted
        /// After a quote in a quoted field: its end, or a quote in the text.
        case afterQuote
    }

    private static let maximumFields = 64

    private var state = State.fieldStart
    private var field: [UInt8] = []
    private var fields: [[UInt8]] = []
    private var byteCount = 0
    private var position = RecordPosition(number: 1, byteOffset: 0)
    private var offset = 0
    /// The fields of the first record: a last record without a line end must have as many.
    private var firstFieldCount: Int?

    /// - Returns: the records that the bytes complete.
    mutating func receive(_ bytes: some Sequence<UInt8>) throws(UserFileError) -> [RawRecord] {
        var records: [RawRecord] = []
        for byte in bytes {
            if let record = try receive(byte) { records.append(record) }
        }
        return records
    }

    /// The last record, if it has no line end.
    /// - Throws: `truncated` when it ends in quotes, or has fewer fields than the first record.
    mutating func finish() throws(UserFileError) -> RawRecord? {
        guard byteCount > 0 else { return nil }
        let start = position
        guard state != .quoted else { throw .truncated(start) }
        guard let record = try endRecord(), case .fields(let fields) = record.content else { return nil }
        guard fields.count >= firstFieldCount ?? UserRecordColumns.count else { throw .truncated(start) }
        return record
    }

    private mutating func receive(_ byte: UInt8) throws(UserFileError) -> RawRecord? {
        guard byteCount < UserFileError.maximumRecordBytes else { throw .recordTooLong(position) }
        byteCount += 1
        offset += 1
        switch (state, byte) {
        case (.quoted, UInt8(ascii: "\"")): state = .afterQuote
        case (.quoted, _): field.append(byte)
        case (.fieldStart, UInt8(ascii: "\"")): state = .quoted
        case (.afterQuote, UInt8(ascii: "\"")):
            field.append(byte)
            state = .quoted
        case (_, UInt8(ascii: ",")): try endField()
        case (_, UInt8(ascii: "\n")): return try endRecord()
        case (_, UInt8(ascii: "\r")) where state != .afterQuote: field.append(byte)
        case (.afterQuote, UInt8(ascii: "\r")): break
        case (.afterQuote, _):
            field.append(UInt8(ascii: "\""))
            field.append(byte)
            state = .quoted
        case (.fieldStart, _), (.plain, _):
            field.append(byte)
            state = .plain
        }
        return nil
    }

    private mutating func endField() throws(UserFileError) {
        guard fields.count < Self.maximumFields else { throw .malformed(position) }
        fields.append(field)
        field.removeAll(keepingCapacity: true)
        state = .fieldStart
    }

    private mutating func endRecord() throws(UserFileError) -> RawRecord? {
        if field.last == UInt8(ascii: "\r") { field.removeLast() }
        defer {
            byteCount = 0
            fields.removeAll(keepingCapacity: true)
            position.byteOffset = offset
        }
        try endField()
        guard fields != [[]] else { return nil }
        defer { position.number += 1 }
        firstFieldCount = firstFieldCount ?? fields.count
        return RawRecord(position: position, content: .fields(fields))
    }
}
