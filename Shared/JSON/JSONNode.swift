/// One value or member name of a document. The nodes of a document are in the order of its text: a container stands
/// before its content, and a name before its value.
struct JSONNode: Sendable {
    /// An integer has neither a fraction nor an exponent.
    enum Kind: UInt8 {
        case null, `false`, `true`, integer, number, string, array, object
    }

    let kind: Kind
    // In 32 bits, so that a node takes 12 bytes. Documents are shorter than 2 GiB.
    private var first: UInt32
    private var last: UInt32

    init(_ kind: Kind, _ range: Range<Int> = 0..<0) {
        self.kind = kind
        first = UInt32(truncatingIfNeeded: range.lowerBound)
        last = UInt32(truncatingIfNeeded: range.upperBound)
    }

    // MARK: Strings and numbers

    /// The bytes of a string (without its quotes) or a number, in the bytes of the document.
    var bytes: Range<Int> { start..<end }

    // MARK: Containers

    /// The number of elements or members.
    var count: Int {
        get { start }
        set { first = UInt32(truncatingIfNeeded: newValue) }
    }

    /// The index of the node after the content.
    var contentEnd: Int {
        get { end }
        set { last = UInt32(truncatingIfNeeded: newValue) }
    }

    /// The index of the node that follows this value, which has the index `index`.
    func indexAfter(_ index: Int) -> Int {
        switch kind {
        case .array, .object: end
        case .null, .false, .true, .integer, .number, .string: index + 1
        }
    }

    private var start: Int { Int(truncatingIfNeeded: first) }
    private var end: Int { Int(truncatingIfNeeded: last) }
}
