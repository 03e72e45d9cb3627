import Contracts
import Crypto
import DatabaseService
import MasterKey
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import PasskeyService
@testable import WebAuthn

/// Two methods of the store of passkeys beside each other, in every order of their statements.
@Suite(.serialized) struct PasskeyInterleavingTests {
    private typealias Plan = Interleavings<PasskeyStore, PasskeyCredential>

    private static let now = Moment(milliseconds: 1_700_000_000_000)
    private static let account = AccountID("ada")

    private static func ceremony(_ name: String, _ purpose: Ceremony.Purpose) -> Ceremony {
        Ceremony(
            challengeDigest: SHA2.sha256(Array(name.utf8)), realm: PasskeyFixture.realm, purpose: purpose,
            owner: .account(account), userVerification: .preferred, createdAt: now)
    }

    private static func credential(_ name: String, at createdAt: Moment = now) throws -> PasskeyCredential {
        PasskeyCredential(
            id: try #require(CredentialID(Array(name.utf8))), realm: PasskeyFixture.realm, accountID: account,
            relyingPartyID: "localhost", userHandle: OctetString([1]), publicKey: [2], algorithm: .es256, signCount: 5,
            isBackupEligible: false, isBackedUp: false, hasVerifiedUser: true,
            aaguid: "00000000-0000-0000-0000-000000000000", attestationFormat: "none", attestationType: "none",
            isAttestationTrusted: false, transports: ["usb"], createdAt: createdAt)
    }

    /// A listed credential, and open ceremonies of both kinds.
    private static func plan() throws -> Plan {
        let keys = try ReloadingMasterKeyRing(.variable(.init(.random())))
        return Plan(
            open: { try await PasskeyStore($0, keys: keys) },
            prepare: { store in
                let first = try credential("first credential")
                try await store.insert(ceremony("registered", .registration))
                _ = try await store.register(
                    first, redeeming: ceremony("registered", .registration), by: [1], replacing: nil)
                try await store.markListed(first)
                try await store.insert(ceremony("registration", .registration))
                for name in ["one", "two"] { try await store.insert(ceremony(name, .authentication)) }
                return first
            })
    }

    private static func using(_ name: String, _ ceremonyName: String, count: UInt32) -> Plan.Method {
        .init(name) { store, credential in
            let use = CredentialUse(
                assertion: Assertion(signCount: count, flags: [.userPresent, .userVerified]), usedAt: now + .seconds(1),
                refusesCounterRegression: true)
            return "\(try await store.record(use, of: credential, redeeming: ceremony(ceremonyName, .authentication)))"
        }
    }

    private static func registering(
        _ name: String, _ id: String, at createdAt: Moment, replaces: Bool = false
    ) -> Plan.Method {
        .init(name) { store, credential in
            let registration = try await store.register(
                try Self.credential(id, at: createdAt), redeeming: ceremony("registration", .registration), by: [2],
                replacing: replaces ? credential : nil)
            return "\(registration)"
        }
    }

    private static let useOne = using("use", "one", count: 6)
    private static let useTwo = using("use with the same counter", "two", count: 6)

    private static let methods: [Plan.Method] = [
        useOne, useTwo, using("use without a counter", "one", count: 0),
        registering("register", "second credential", at: now + .seconds(2)),
        registering("register again", "first credential", at: now + .seconds(3)),
        registering("replace", "first credential", at: now + .seconds(4), replaces: true),
        .init("start") { store, _ in
            try await store.insert(ceremony("another", .registration))
            return ""
        },
        .init("reject") { store, _ in
            try await store.redeem(ceremony("one", .authentication))
            return ""
        },
        .init("delete") { store, credential in
            try await store.delete(credential, of: Challenge(bytes: Array("registered".utf8)))
            return ""
        },
        .init("import") { store, _ in
            let imported = [try credential("imported credential"), try credential("second credential")]
            return "\(try await store.insert(imported, at: now + .seconds(2)).count)"
        },
        .init("list") { store, credential in
            try await store.markListed(credential)
            return ""
        },
        .init("unlist") { store, credential in
            "\(try await store.listing.record(listed: [], unlisted: [credential.key], at: now + .seconds(2)))"
        },
        .init("unlist for long") { store, credential in
            "\(try await store.listing.record(listed: [], unlisted: [credential.key], at: now + .seconds(90_000)))"
        },
        .init("sweep") { store, _ in
            try await store.sweep(at: now + .seconds(86_400))
            return ""
        },
    ]

    /// Of two assertions with one counter, the second is a regression, in whatever order they meet.
    @Test(arguments: StoreEngine.shared) func counterIsUsedOnce(engine: StoreEngine) async throws {
        let report = try await Self.plan().run(Self.useOne, Self.useTwo, on: engine, switches: 1)
        #expect(report.failures.isEmpty, "\(report.failures.first ?? "")")
    }

    /// Each pair of methods, also of one with itself. `make test-interleavings` runs it.
    @Test(.enabled(if: Interleaving.isFullTest), arguments: StoreEngine.shared)
    func everyPairEndsLikeASerialOrder(engine: StoreEngine) async throws {
        let report = try await Self.plan().runAllPairs(of: Self.methods, on: engine)
        for failure in report.failures { Issue.record("\(failure)") }
        print("\(engine): \(report.orders) orders")
    }
}
