import JSON

/// Divides JSON Lines into records. Empty lines are skipped.
struct LineScanner: Sendable {
    private var line: [UInt8] = []
    private var position = RecordPosition(number: 1, byteOffset: 0)
    private var offset = 0

    /// - Returns: the lines that the bytes complete.
    mutating func receive(_ bytes: some Sequence<UInt8>) throws(UserFileError) -> [RawRecord] {
        var records: [RawRecord] = []
        for byte in bytes {
            offset += 1
            guard byte == UInt8(ascii: "\n") else {
                guard line.count < UserFileError.maximumRecordBytes else { throw .recordTooLong(position) }
                line.append(byte)
                continue
            }
            if let record = endLine() { records.append(record) }
        }
        return records
    }

    /// The last line, if it has no line end.
    /// - Throws: `truncated` when it is not complete JSON.
    mutating func finish() throws(UserFileError) -> RawRecord? {
        let start = position
        guard let record = endLine(), case .json(let text) = record.content else { return nil }
        do throws(JSONError) {
            try JSONLimits.standard.check(text)
        } catch {
            throw .truncated(start)
        }
        return record
    }

    private mutating func endLine() -> RawRecord? {
        defer {
            line.removeAll(keepingCapacity: true)
            position.byteOffset = offset
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard line.contains(where: { $0 != 0x20 && $0 != 0x09 }) else { return nil }
        defer { position.number += 1 }
        return RawRecord(position: position, content: .json(line))
    }
}
