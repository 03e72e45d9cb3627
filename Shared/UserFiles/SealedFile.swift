package import Crypto
package import Vocabulary

/// A file that is sealed with a passphrase: Argon2id derives the key, and AES-256-GCM seals pieces of the text.
///
/// The file is `latchkey-sealed-1` and a line end ‖ salt (16 bytes) ‖ an empty text ‖ pieces. Each of the texts is
/// sealed as nonce (12) ‖ ciphertext ‖ tag (16), and authenticates all that stands before the pieces, its number and
/// whether it is the last one. So no piece can be changed, moved, removed or added. The empty text tells a wrong
/// passphrase from a changed file.
package enum SealedFile {
    /// Characters of a passphrase.
    package static let minimumPassphraseLength = 16

    static let mark = Array("latchkey-sealed-1\n".utf8)
    /// Bytes that show whether a file is sealed.
    package static let markBytes = mark.count
    static let saltBytes = 16
    static let headBytes = mark.count + saltBytes + SealingKey.overheadBytes
    /// Bytes of the text in each piece but the last.
    package static let pieceBytes = 64 << 10

    /// Ten times as much work as for the password of a user: guesses run on computers of the guesser.
    private static let cost = Argon2.Parameters(memoryKiB: 65_536, iterations: 6, parallelism: 1, tagBytes: 32)

    /// Whether a file that begins with these bytes is sealed.
    package static func isSealed(_ beginning: [UInt8]) -> Bool { beginning.starts(with: mark) }

    /// It takes a tenth of a second or more.
    static func key(_ passphrase: Secret<String>, salt: [UInt8]) throws(CryptoError) -> SealingKey {
        let bytes = try Argon2.hash(password: Array(passphrase.reveal().utf8), salt: salt, cost)
        guard let key = SealingKey(bytes) else { preconditionFailure("a derived key has 32 bytes") }
        return key
    }

    /// What a piece authenticates besides its text.
    static func binding(_ head: [UInt8], piece number: UInt64, isLast: Bool) -> [UInt8] {
        head + (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } + [isLast ? 1 : 0]
    }
}

/// Why a sealed file cannot be opened.
package enum SealedFileError: Error, Equatable, Sendable {
    case notSealed
    case wrongPassphrase
    /// A piece was changed or is missing. The number counts from 0.
    case damaged(piece: UInt64)
}

/// Seals a text, in any pieces. The bytes that it returns are the file, in their order.
package struct SealedFileWriter: Sendable {
    private let head: [UInt8]
    private let key: SealingKey
    private var hasHead = false
    private var pieces: UInt64 = 0
    private var waiting: [UInt8] = []

    package init(passphrase: Secret<String>) throws(CryptoError) {
        let beginning = SealedFile.mark + Random.bytes(SealedFile.saltBytes)
        key = try SealedFile.key(passphrase, salt: Array(beginning.suffix(SealedFile.saltBytes)))
        head = beginning + (try key.seal([], binding: beginning))
    }

    /// - Returns: the bytes of the file that the text completes.
    package mutating func seal(_ text: some Sequence<UInt8>) throws(CryptoError) -> [UInt8] {
        waiting += text
        var sealed = unwrittenHead()
        // The last piece is sealed by `finish` only.
        while waiting.count > SealedFile.pieceBytes {
            sealed += try piece(Array(waiting.prefix(SealedFile.pieceBytes)), isLast: false)
            waiting.removeFirst(SealedFile.pieceBytes)
        }
        return sealed
    }

    /// - Returns: the end of the file.
    package mutating func finish() throws(CryptoError) -> [UInt8] {
        unwrittenHead() + (try piece(waiting, isLast: true))
    }

    private mutating func unwrittenHead() -> [UInt8] {
        defer { hasHead = true }
        return hasHead ? [] : head
    }

    private mutating func piece(_ text: [UInt8], isLast: Bool) throws(CryptoError) -> [UInt8] {
        defer { pieces += 1 }
        return try key.seal(text, binding: SealedFile.binding(head, piece: pieces, isLast: isLast))
    }
}

/// Opens a sealed file, in any pieces. No text leaves it before its piece is authenticated.
package struct SealedFileReader: Sendable {
    private let passphrase: Secret<String>
    private var opened: (key: SealingKey, head: [UInt8])?
    private var pieces: UInt64 = 0
    private var waiting: [UInt8] = []
    private var isFinished = false

    package init(passphrase: Secret<String>) {
        self.passphrase = passphrase
    }

    /// - Returns: the text that the bytes complete.
    package mutating func open(_ bytes: some Sequence<UInt8>) throws -> [UInt8] {
        waiting += bytes
        if opened == nil {
            guard waiting.count >= SealedFile.headBytes else { return [] }
            opened = try openHead(Array(waiting.prefix(SealedFile.headBytes)))
            waiting.removeFirst(SealedFile.headBytes)
        }
        var text: [UInt8] = []
        let size = SealedFile.pieceBytes + SealingKey.overheadBytes
        while waiting.count > size {
            text += try piece(Array(waiting.prefix(size)), isLast: false)
            waiting.removeFirst(size)
        }
        return text
    }

    /// Call it at the end of the file.
    /// - Returns: the rest of the text; nothing when it is called again.
    package mutating func finish() throws -> [UInt8] {
        guard !isFinished else { return [] }
        isFinished = true
        return try piece(waiting, isLast: true)
    }

    private func openHead(_ head: [UInt8]) throws -> (key: SealingKey, head: [UInt8]) {
        guard SealedFile.isSealed(head) else { throw SealedFileError.notSealed }
        let beginning = head.dropLast(SealingKey.overheadBytes)
        let key = try SealedFile.key(passphrase, salt: Array(beginning.suffix(SealedFile.saltBytes)))
        do {
            _ = try key.open(Array(head.suffix(SealingKey.overheadBytes)), binding: Array(beginning))
        } catch CryptoError.authenticationFailed {
            throw SealedFileError.wrongPassphrase
        }
        return (key, head)
    }

    private mutating func piece(_ sealed: [UInt8], isLast: Bool) throws -> [UInt8] {
        // The file ended before the pieces.
        guard let opened else { throw SealedFile.isSealed(sealed) ? SealedFileError.damaged(piece: 0) : .notSealed }
        defer { pieces += 1 }
        do {
            return try opened.key.open(
                sealed, binding: SealedFile.binding(opened.head, piece: pieces, isLast: isLast))
        } catch CryptoError.authenticationFailed {
            throw SealedFileError.damaged(piece: pieces)
        }
    }
}
