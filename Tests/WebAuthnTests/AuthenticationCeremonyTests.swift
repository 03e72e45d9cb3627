import Crypto
import Testing
import WebAuthn

@Suite struct AuthenticationCeremonyTests {
    private func verify(
        _ response: AuthenticationResponse, _ record: StoredCredential,
        _ ceremony: AuthenticationCeremony = TestAuthenticator.authentication, _ policy: SignCountPolicy = .reject
    ) throws -> Assertion {
        try ceremony.verify(response, credential: record, signCountPolicy: policy)
    }

    @Test func resultHasThePartsOfTheResponse() throws {
        var authenticator = try TestAuthenticator()
        authenticator.flags = [.userPresent, .backupEligible, .backedUp]
        authenticator.signCount = 5
        var record = authenticator.record
        record.isBackupEligible = nil
        var ceremony = TestAuthenticator.authentication
        ceremony.userVerification = .preferred
        let assertion = try verify(authenticator.authenticate(), record, ceremony)
        #expect(assertion.signCount == 5)
        #expect(!assertion.isUserVerified && assertion.isBackupEligible && assertion.isBackedUp)
    }

    // MARK: Bits

    private func flipped(_ bytes: [UInt8], _ bit: Int) -> [UInt8] {
        var bytes = bytes
        bytes[bit / 8] ^= 1 << (bit % 8)
        return bytes
    }

    @Test func everyFlippedBitIsRejected() throws {
        var authenticator = try TestAuthenticator()
        authenticator.flags.insert(.extensionData)
        authenticator.extensions = CBORBytes.map([(CBORBytes.text("credProtect"), CBORBytes.integer(2))])
        let response = try authenticator.authenticate()
        #expect(throws: Never.self) { try verify(response, authenticator.record) }
        for bit in 0..<response.authenticatorData.count * 8 {
            var changed = response
            changed.authenticatorData = flipped(response.authenticatorData, bit)
            #expect(throws: WebAuthnError.self, "bit \(bit)") { try verify(changed, authenticator.record) }
        }
        for bit in 0..<response.clientDataJSON.count * 8 {
            var changed = response
            changed.clientDataJSON = flipped(response.clientDataJSON, bit)
            #expect(throws: WebAuthnError.self, "bit \(bit)") { try verify(changed, authenticator.record) }
        }
        for bit in 0..<response.signature.count * 8 {
            var changed = response
            changed.signature = flipped(response.signature, bit)
            #expect(throws: WebAuthnError.signature, "bit \(bit)") { try verify(changed, authenticator.record) }
        }
        for bit in 0..<response.id.count * 8 {
            var changed = response
            changed.id = flipped(response.id, bit)
            #expect(throws: WebAuthnError.unknownCredential, "bit \(bit)") { try verify(changed, authenticator.record) }
        }
    }

    @Test func everyPrefixIsRejected() throws {
        let authenticator = try TestAuthenticator()
        let response = try authenticator.authenticate()
        for length in 0..<response.authenticatorData.count {
            var changed = response
            changed.authenticatorData = Array(response.authenticatorData.prefix(length))
            #expect(throws: WebAuthnError.malformedAuthenticatorData) { try verify(changed, authenticator.record) }
        }
        for length in 0..<response.clientDataJSON.count {
            var changed = response
            changed.clientDataJSON = Array(response.clientDataJSON.prefix(length))
            #expect(throws: WebAuthnError.malformedClientData) { try verify(changed, authenticator.record) }
        }
    }

    @Test func signatureOfAnotherKeyIsRejected() throws {
        let response = try TestAuthenticator().authenticate()
        #expect(throws: WebAuthnError.signature) { try verify(response, TestAuthenticator().record) }
    }

    /// Security rule WA8.
    @Test func storedAlgorithmIsBinding() throws {
        let authenticator = try TestAuthenticator()
        var record = authenticator.record
        record.algorithm = .es384
        #expect(throws: WebAuthnError.keyAlgorithm) { try verify(authenticator.authenticate(), record) }
        record.publicKey = []
        #expect(throws: WebAuthnError.malformedKey) { try verify(authenticator.authenticate(), record) }
    }

    // MARK: Owner

    @Test func allowListIsBinding() throws {
        let authenticator = try TestAuthenticator()
        var ceremony = TestAuthenticator.authentication
        ceremony.allowedCredentialIDs = [[2], authenticator.credentialID]
        #expect(throws: Never.self) { try verify(authenticator.authenticate(), authenticator.record, ceremony) }
        ceremony.allowedCredentialIDs = [[2]]
        #expect(throws: WebAuthnError.unknownCredential) {
            try verify(authenticator.authenticate(), authenticator.record, ceremony)
        }
    }

    @Test func identifiedUserOwnsTheCredential() throws {
        var authenticator = try TestAuthenticator()
        var ceremony = TestAuthenticator.authentication
        ceremony.userHandle = [9]
        #expect(throws: Never.self) { try verify(authenticator.authenticate(), authenticator.record, ceremony) }
        var record = authenticator.record
        record.userHandle = [8]
        #expect(throws: WebAuthnError.unknownCredential) { try verify(authenticator.authenticate(), record, ceremony) }
        authenticator.userHandle = nil
        #expect(throws: Never.self) { try verify(authenticator.authenticate(), authenticator.record, ceremony) }
        authenticator.userHandle = [8]
        #expect(throws: WebAuthnError.userHandle) {
            try verify(authenticator.authenticate(), authenticator.record, ceremony)
        }
    }

    /// Security rule WA3.
    @Test func unidentifiedUserNeedsTheUserHandle() throws {
        var authenticator = try TestAuthenticator()
        for userHandle: [UInt8]? in [nil, [], [8]] {
            authenticator.userHandle = userHandle
            #expect(throws: WebAuthnError.userHandle) { try verify(authenticator.authenticate(), authenticator.record) }
        }
    }

    // MARK: Counter and backup

    @Test(
        arguments: [
            (0, 0, false), (0, 1, false), (1, 2, false), (254, 255, false), (1, 0, true), (1, 1, true), (2, 1, true),
        ] as [(UInt32, UInt8, Bool)])
    func signCountMustGrow(stored: UInt32, received: UInt8, isRegression: Bool) throws {
        var authenticator = try TestAuthenticator()
        authenticator.signCount = received
        var record = authenticator.record
        record.signCount = stored
        let response = try authenticator.authenticate()
        let reported = try verify(response, record, TestAuthenticator.authentication, .report)
        #expect(Assertion.isSignCountRegression(from: stored, to: reported.signCount) == isRegression)
        #expect(reported.signCount == UInt32(received))
        if isRegression {
            #expect(throws: WebAuthnError.signCountRegression) { try verify(response, record) }
        } else {
            #expect(throws: Never.self) { try verify(response, record) }
        }
    }

    /// Security rule WA7.
    @Test func backupEligibilityDoesNotChange() throws {
        var authenticator = try TestAuthenticator()
        var record = authenticator.record
        record.isBackupEligible = true
        #expect(throws: WebAuthnError.backupEligibilityChanged) { try verify(authenticator.authenticate(), record) }
        authenticator.flags.insert(.backupEligible)
        #expect(throws: Never.self) { try verify(authenticator.authenticate(), record) }
        #expect(throws: WebAuthnError.backupEligibilityChanged) {
            try verify(authenticator.authenticate(), authenticator.record)
        }
    }

    /// Security rule WA6.
    @Test func flagsAreVerified() throws {
        var authenticator = try TestAuthenticator()
        authenticator.flags = [.userVerified]
        #expect(throws: WebAuthnError.userNotPresent) { try verify(authenticator.authenticate(), authenticator.record) }
        authenticator.flags = [.userPresent]
        #expect(throws: WebAuthnError.userNotVerified) {
            try verify(authenticator.authenticate(), authenticator.record)
        }
        authenticator.flags = [.userPresent, .userVerified, .backedUp]
        #expect(throws: WebAuthnError.backupFlags) { try verify(authenticator.authenticate(), authenticator.record) }
    }

    /// Security rules WA5 and WA6.
    @Test func relyingPartyIsVerified() throws {
        var authenticator = try TestAuthenticator()
        authenticator.relyingPartyID = "example.com"
        #expect(throws: WebAuthnError.relyingPartyID) { try verify(authenticator.authenticate(), authenticator.record) }
    }
}
