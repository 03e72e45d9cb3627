internal import CCommonPasswords
import Crypto
package import FoundationEssentials

/// A set of widely used passwords as a Bloom filter (B. H. Bloom, CACM 13(7), 1970): three bytes for each, whatever its
/// length. It contains every password that it was made of, and one in 100,000 of all others.
///
/// The file: eight letters, the number of hash functions and the number of bytes that follow (64 bits each, big-endian),
/// the bits. A password is in it when all its bits are set: bit i of k is (a + i·b) modulo the number of bits, where a
/// and b are the first two 64-bit numbers of the SHA-256 of its lower-case UTF-8, b made odd.
package struct PasswordFilter: Sendable {
    private static let magic = Array("LKPWF001".utf8)
    private static let headerBytes = 24
    /// With as many bits for each password, 2^-16 of all others seem to be in the set.
    private static let bitsPerPassword = 24
    private static let standardHashes: UInt64 = 16
    private static let hashesLimit: UInt64 = 64

    /// The whole file.
    private let data: Data
    private let hashes: UInt64
    private let bits: UInt64

    /// The filter that is shipped with the program.
    package static let standard: PasswordFilter = {
        var count = 0
        // Not a copy: its pages remain in the file of the program, and only those in use are read.
        let filter = latchkey_common_passwords(&count).flatMap { bytes in
            let data = UnsafeMutableRawPointer(mutating: bytes)
            return PasswordFilter(Data(bytesNoCopy: data, count: count, deallocator: .none))
        }
        guard let filter else { preconditionFailure("the filter that is shipped is none") }
        return filter
    }()

    /// Reads a filter.
    /// - Returns: nil for bytes that are none, and for one that was cut off.
    package init?(_ data: Data) {
        // From here on the first byte has index 0.
        let data = data.startIndex == 0 ? data : Data(data)
        guard data.count > Self.headerBytes, data.prefix(8).elementsEqual(Self.magic) else { return nil }
        let hashes = Self.number(data, at: 8)
        let count = Self.number(data, at: 16)
        guard (1...Self.hashesLimit).contains(hashes), count == UInt64(data.count - Self.headerBytes) else {
            return nil
        }
        self.data = data
        self.hashes = hashes
        bits = count * 8
    }

    private static func number(_ data: Data, at offset: Int) -> UInt64 {
        data[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Whether a password, in lower case, is one of the set.
    package func contains(_ password: String) -> Bool {
        Self.positions(Array(password.utf8), hashes, bits).allSatisfy { position in
            data[Self.headerBytes + Int(position >> 3)] >> UInt8(position & 7) & 1 == 1
        }
    }

    /// The bytes of a filter of the passwords in `list`, one a line, in UTF-8 and form NFKC. Their case does not matter.
    /// - Returns: nil if there is none.
    package static func make(from list: Data) -> Data? {
        let lines = list.split(separator: UInt8(ascii: "\n")).lazy.map { line in
            String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self).lowercased()
        }.filter { !$0.isEmpty }
        let count = lines.reduce(into: 0) { count, _ in count += 1 }
        guard count > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: (count * bitsPerPassword + 7) / 8)
        let bits = UInt64(bytes.count) * 8
        for line in lines {
            for position in positions(Array(line.utf8), standardHashes, bits) {
                bytes[Int(position >> 3)] |= 1 << UInt8(position & 7)
            }
        }
        let numbers = [standardHashes, UInt64(bytes.count)].flatMap { withUnsafeBytes(of: $0.bigEndian, Array.init) }
        return Data(magic + numbers + bytes)
    }

    private static func positions(_ password: [UInt8], _ hashes: UInt64, _ bits: UInt64) -> some Sequence<UInt64> {
        let digest = SHA2.sha256(password)
        let first = digest[0..<8].reduce(0) { $0 << 8 | UInt64($1) }
        let step = digest[8..<16].reduce(0) { $0 << 8 | UInt64($1) } | 1
        return (0..<hashes).lazy.map { (first &+ $0 &* step) % bits }
    }
}
