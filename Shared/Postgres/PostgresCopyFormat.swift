import SQL
import Vocabulary

/// The text format of `COPY` (PostgreSQL manual, COPY): a line for each row, tabs between the values.
enum PostgresCopyFormat {
    /// - Throws: `SQLError.other` for text with a NUL, which PostgreSQL cannot store.
    static func append(_ values: [SQLValue], to bytes: inout [UInt8]) throws(SQLError) {
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "\t")) }
            switch value {
            case .null: bytes += "\\N".utf8
            case .integer(let number): bytes += String(number).utf8
            case .real(let number): bytes += String(number).utf8
            case .text(let text): try append(text, to: &bytes)
            case .blob(let blob):
                bytes += "\\\\x".utf8
                bytes += blob.hexadecimal.utf8
            }
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) throws(SQLError) {
        for byte in text.utf8 {
            switch byte {
            case 0: throw .other(code: "22021", message: "text with a NUL character cannot be kept")
            case UInt8(ascii: "\\"): bytes += "\\\\".utf8
            case UInt8(ascii: "\t"): bytes += "\\t".utf8
            case UInt8(ascii: "\n"): bytes += "\\n".utf8
            case UInt8(ascii: "\r"): bytes += "\\r".utf8
            default: bytes.append(byte)
            }
        }
    }
}
