/// Splits a stream of bytes into lines of bounded length.
struct OutputLines {
    /// A longer line is cut here and its rest dropped, so that output without line ends uses bounded memory.
    static let maximumBytes = 4095

    private var line: [UInt8] = []

    /// The lines that `bytes` completes, without their ends. Bytes that are not UTF-8 are replaced.
    mutating func receive(_ bytes: some Sequence<UInt8>) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                lines += end()
            } else if line.count < Self.maximumBytes {
                line.append(byte)
            }
        }
        return lines
    }

    /// The text after the last line end, if any.
    mutating func end() -> [String] {
        defer { line.removeAll(keepingCapacity: true) }
        return line.isEmpty ? [] : [String(decoding: line, as: UTF8.self)]
    }
}
