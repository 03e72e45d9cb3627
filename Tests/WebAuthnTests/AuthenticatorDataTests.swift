import CBOR
import Testing
import WebAuthn

@Suite struct AuthenticatorDataTests {
    private func data(flags: UInt8, after: [UInt8] = []) -> [UInt8] {
        [UInt8](repeating: 5, count: 32) + [flags, 0x01, 0x02, 0x03, 0x04] + after
    }

    /// A credential ID of two bytes and a COSE key that is not checked here.
    private let credential = [UInt8](repeating: 0xab, count: 16) + [0, 2, 8, 9] + [0xa1, 0x01, 0x02]

    @Test func fieldsAreRead() throws {
        let data = try AuthenticatorData(data(flags: 0xc5, after: credential + [0xa1, 0x61, 0x61, 0xf5]))
        #expect(data.relyingPartyIDHash == .init(repeating: 5, count: 32))
        #expect(data.flags.contains([.userPresent, .userVerified, .attestedCredentialData, .extensionData]))
        #expect(!data.flags.contains(.backupEligible) && !data.flags.contains(.backedUp))
        #expect(data.signCount == 0x0102_0304)
        #expect(data.attestedCredentialData?.credentialID == [8, 9])
        #expect(data.attestedCredentialData?.publicKey == [0xa1, 0x01, 0x02])
        #expect(data.attestedCredentialData?.aaguid == AAGUID(.init(repeating: 0xab, count: 16)))
        #expect(data.extensions?["a"] == .bool(true))
    }

    /// Bits 1 and 5.
    @Test func reservedFlagsAreIgnored() throws {
        #expect(try AuthenticatorData(data(flags: 0x23)).flags.contains(.userPresent))
    }

    /// Security rule WR16.
    @Test func lengthsAgreeWithTheFlags() {
        #expect(throws: Never.self) { try AuthenticatorData(data(flags: 0x01)) }
        let key = Array(credential.prefix(19))
        let longID = [UInt8](repeating: 0, count: 16) + [0xff, 0xff, 1]
        let cases: [(flags: UInt8, after: [UInt8])] = [
            (0x01, [0]), (0x01, credential), (0x41, []), (0x41, credential + [0]), (0x81, []),
            (0x81, [0xa0, 0]), (0x81, [0x80]), (0x81, [0xa1]), (0xc1, credential), (0x41, key),
            (0x41, longID),
        ]
        for (flags, after) in cases {
            #expect(throws: WebAuthnError.malformedAuthenticatorData) {
                try AuthenticatorData(data(flags: flags, after: after))
            }
        }
        #expect(throws: WebAuthnError.malformedKey) {
            try AuthenticatorData(data(flags: 0x41, after: Array(credential.dropLast())))
        }
    }

    @Test func lengthIsLimited() {
        let extensions = { (count: Int) in
            CBORBytes.map([(CBORBytes.text("a"), CBORBytes.bytes(.init(repeating: 0, count: count)))])
        }
        // 37 bytes before the extensions, and 6 for the heads in them.
        let bound = AuthenticatorData.maximumBytes - 43
        #expect(throws: Never.self) { try AuthenticatorData(data(flags: 0x81, after: extensions(bound))) }
        #expect(throws: WebAuthnError.malformedAuthenticatorData) {
            try AuthenticatorData(data(flags: 0x81, after: extensions(bound + 1)))
        }
    }

    @Test func aaguidHas16Bytes() {
        #expect(AAGUID(.init(repeating: 0, count: 15)) == nil)
        #expect(AAGUID(.init(repeating: 0, count: 17)) == nil)
        #expect(AAGUID(Array(0..<16))?.description == "00010203-0405-0607-0809-0a0b0c0d0e0f")
        #expect(AAGUID.zero.description == "00000000-0000-0000-0000-000000000000")
    }
}
