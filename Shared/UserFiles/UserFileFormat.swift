/// The forms of a file of users.
package enum UserFileFormat: String, CaseIterable, Sendable {
    /// One JSON object with the array `users`, as `firebase auth:export` writes it.
    case json
    /// 29 columns without a heading, as `firebase auth:export` writes them.
    case csv
    /// One JSON object in each line, with all that Latchkey can export.
    case jsonl

    /// The format that the name of a file shows.
    package init?(path: String) {
        guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        switch path[path.utf8.index(after: dot)...].lowercased() {
        case "json": self = .json
        case "csv": self = .csv
        case "jsonl", "ndjson": self = .jsonl
        default: return nil
        }
    }
}

/// The place of a record in its file.
package struct RecordPosition: Equatable, Sendable {
    /// 1 for the first record.
    package var number: Int
    /// The position of its first byte, from 0.
    package var byteOffset: Int

    package init(number: Int, byteOffset: Int) {
        self.number = number
        self.byteOffset = byteOffset
    }
}

/// Why the rest of a file cannot be read.
package enum UserFileError: Error, Equatable, Sendable {
    /// The file ends inside a record, or before the end of its array.
    case truncated(RecordPosition)
    /// The bytes at the offset do not belong to the format.
    case malformed(RecordPosition)
    /// A record has more than `maximumRecordBytes`.
    case recordTooLong(RecordPosition)

    /// The bound of one record, with its white space.
    package static let maximumRecordBytes = 256 << 10
}

/// The bytes of one record, before its fields are decoded.
struct RawRecord: Equatable, Sendable {
    enum Content: Equatable, Sendable {
        case json([UInt8])
        case fields([[UInt8]])
    }

    var position: RecordPosition
    var content: Content
}
