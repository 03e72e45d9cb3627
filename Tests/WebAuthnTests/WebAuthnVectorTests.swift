import Crypto
import Foundation
import TestSupport
import Testing
import Vocabulary
import WebAuthn

/// Every case of the vector files. The specification of their fields is `Tests/Vectors/README.md`.
@Suite struct WebAuthnVectorTests {
    /// Security rules WR4, WR5, WR9, WR11, WR14 and WR23, and their counterparts in WA4, WA5 and WA6.
    @Test(arguments: WebAuthnVector.own) func ownVector(vector: WebAuthnVector) throws {
        try run(vector)
    }

    @Test(
        .enabled(if: PublicVectors.folder != nil, "\(PublicVectors.missing)"), arguments: WebAuthnVector.published)
    func publishedVector(vector: WebAuthnVector) throws {
        try run(vector)
    }

    @Test(
        .enabled(
            if: WebAuthnVector.furtherFolders?.isEmpty == false,
            "LATCHKEY_WEBAUTHN_VECTORS is not set: no further folders of vectors are verified"),
        arguments: WebAuthnVector.further)
    func furtherVector(vector: WebAuthnVector) throws {
        try run(vector)
    }

    // MARK: Unusable files

    @Test(arguments: [
        nil, "", "[]", "{\"format\":\"webauthn-cases/1\",\"count\":0,\"cases\":[]}",
        "{\"format\":\"webauthn-cases/2\",\"count\":1,\"cases\":[{}]}",
        "{\"format\":\"webauthn-cases/1\",\"count\":2,\"cases\":[{}]}",
        "{\"format\":\"webauthn-cases/1\",\"count\":1,\"cases\":[{\"id\":\"a\",\"newField\":1}]}",
    ])
    func unusableFileFails(content: String?) throws {
        let folder = try TemporaryDirectory()
        try content.map { try Data($0.utf8).write(to: URL(filePath: folder.appending("a.json"))) }
        let vectors = WebAuthnVector.load(folder: URL(filePath: folder.path))
        #expect(vectors.count == 1)
        #expect(throws: (any Error).self) { try vectors.first?.content.get() }
    }

    @Test func missingFolderFails() {
        let vectors = WebAuthnVector.load(folder: URL(filePath: "/nonexistent/vectors"))
        #expect(throws: (any Error).self) { try vectors.first?.content.get() }
    }

    private func run(_ vector: WebAuthnVector) throws {
        let test = try vector.content.get()
        do {
            switch test.kind {
            case .registration: compare(try test.register(), with: test)
            case .authentication: compare(try test.authenticate(.reject), with: test)
            }
            let isRight = test.mayBeAccepted
            #expect(isRight, "accepted")
        } catch let error as WebAuthnError {
            let isRight = test.mayBeRejected
            #expect(isRight, "rejected: \(error.rawValue)")
            if error == .signCountRegression {
                #expect(throws: Never.self) { try test.authenticate(.report) }
            }
        }
    }

    private func compare(_ credential: RegisteredCredential, with test: WebAuthnCase) {
        let expected = test.expect
        compare(credential.flags, with: expected)
        expect(credential.attestation.format.rawValue, equals: expected.fmt)
        expect(credential.algorithm.rawValue, equals: expected.alg)
        expect(credential.aaguid.description.filter { $0 != "-" }, equals: expected.aaguid)
        expect(credential.signCount, equals: expected.signCount)
        expect(Base64URL.encode(credential.publicKey), equals: expected.publicKey)
        expect(Base64URL.encode(credential.credentialID), equals: expected.credentialId)
        expect(credential.attestation.type == .`self`, equals: expected.selfAttestation)
        #expect(credential.transports == test.credential.response.transports ?? [])
    }

    private func compare(_ assertion: Assertion, with test: WebAuthnCase) {
        compare(assertion.flags, with: test.expect)
        expect(assertion.signCount, equals: test.expect.signCount)
    }

    private func compare(_ flags: AuthenticatorFlags, with expected: WebAuthnCase.Expectation) {
        expect(flags.contains(.userPresent), equals: expected.up)
        expect(flags.contains(.userVerified), equals: expected.uv)
        expect(flags.contains(.backupEligible), equals: expected.be)
        expect(flags.contains(.backedUp), equals: expected.bs)
    }

    private func expect<Value: Equatable>(_ value: Value, equals expected: Value?) {
        if let expected { #expect(value == expected) }
    }
}

extension WebAuthnCase {
    fileprivate var mayBeAccepted: Bool {
        switch expect.outcome {
        case .accept, .either: true
        case .reject: optional == true || isAboutTokenBinding
        }
    }

    fileprivate var mayBeRejected: Bool {
        switch expect.outcome {
        case .reject, .either: true
        case .accept: optional == true
        }
    }

    /// Level 3 has no token binding any more, and unknown members are ignored: both outcomes are right.
    private var isAboutTokenBinding: Bool { expect.reason?.hasPrefix("clientData.tokenBinding") == true }
}
