/// Divides `{"users": […]}` into the elements of its array, with bounded memory. Other members are skipped. The
/// elements are not checked here: their decoder scans them.
struct JSONUserScanner: Sendable {
    private enum State: Equatable {
        case start
        /// After `{` (a name or `}` follows), or after `,` (a name follows).
        case name(isFirst: Bool)
        case inName, afterName, value
        /// In the value of another member, with the number of open brackets.
        case skipping(depth: Int), skippingText(depth: Int), skippingEscape(depth: Int)
        /// After `[` or, with `isFirst` false, after `,`.
        case element(isFirst: Bool)
        case inElement(depth: Int), inText(depth: Int), inEscape(depth: Int)
        case afterElement, afterValue, end
    }

    private static let wanted = Array("users".utf8)
    private static let maximumNameBytes = 64

    private var state = State.start
    /// The text of the current member, or of the current element.
    private var text: [UInt8] = []
    private var hasUsers = false
    private var position = RecordPosition(number: 1, byteOffset: 0)
    private var offset = 0

    /// - Returns: the elements that the bytes complete.
    mutating func receive(_ bytes: some Sequence<UInt8>) throws(UserFileError) -> [RawRecord] {
        var records: [RawRecord] = []
        for byte in bytes {
            if let record = try receive(byte) { records.append(record) }
            offset += 1
        }
        return records
    }

    /// - Throws: `truncated` when the object is not complete.
    func finish() throws(UserFileError) {
        guard state == .end, hasUsers else { throw .truncated(here) }
    }

    private var here: RecordPosition { .init(number: position.number, byteOffset: offset) }

    private mutating func receive(_ byte: UInt8) throws(UserFileError) -> RawRecord? {
        switch state {
        case .inElement(let depth), .inText(let depth), .inEscape(let depth):
            return try receiveInElement(byte, depth)
        case .skipping(let depth):
            try skip(byte, depth)
        case .skippingText(let depth):
            if byte == UInt8(ascii: "\\") { state = .skippingEscape(depth: depth) }
            if byte == UInt8(ascii: "\"") { state = .skipping(depth: depth) }
        case .skippingEscape(let depth): state = .skippingText(depth: depth)
        case .inName:
            guard byte != UInt8(ascii: "\"") else {
                state = .afterName
                break
            }
            guard text.count < Self.maximumNameBytes else { throw .malformed(here) }
            text.append(byte)
        case .start, .name, .afterName, .value, .element, .afterElement, .afterValue, .end:
            if !Self.isSpace(byte) { try receiveBetween(byte) }
        }
        return nil
    }

    /// A byte between the values, which is no white space.
    private mutating func receiveBetween(_ byte: UInt8) throws(UserFileError) {
        switch (state, byte) {
        case (.start, UInt8(ascii: "{")): state = .name(isFirst: true)
        case (.name, UInt8(ascii: "\"")):
            text.removeAll(keepingCapacity: true)
            state = .inName
        case (.name(isFirst: true), UInt8(ascii: "}")), (.afterValue, UInt8(ascii: "}")): state = .end
        case (.afterName, UInt8(ascii: ":")): state = .value
        case (.value, _): try beginValue(byte)
        case (.element, UInt8(ascii: "{")):
            text.removeAll(keepingCapacity: true)
            text.append(byte)
            position.byteOffset = offset
            state = .inElement(depth: 1)
        case (.element(isFirst: true), UInt8(ascii: "]")), (.afterElement, UInt8(ascii: "]")): state = .afterValue
        case (.afterElement, UInt8(ascii: ",")): state = .element(isFirst: false)
        case (.afterValue, UInt8(ascii: ",")): state = .name(isFirst: false)
        default: throw .malformed(here)
        }
    }

    private mutating func beginValue(_ byte: UInt8) throws(UserFileError) {
        guard text == Self.wanted else {
            state = .skipping(depth: 0)
            return try skip(byte, 0)
        }
        guard byte == UInt8(ascii: "["), !hasUsers else { throw .malformed(here) }
        hasUsers = true
        state = .element(isFirst: true)
    }

    private mutating func skip(_ byte: UInt8, _ depth: Int) throws(UserFileError) {
        switch byte {
        case UInt8(ascii: "\""): state = .skippingText(depth: depth)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard depth < 64 else { throw .malformed(here) }
            state = .skipping(depth: depth + 1)
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            guard depth > 0 else {
                state = .afterValue
                return try receiveBetween(byte)
            }
            state = .skipping(depth: depth - 1)
        case UInt8(ascii: ",") where depth == 0: state = .name(isFirst: false)
        default: break
        }
    }

    private mutating func receiveInElement(_ byte: UInt8, _ depth: Int) throws(UserFileError) -> RawRecord? {
        guard text.count < UserFileError.maximumRecordBytes else { throw .recordTooLong(position) }
        text.append(byte)
        switch (state, byte) {
        case (.inEscape, _): state = .inText(depth: depth)
        case (.inText, UInt8(ascii: "\\")): state = .inEscape(depth: depth)
        case (.inText, UInt8(ascii: "\"")): state = .inElement(depth: depth)
        case (.inText, _): break
        case (_, UInt8(ascii: "\"")): state = .inText(depth: depth)
        case (_, UInt8(ascii: "{")), (_, UInt8(ascii: "[")): state = .inElement(depth: depth + 1)
        case (_, UInt8(ascii: "}")), (_, UInt8(ascii: "]")):
            guard depth == 1 else {
                state = .inElement(depth: depth - 1)
                break
            }
            let record = RawRecord(position: position, content: .json(text))
            position.number += 1
            state = .afterElement
            return record
        default: break
        }
        return nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09
    }
}
