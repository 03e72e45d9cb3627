/// Reads a structure of the TPM 2.0 Library, Part 2, field by field. Numbers are big-endian.
struct TPMReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    /// - Returns: nil if fewer bytes are left.
    mutating func bytes(_ count: Int) -> [UInt8]? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func uint8() -> UInt8? { rest.popFirst() }

    mutating func uint16() -> UInt16? { bytes(2)?.reduce(0) { $0 << 8 | UInt16($1) } }

    mutating func uint32() -> UInt32? { bytes(4)?.reduce(0) { $0 << 8 | UInt32($1) } }

    mutating func uint64() -> UInt64? { bytes(8)?.reduce(0) { $0 << 8 | UInt64($1) } }

    /// A `TPM2B` structure: the length in two bytes, then the content.
    mutating func sizedBytes() -> [UInt8]? { uint16().flatMap { bytes(Int($0)) } }
}
