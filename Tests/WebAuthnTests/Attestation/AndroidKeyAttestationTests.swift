import Crypto
import TestSupport
import Testing
import WebAuthn

@Suite struct AndroidKeyAttestationTests {
    private let registration: AttestedRegistration

    init() throws { registration = try AttestedRegistration() }

    /// The fields of the two authorization lists, encoded.
    private struct Lists {
        var software: [[UInt8]] = [DERWriter.context(701, DERWriter.integer(1_700_000_000))]
        var hardware = [purposes(2), origin(0), DERWriter.context(503, [5, 0])]

        static func purposes(_ values: Int...) -> [UInt8] {
            DERWriter.context(1, DERWriter.element(0x31, values.flatMap { DERWriter.integer($0) }))
        }
        static func origin(_ value: Int) -> [UInt8] { DERWriter.context(702, DERWriter.integer(value)) }
        static let allApplications = DERWriter.context(600, [5, 0])
    }

    private func description(
        challenge: [UInt8]? = nil, _ lists: Lists = Lists(), change: (inout [[UInt8]]) -> Void = { _ in }
    ) -> [UInt8] {
        var fields = [
            DERWriter.integer(300), DERWriter.element(0x0a, [1]), DERWriter.integer(300), DERWriter.element(0x0a, [1]),
            DERWriter.octetString(challenge ?? registration.clientDataHash), DERWriter.octetString([]),
            DERWriter.element(0x30, lists.software.flatMap(\.self)),
            DERWriter.element(0x30, lists.hardware.flatMap(\.self)),
        ]
        change(&fields)
        return DERWriter.element(0x30, fields.flatMap(\.self))
    }

    private func statement(
        _ description: [UInt8]?, key: PrivateKey? = nil, signature: [UInt8]? = nil
    ) throws -> [(key: String, value: [UInt8])] {
        let key = key ?? registration.authenticator.privateKey
        let certificate = try registration.root.issueDER(to: key.publicKey) {
            if let description { $0.extensions.append(("1.3.6.1.4.1.11129.2.1.17", false, description)) }
        }
        let valid = try CertificateBuilder.signature(of: registration.signedBytes, by: key)
        return AttestedRegistration.statement(signature: signature ?? valid, certificates: [certificate])
    }

    private func register(_ description: [UInt8]?) throws -> RegisteredCredential {
        try registration.register(format: "android-key", statement(description))
    }

    @Test func statementIsAccepted() throws {
        let attestation = try register(description()).attestation
        #expect(attestation.format == .androidKey && attestation.type == .basic && attestation.trustPath.count == 1)
    }

    @Test func fieldsCountInEitherList() throws {
        let software = Lists(software: [Lists.purposes(2), Lists.origin(0)], hardware: [])
        let both = Lists(
            software: [Lists.purposes(2), Lists.origin(0)], hardware: [Lists.purposes(2), Lists.origin(0)])
        for lists in [software, both] { #expect(throws: Never.self) { try register(description(lists)) } }
    }

    @Test func wrongAuthorizationIsRefused() throws {
        var cases: [Lists] = [
            Lists(hardware: []), Lists(hardware: [Lists.purposes(2)]), Lists(hardware: [Lists.origin(0)]),
            // Another origin: derived, imported, unknown.
            Lists(hardware: [Lists.purposes(2), Lists.origin(1)]),
            Lists(hardware: [Lists.purposes(2), Lists.origin(2)]),
            Lists(hardware: [Lists.purposes(2), Lists.origin(3)]),
            // Another purpose: encrypt, sign and verify, none.
            Lists(hardware: [Lists.purposes(0), Lists.origin(0)]),
            Lists(hardware: [Lists.purposes(2, 3), Lists.origin(0)]),
            Lists(hardware: [Lists.purposes(), Lists.origin(0)]),
            // The lists differ.
            Lists(software: [Lists.origin(2)]), Lists(software: [Lists.purposes(0)]),
        ]
        var anyApplication = Lists()
        anyApplication.software.append(Lists.allApplications)
        cases.append(anyApplication)
        anyApplication = Lists()
        anyApplication.hardware.append(Lists.allApplications)
        cases.append(anyApplication)
        for (index, lists) in cases.enumerated() {
            #expect(throws: WebAuthnError.attestationStatement, "case \(index)") { try register(description(lists)) }
        }
    }

    @Test func otherChallengeIsRefused() {
        for challenge in [[], [UInt8](repeating: 7, count: 32), registration.clientDataHash + [0]] {
            #expect(throws: WebAuthnError.attestationStatement) { try register(description(challenge: challenge)) }
        }
    }

    @Test func malformedDescriptionIsRefused() throws {
        let valid = description()
        let repeated = Lists(hardware: [Lists.purposes(2), Lists.origin(0), Lists.origin(0)])
        let bare = Lists(hardware: [Lists.purposes(2), DERWriter.context(702, [])])
        let text = Lists(hardware: [DERWriter.context(1, DERWriter.utf8String("2")), Lists.origin(0)])
        let negative = Lists(hardware: [Lists.purposes(2), DERWriter.context(702, [2, 1, 0x80])])
        let untagged = Lists(hardware: [DERWriter.integer(2), Lists.purposes(2), Lists.origin(0)])
        var values: [[UInt8]?] = [
            nil, [], valid + [0], Array(valid.dropLast()), description { $0.removeLast() },
            description { $0.append(DERWriter.integer(1)) }, description { $0.swapAt(4, 6) },
        ]
        values += [repeated, bare, text, negative, untagged].map { description($0) }
        for (index, value) in values.enumerated() {
            #expect(throws: WebAuthnError.attestationStatement, "case \(index)") { try register(value) }
        }
    }

    @Test func everyPrefixOfTheDescriptionIsRefused() {
        let valid = description()
        for count in 0..<valid.count {
            #expect(throws: WebAuthnError.attestationStatement) { try register(Array(valid.prefix(count))) }
        }
    }

    @Test func certificateOfAnotherKeyIsRefused() throws {
        let statement = try statement(description(), key: registration.attestationKey)
        #expect(throws: WebAuthnError.attestationStatement) {
            try registration.register(format: "android-key", statement)
        }
    }

    @Test func signatureOfAnotherKeyIsRefused() throws {
        let other = try CertificateBuilder.signature(of: registration.signedBytes, by: registration.attestationKey)
        let statement = try statement(description(), signature: other)
        #expect(throws: WebAuthnError.attestationSignature) {
            try registration.register(format: "android-key", statement)
        }
    }

    @Test func signatureWithFlippedBitIsRefused() throws {
        let signature = try registration.authenticator.sign(registration.signedBytes)
        let statement = try statement(description(), signature: signature)
        try registration.expectFlippedSignatureBitsAreRefused(format: "android-key", statement, signature: signature)
    }
}
