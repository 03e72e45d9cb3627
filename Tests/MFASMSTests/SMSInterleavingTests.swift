import Contracts
import DatabaseService
import MasterKey
import PhoneNumbers
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import MFASMSService

/// Two methods of the store of mfa-sms beside each other, in every order of their statements.
@Suite(.serialized) struct SMSInterleavingTests {
    private typealias Plan = Interleavings<SMSStore, VerificationSession>

    private static let now = Moment(milliseconds: 1_700_000_000_000)
    private static let project = SMSFixture.realm.project
    private static let account = AccountID("ada")
    private static let network = CountedNetwork(digest: [1], siteDigest: [2])
    private static let maximumChecks = 2

    private static func session(_ name: String, _ store: SMSStore, at createdAt: Moment = now) throws
        -> VerificationSession
    {
        let id = store.digests.session(name)
        return VerificationSession(
            id: id, realm: SMSFixture.realm, purpose: .secondFactor, number: try ParsedPhoneNumber(SMSFixture.number),
            accountID: account, factorID: FactorID("f"), isTest: false,
            codeDigest: store.digests.code("123456", of: id), createdAt: createdAt)
    }

    private static func pair(_ receipt: String) throws -> DevicePair {
        let device = try PushDevice(
            token: String(repeating: "a1", count: 32), bundleID: bundle, in: AppVerificationFixture.configuration(),
            isDev: true)
        return DevicePair(receipt: receipt, secret: "secret", device: device, deviceDigest: [3])
    }

    private static func settings() throws -> AppVerificationSettings {
        try AppVerificationFixture.settings(["LATCHKEY_SMS_CHECKS_PER_ADDRESS_PER_HOUR": "\(maximumChecks)"])
    }

    private static func redeeming(_ name: String, secret: String) -> Plan.Method {
        .init(name) { store, _ in
            let isRedeemed = try await store.appVerification.redeemPair(
                receipt: "receipt", secret: secret, bundleID: bundle, in: project, at: now)
            return "\(isRedeemed)"
        }
    }

    /// An open session, one that was sent and counted before it, a pair and a token. One message of the number is left.
    private static func plan() throws -> Plan {
        let keys = try ReloadingMasterKeyRing(.variable(.init(.random())))
        var policy = SMSFixture.policy
        policy.counts.perNumber = 2
        policy.conversion.minimumPercent = 10
        return Plan(
            open: { [policy] in try await SMSStore($0, keys: keys, policy: policy) },
            prepare: { store in
                let session = try session("open", store)
                _ = try await store.insertSession(session, from: nil, devCode: nil, at: now)
                let apps = store.appVerification
                _ = try await apps.insert(try pair("receipt"), from: nil, maximumChecks: nil, in: project, at: now)
                _ = try await apps.insertToken(
                    "token", bundleID: nil, for: nil, from: nil, try settings(), in: project, at: now)
                return session
            },
            invariants: [
                .init(
                    "a number gets no more messages than its limit",
                    violations: "SELECT COUNT(*) AS count FROM sending_counts WHERE scope = 'number' AND sent > 2"),
                .init(
                    "a number has one session of its kind",
                    violations: """
                        SELECT COUNT(*) AS count FROM verification_sessions AS one JOIN verification_sessions AS other
                            ON one.number_digest = other.number_digest AND one.session_digest < other.session_digest
                        """),
            ])
    }

    private static func starting(_ name: String) -> Plan.Method {
        .init("start \(name)") { store, _ in
            let refusal = try await store.insertSession(
                try session(name, store, at: now + .seconds(1)), from: nil, devCode: nil, at: now + .seconds(1))
            return "\(refusal.map { "\($0)" } ?? "admitted")"
        }
    }

    private static func verifying(_ name: String, _ code: String, request: UInt8) -> Plan.Method {
        .init(name) { store, session in
            let attempt = VerificationSession.Attempt(
                sessionID: session.id, codeDigest: store.digests.code(code, of: session.id), request: [request])
            let claim = VerificationSession.Binding(
                realm: session.realm, purpose: session.purpose, accountID: session.accountID)
            return "\(try await store.verify(attempt, claim, at: now + .seconds(1)).1.map { "\($0)" } ?? "unknown")"
        }
    }

    private static let verify = verifying("verify", "123456", request: 1)

    private static let methods: [Plan.Method] = [
        starting("one"), starting("two"), verify, verifying("verify again", "123456", request: 2),
        verifying("verify wrong", "654321", request: 3),
        .init("delete") { store, session in
            try await store.deleteSession(session)
            return ""
        },
        .init("release") { store, session in
            var verified = session
            _ = verified.verify(
                .init(sessionID: session.id, codeDigest: session.codeDigest, request: [1]), at: now + .seconds(1))
            try await store.release(verified, at: now + .seconds(2))
            return ""
        },
        .init("void") { store, session in
            try await store.void(session, from: nil, isRefunded: true)
            return ""
        },
        .init("forget") { store, _ in
            try await store.forget([.init(id: account, deletedAt: now + .seconds(1))], in: SMSFixture.realm)
            return ""
        },
        .init("read status") { store, _ in
            "\(try await store.sendingStatus(of: project, at: now + .seconds(1)))"
        },
        .init("sweep") { store, _ in
            try await store.sweep(at: now + .seconds(100 * 86_400))
            return ""
        },
        .init("insert pair") { store, _ in
            let refusal = try await store.appVerification.insert(
                try pair("another"), from: network, maximumChecks: maximumChecks, in: project, at: now)
            return refusal.map { $0.code.rawValue } ?? "inserted"
        },
        redeeming("redeem pair", secret: "secret"), redeeming("guess pair", secret: "wrong"),
        .init("insert token") { store, _ in
            let refusal = try await store.appVerification.insertToken(
                "another", bundleID: nil, for: nil, from: network, try settings(), in: project, at: now)
            return refusal.map { $0.code.rawValue } ?? "inserted"
        },
        .init("redeem token") { store, _ in
            "\(try await store.appVerification.redeemToken("token", bundleID: nil, in: project, at: now))"
        },
    ]

    /// Security rule SM5: one request gets a code, in whatever order two of them meet.
    @Test(arguments: StoreEngine.shared) func codeIsAcceptedOnce(engine: StoreEngine) async throws {
        let report = try await Self.plan().run(
            Self.verify, Self.verifying("verify again", "123456", request: 2), on: engine, switches: 1)
        #expect(report.failures.isEmpty, "\(report.failures.first ?? "")")
        #expect(report.orders >= 2)
    }

    /// Security rule SM6: the last message of a number is sent once.
    @Test(arguments: StoreEngine.shared) func lastMessageIsSentOnce(engine: StoreEngine) async throws {
        let report = try await Self.plan().run(Self.starting("one"), Self.starting("two"), on: engine, switches: 1)
        #expect(report.failures.isEmpty, "\(report.failures.first ?? "")")
        #expect(report.orders >= 2)
    }

    /// Each pair of methods, also of one with itself. `make test-interleavings` runs it.
    @Test(.enabled(if: Interleaving.isFullTest), arguments: StoreEngine.shared)
    func everyPairEndsLikeASerialOrder(engine: StoreEngine) async throws {
        let report = try await Self.plan().runAllPairs(of: Self.methods, on: engine)
        for failure in report.failures { Issue.record("\(failure)") }
        print("\(engine): \(report.orders) orders")
    }
}
