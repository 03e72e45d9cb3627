import Crypto
import Testing
import WebAuthn

@Suite struct RegistrationCeremonyTests {
    private func verify(
        _ response: RegistrationResponse, _ ceremony: RegistrationCeremony = TestAuthenticator.registration
    ) throws -> RegisteredCredential {
        try ceremony.verify(response, at: TestAuthenticator.now)
    }

    /// Security rule WR24.
    @Test func resultHasThePartsOfTheResponse() throws {
        var authenticator = try TestAuthenticator()
        authenticator.flags.formUnion([.backupEligible, .backedUp])
        authenticator.signCount = 200
        var response = authenticator.register()
        response.transports = ["internal", "hybrid", "from-the-future"]
        let credential = try verify(response)
        #expect(credential.credentialID == authenticator.credentialID)
        #expect(credential.publicKey == authenticator.publicKey)
        #expect(credential.algorithm == .es256)
        #expect(credential.signCount == 200)
        #expect(credential.flags.contains(.userPresent) && credential.isUserVerified)
        #expect(credential.isBackupEligible && credential.isBackedUp)
        #expect(credential.aaguid.description == "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa")
        #expect(credential.attestation.format == .none && credential.attestation.type == .none)
        #expect(credential.transports == ["internal", "hybrid", "from-the-future"])
    }

    @Test func credentialEnvelopeIsConsistent() throws {
        var response = try TestAuthenticator().register()
        response.rawID = response.id
        response.type = "public-key"
        #expect(throws: Never.self) { try verify(response) }
        response.rawID = [2]
        #expect(throws: WebAuthnError.malformedResponse) { try verify(response) }
        response.rawID = nil
        response.type = "password"
        #expect(throws: WebAuthnError.malformedResponse) { try verify(response) }
    }

    @Test func transportsAreLimited() throws {
        var response = try TestAuthenticator().register()
        response.transports = .init(repeating: .init(repeating: "a", count: 32), count: 16)
        #expect(throws: Never.self) { try verify(response) }
        response.transports = .init(repeating: "a", count: 17)
        #expect(throws: WebAuthnError.malformedResponse) { try verify(response) }
        response.transports = [.init(repeating: "a", count: 33)]
        #expect(throws: WebAuthnError.malformedResponse) { try verify(response) }
    }

    @Test func challengeOfAnotherLengthIsRejected() throws {
        let response = try TestAuthenticator().register()
        for count in [0, 31, 33] {
            var ceremony = TestAuthenticator.registration
            ceremony.challenge = .init(repeating: 7, count: count)
            #expect(throws: WebAuthnError.challenge) { try verify(response, ceremony) }
        }
    }

    // MARK: Flags

    /// Security rule WR12.
    @Test func userPresenceIsRequiredUnlessConditional() throws {
        var authenticator = try TestAuthenticator()
        authenticator.flags.remove(.userPresent)
        #expect(throws: WebAuthnError.userNotPresent) { try verify(authenticator.register()) }
        var ceremony = TestAuthenticator.registration
        ceremony.requiresUserPresence = false
        #expect(try !verify(authenticator.register(), ceremony).flags.contains(.userPresent))
    }

    /// Security rule WR13.
    @Test func userVerificationIsRequiredByPolicy() throws {
        var authenticator = try TestAuthenticator()
        authenticator.flags.remove(.userVerified)
        #expect(throws: WebAuthnError.userNotVerified) { try verify(authenticator.register()) }
        for requirement in [UserVerificationRequirement.preferred, .discouraged] {
            var ceremony = TestAuthenticator.registration
            ceremony.userVerification = requirement
            #expect(try !verify(authenticator.register(), ceremony).isUserVerified)
        }
    }

    // MARK: Attestation

    /// Security rule WR18.
    @Test func unknownFormatIsRejected() throws {
        let authenticator = try TestAuthenticator()
        for format in ["None", "none ", "", "android-safetynet", "compound", "no\u{0}ne"] {
            var response = authenticator.register()
            response.attestationObject = TestAuthenticator.attestationObject(
                format: format, authenticatorData: authenticator.registrationData)
            #expect(throws: WebAuthnError.attestationFormat, "\(format)") { try verify(response) }
        }
    }

    /// Security rule WR19.
    @Test func selfAttestationIsVerified() throws {
        let authenticator = try TestAuthenticator()
        let response = try authenticator.registerWithSelfAttestation()
        let attestation = try verify(response).attestation
        #expect(attestation.format == .packed && attestation.type == .`self`)
    }

    @Test func everyFlippedBitOfSelfAttestationIsRejected() throws {
        let authenticator = try TestAuthenticator()
        let response = try authenticator.registerWithSelfAttestation()
        let data = authenticator.registrationData
        let signature = try authenticator.sign(data + SHA2.sha256(response.clientDataJSON))
        func verify(_ signature: [UInt8], _ data: [UInt8]) throws {
            var changed = response
            changed.attestationObject = TestAuthenticator.selfAttestation(algorithm: -7, signature, data)
            _ = try self.verify(changed)
        }
        #expect(throws: Never.self) { try verify(signature, data) }
        for bit in 0..<signature.count * 8 {
            var changed = signature
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: WebAuthnError.attestationSignature, "bit \(bit)") { try verify(changed, data) }
        }
        for bit in 0..<data.count * 8 {
            var changed = data
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: WebAuthnError.self, "bit \(bit)") { try verify(signature, changed) }
        }
    }

    @Test func statementOfSelfAttestationIsComplete() throws {
        let authenticator = try TestAuthenticator()
        let (algorithm, signature) = (CBORBytes.text("alg"), CBORBytes.text("sig"))
        let statements: [[UInt8]] = [
            [0xa0], CBORBytes.map([(algorithm, CBORBytes.integer(-7))]),
            CBORBytes.map([(signature, CBORBytes.bytes([1]))]),
            CBORBytes.map([(algorithm, CBORBytes.text("ES256")), (signature, CBORBytes.bytes([1]))]),
            CBORBytes.map([(algorithm, CBORBytes.integer(-7)), (signature, CBORBytes.text("a"))]),
            CBORBytes.map([(algorithm, CBORBytes.integer(-257)), (signature, CBORBytes.bytes([1]))]),
        ]
        for statement in statements {
            var response = authenticator.register()
            response.attestationObject = TestAuthenticator.attestationObject(
                format: "packed", statement: statement, authenticatorData: authenticator.registrationData)
            #expect(throws: WebAuthnError.attestationStatement) { try verify(response) }
        }
    }

    // MARK: Limits and truncation

    /// Security rule WR10.
    @Test func everyPrefixOfTheAttestationObjectIsRejected() throws {
        var authenticator = try TestAuthenticator()
        authenticator.flags.insert(.extensionData)
        authenticator.extensions = CBORBytes.map([(CBORBytes.text("credProtect"), CBORBytes.integer(2))])
        let response = try authenticator.registerWithSelfAttestation()
        #expect(throws: Never.self) { try verify(response) }
        for length in 0..<response.attestationObject.count {
            var changed = response
            changed.attestationObject = Array(response.attestationObject.prefix(length))
            #expect(throws: WebAuthnError.malformedAttestationObject) { try verify(changed) }
        }
        for length in 0..<authenticator.registrationData.count {
            var changed = response
            changed.attestationObject = TestAuthenticator.attestationObject(
                authenticatorData: Array(authenticator.registrationData.prefix(length)))
            #expect(throws: WebAuthnError.self, "\(length)") { try verify(changed) }
        }
    }

    /// - Parameter byteCount: of the object, by means of an ignored member.
    private func object(byteCount: Int, _ authenticator: TestAuthenticator) -> [UInt8] {
        var object = TestAuthenticator.attestationObject(authenticatorData: authenticator.registrationData)
        object[0] += 1
        object += CBORBytes.text("more")
        return object + CBORBytes.bytes(.init(repeating: 0, count: byteCount - object.count - 5))
    }

    @Test func attestationObjectHasAMaximumLength() throws {
        let authenticator = try TestAuthenticator()
        for (byteCount, isAccepted) in [(256 << 10, true), (256 << 10 + 1, false), (2 << 20, false)] {
            var response = authenticator.register()
            response.attestationObject = object(byteCount: byteCount, authenticator)
            #expect(response.attestationObject.count == byteCount)
            if isAccepted {
                #expect(throws: Never.self) { try verify(response) }
            } else {
                #expect(throws: WebAuthnError.malformedAttestationObject) { try verify(response) }
            }
        }
    }

    @Test(arguments: [(0, false), (1, true), (1023, true), (1024, false)])
    func credentialIDHasAMaximumLength(byteCount: Int, isAccepted: Bool) throws {
        var authenticator = try TestAuthenticator()
        authenticator.credentialID = .init(repeating: 3, count: byteCount)
        let response = authenticator.register()
        if isAccepted {
            #expect(try verify(response).credentialID.count == byteCount)
        } else {
            #expect(throws: WebAuthnError.credentialIDLength) { try verify(response) }
        }
    }

    @Test func otherCredentialIDsAreRejected() throws {
        let authenticator = try TestAuthenticator()
        var response = authenticator.register()
        response.id = [2]
        #expect(throws: WebAuthnError.credentialIDMismatch) { try verify(response) }
        var ceremony = TestAuthenticator.registration
        ceremony.registeredCredentialIDs = [authenticator.credentialID]
        #expect(throws: WebAuthnError.duplicateCredentialID) { try verify(authenticator.register(), ceremony) }
    }
}
