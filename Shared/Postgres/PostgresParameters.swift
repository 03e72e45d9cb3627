import SQL

/// The parameter values of a statement in libpq's format: numbers as digits, text unchanged, blobs as bytes.
struct PostgresParameters {
    /// Every value, each followed by a NUL for C.
    private var bytes: [UInt8] = []
    /// Where each value starts; nil for null.
    private var starts: [Int?] = []
    private var lengths: [Int32] = []
    /// 0 for text, 1 for bytes.
    private var formats: [Int32] = []

    /// For a statement without parameters.
    static let none = PostgresParameters()

    private init() {}

    /// - Throws: `SQLError.other` for a value that its parameter type does not accept, for text with a NUL, which
    ///   PostgreSQL cannot store, and for a gigabyte.
    init(_ values: [SQLValue], types: [PostgresType]) throws(SQLError) {
        guard values.count == types.count else { throw .parameterCount(expected: types.count, given: values.count) }
        for (index, (value, type)) in zip(values, types).enumerated() {
            guard type.takes(value) else {
                throw .other(
                    code: "42804",
                    message:
                        "parameter $\(index + 1) is given \(value.kind), of which \(type.name) would make something else"
                )
            }
            starts.append(value == .null ? nil : bytes.count)
            let start = bytes.count
            switch value {
            case .null: break
            case .integer(let number): bytes += String(number).utf8
            case .real(let number): bytes += String(number).utf8
            case .text(let text):
                guard !text.utf8.contains(0) else {
                    throw .other(
                        code: "22021", message: "text with a NUL character, given for $\(index + 1), cannot be kept")
                }
                bytes += text.utf8
            case .blob(let blob): bytes += blob
            }
            guard let length = Int32(exactly: bytes.count - start), length < 1 << 30 else {
                throw .other(code: "54000", message: "parameter $\(index + 1) is too long")
            }
            lengths.append(length)
            if case .blob = value { formats.append(1) } else { formats.append(0) }
            bytes.append(0)
        }
    }

    func withPointers<Result>(
        _ body: (_ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]) -> Result
    ) -> Result {
        bytes.withUnsafeBytes { bytes in
            let characters = bytes.assumingMemoryBound(to: CChar.self)
            let values = starts.map { start in start.flatMap { start in characters.baseAddress.map { $0 + start } } }
            return body(values, lengths, formats)
        }
    }
}
