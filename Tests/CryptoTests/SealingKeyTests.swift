import Crypto
import TestSupport
import Testing

@Suite struct SealingKeyTests {
    private let key: SealingKey
    private let plain = Array("a secret".utf8)
    private let binding = Array("accounts/a1/totp/k1".utf8)

    init() throws {
        key = try #require(SealingKey(Random.bytes(32)))
    }

    @Test(arguments: [0, 16, 31, 33, 64])
    func keyRequires32Bytes(count: Int) {
        #expect(SealingKey([UInt8](repeating: 1, count: count)) == nil)
    }

    @Test(arguments: [0, 1, 15, 16, 17, 5000])
    func sealedBytesOpen(count: Int) throws {
        let plain = Random.bytes(count)
        let sealed = try key.seal(plain, binding: binding)
        #expect(sealed.count == count + SealingKey.overheadBytes)
        #expect(try key.open(sealed, binding: binding) == plain)
        let unbound = try key.seal(plain, binding: [])
        #expect(try key.open(unbound, binding: []) == plain)
    }

    @Test func flippedBitIsRefused() throws {
        let sealed = try key.seal(plain, binding: binding)
        for bit in 0..<sealed.count * 8 {
            var changed = sealed
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: CryptoError.authenticationFailed, "bit \(bit)") { try key.open(changed, binding: binding) }
        }
    }

    @Test func flippedBitOfBindingIsRefused() throws {
        let sealed = try key.seal(plain, binding: binding)
        for bit in 0..<binding.count * 8 {
            var changed = binding
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: CryptoError.authenticationFailed, "bit \(bit)") { try key.open(sealed, binding: changed) }
        }
        #expect(throws: CryptoError.authenticationFailed) { try key.open(sealed, binding: []) }
    }

    @Test func truncatedOrExtendedRecordIsRefused() throws {
        let sealed = try key.seal(plain, binding: binding)
        for count in 0..<sealed.count {
            #expect(throws: CryptoError.authenticationFailed) {
                try key.open(Array(sealed.prefix(count)), binding: binding)
            }
        }
        #expect(throws: CryptoError.authenticationFailed) { try key.open(sealed + [0], binding: binding) }
    }

    @Test func otherKeyDoesNotOpen() throws {
        let sealed = try key.seal(plain, binding: binding)
        let other = try #require(SealingKey(Random.bytes(32)))
        #expect(throws: CryptoError.authenticationFailed) { try other.open(sealed, binding: binding) }
    }

    @Test func samePlaintextIsSealedDifferentlyEachTime() throws {
        let sealed = try (0..<1000).map { _ in try key.seal(plain, binding: binding) }
        #expect(Set(sealed.map { Array($0.prefix(12)) }).count == 1000)
    }

    /// `seal` cannot reproduce NIST's GCM example (McGrew and Viega, test case 16) because its nonces are random, but
    /// `open` decrypts it.
    @Test func publishedVectorOpens() throws {
        let key = try #require(
            [UInt8](hex: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308").flatMap(SealingKey.init))
        let nonce = "cafebabefacedbaddecaf888"
        let text = """
            522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662
            """
        let sealed = try #require([UInt8](hex: nonce + text + "76fc6ece0f4e1768cddf8853bb2d551b"))
        let binding = try #require([UInt8](hex: "feedfacedeadbeeffeedfacedeadbeefabaddad2"))
        let plain = """
            d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
            """
        #expect(try key.open(sealed, binding: binding) == [UInt8](hex: plain))
    }
}
