import Contracts
import Crypto
import DatabaseService
import MasterKey
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import MFATOTPService

/// Two methods of the store of mfa-totp beside each other, in every order of their statements.
@Suite(.serialized) struct TOTPInterleavingTests {
    private typealias Plan = Interleavings<TOTPStore, TOTPEnrollment>

    private static let now = Moment(milliseconds: 1_700_000_000_000)
    private static let secret = Array("12345678901234567890".utf8)
    private static let owner = TOTPAccountKey(realm: TOTPFixture.realm, accountID: AccountID("ada"))
    private static let listed = TOTPFactorKey(owner: owner, id: FactorID("listed"))

    private static func enrollment(_ id: String) -> TOTPEnrollment {
        TOTPEnrollment(owner: owner, factorID: FactorID(id), createdAt: now)
    }

    private static func session(_ id: String) -> TOTPSession {
        TOTPSession(secret: SHA2.sha256(Array(id.utf8)))
    }

    /// An account with a listed factor and an open enrollment.
    private static func plan() throws -> Plan {
        let keys = try ReloadingMasterKeyRing(.variable(.init(.random())))
        return Plan(
            open: { try await TOTPStore($0, keys: keys) },
            prepare: { store in
                _ = try await store.insert(
                    [.init(accountID: owner.accountID, factorID: listed.id, secret: Secret(OctetString(secret)))],
                    in: owner.realm, replacesSecrets: false, at: now)
                _ = try await store.listing.record(listed: [listed], unlisted: [], at: now)
                try await store.insert(enrollment("open"), session("open"), secret: secret)
                return enrollment("open")
            },
            invariants: [
                .init(
                    "an enrollment has a secret until its factor has it",
                    violations: """
                        SELECT COUNT(*) AS count FROM enrollments WHERE sealed_secret IS NULL AND NOT EXISTS
                            (SELECT 1 FROM factors WHERE factors.factor_id = enrollments.factor_id)
                        """),
                .init(
                    "an account has no more open enrollments than its limit",
                    violations: """
                        SELECT COUNT(*) - \(TOTPStore.maximumOpenEnrollments) AS count FROM enrollments
                        WHERE state = 'open' HAVING COUNT(*) > \(TOTPStore.maximumOpenEnrollments)
                        """),
            ])
    }

    private static func verifying(_ name: String, _ code: TOTPCode?, window: Int = 1) -> Plan.Method {
        .init(name) { store, _ in
            let result = try await store.verify(code, of: listed, window: window, at: now + .seconds(1))?.result
            return "\(result.map { "\($0 == .accepted)" } ?? "unknown")"
        }
    }

    private static func finishing(_ name: String, _ code: TOTPCode, request: UInt8) -> Plan.Method {
        .init(name) { store, enrollment in
            let attempt = TOTPEnrollment.Attempt(code: code, request: [request], windowSteps: 1)
            switch try await store.verify(attempt, of: enrollment, at: now + .seconds(1)) {
            case .verified: return "verified"
            case .resumed: return "resumed"
            case .refused(let error): return error.code.rawValue
            }
        }
    }

    private static func importing(_ name: String, _ secret: String, replacing: Bool) -> Plan.Method {
        .init(name) { store, _ in
            let factor = MFATOTP.ImportedFactor(
                accountID: owner.accountID, factorID: listed.id, secret: Secret(OctetString(Array(secret.utf8))))
            return "\(try await store.insert([factor], in: owner.realm, replacesSecrets: replacing, at: now))"
        }
    }

    private static let code = TOTPCode(secret: secret, step: TOTPCode.step(at: now))
    private static let verify = verifying("verify", code)

    private static let methods: [Plan.Method] = [
        verify, verifying("verify wrong", TOTPCode("000000")), verifying("verify nothing", nil),
        finishing("finish", code, request: 1), finishing("finish again", code, request: 2),
        importing("import", "12345678901234567890", replacing: false),
        importing("import another secret", "09876543210987654321", replacing: true),
        .init("start") { store, _ in
            try await store.insert(enrollment("new"), session("new"), secret: secret)
            return ""
        },
        .init("mark finished") { store, enrollment in
            try await store.markFinished(enrollment)
            return ""
        },
        .init("release") { store, enrollment in
            try await store.release(enrollment, verifiedBy: [1], at: now)
            return ""
        },
        .init("list") { store, _ in
            "\(try await store.listing.record(listed: [listed], unlisted: [], at: now + .seconds(2)))"
        },
        .init("unlist") { store, _ in
            "\(try await store.listing.record(listed: [], unlisted: [listed], at: now + .seconds(2)))"
        },
        .init("sweep") { store, _ in
            try await store.sweep(at: now + .seconds(7200))
            return ""
        },
    ]

    /// Security rule TO3: a code is accepted once, in whatever order two sign-ins meet.
    @Test(arguments: StoreEngine.shared) func codeIsAcceptedOnce(engine: StoreEngine) async throws {
        let report = try await Self.plan().run(Self.verify, Self.verify, on: engine, switches: 1)
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
