import Testing
import UserFiles
import Vocabulary

/// Files that are sealed with a passphrase. Deriving a key takes a tenth of a second, so there are few files.
@Suite struct SealedFileTests {
    private static let passphrase = Secret("a long passphrase")

    private static func sealed(_ text: [UInt8], pieces size: Int = .max) throws -> [UInt8] {
        var writer = try SealedFileWriter(passphrase: passphrase)
        var (file, rest) = ([UInt8](), text[...])
        while !rest.isEmpty {
            file += try writer.seal(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        return try file + writer.finish()
    }

    private static func opened(
        _ file: [UInt8], pieces size: Int = .max, with passphrase: Secret<String> = passphrase
    ) throws -> [UInt8] {
        var reader = SealedFileReader(passphrase: passphrase)
        var (text, rest) = ([UInt8](), file[...])
        while !rest.isEmpty {
            text += try reader.open(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        text += try reader.finish()
        return try text + reader.finish()
    }

    @Test(arguments: [0, 1, SealedFile.pieceBytes, SealedFile.pieceBytes + 1, 3 * SealedFile.pieceBytes])
    func sealedTextIsReadAgain(length: Int) throws {
        let text = (0..<length).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let file = try Self.sealed(text, pieces: 50_000)
        #expect(SealedFile.isSealed(file))
        #expect(try Self.opened(file, pieces: 33_333) == text)
    }

    @Test func onlyThePassphraseOpensIt() throws {
        let file = try Self.sealed(Array("text".utf8))
        #expect(throws: SealedFileError.wrongPassphrase) {
            try Self.opened(file, with: Secret("another passphrase"))
        }
        let plain = Array(String(repeating: "{} ", count: 40).utf8)
        #expect(throws: SealedFileError.notSealed) { try Self.opened(plain) }
        #expect(throws: SealedFileError.notSealed) { try Self.opened([]) }
    }

    /// A sealed file that was cut is not taken for a plain one, wherever it was cut.
    @Test func cutFileIsDamaged() throws {
        let file = try Self.sealed([])
        for length in 0..<SealedFile.markBytes {
            #expect(throws: SealedFileError.notSealed) { try Self.opened(Array(file.prefix(length))) }
        }
        // Each file with its whole head costs a key; one stands for them.
        for length in [
            SealedFile.markBytes, SealedFile.markBytes + 1, file.count - 29, file.count - 28, file.count - 1,
        ] {
            #expect(throws: SealedFileError.damaged(piece: 0)) { try Self.opened(Array(file.prefix(length))) }
        }
    }

    /// No piece can be changed, cut off, repeated or moved.
    @Test func anyChangeIsNoticed() throws {
        let text = [UInt8](repeating: 0x61, count: 2 * SealedFile.pieceBytes + 10)
        let file = try Self.sealed(text)
        let size = SealedFile.pieceBytes + 28
        let head = file.count - 2 * size - 38
        func damage(_ change: (inout [UInt8]) -> Void) -> SealedFileError? {
            var changed = file
            change(&changed)
            do {
                _ = try Self.opened(changed)
                return nil
            } catch {
                return error as? SealedFileError
            }
        }
        #expect(damage { $0[20] ^= 1 } == .wrongPassphrase)
        #expect(damage { $0[head + 100] ^= 1 } == .damaged(piece: 0))
        #expect(damage { $0[$0.count - 1] ^= 1 } == .damaged(piece: 2))
        #expect(damage { $0.removeLast(38) } == .damaged(piece: 1))
        #expect(damage { $0.removeLast(38 + size) } == .damaged(piece: 0))
        #expect(damage { $0.removeSubrange(head..<head + size) } == .damaged(piece: 0))
        #expect(damage { $0 += [0] } == .damaged(piece: 2))
        #expect(damage { $0.removeLast() } == .damaged(piece: 2))
    }
}
