import Contracts
import DatabaseService
import Delivery
import MasterKey
import SQL
import ServiceRuntime
import TestSupport
import Testing
import Vocabulary

@testable import FederationService

/// Two methods of federation's store beside each other, in every order of their statements.
@Suite(.serialized) struct FederationInterleavingTests {
    private typealias Plan = Interleavings<FederationStore, BrowserSignIn>

    private static let now = Moment(milliseconds: 1_700_000_000_000)
    private static let realm = Realm(project: ProjectID("p"), tenant: TenantID("t"))

    private static func provider(_ secret: String) -> Federation.Provider {
        FederationFixture.supported(.google, secret: secret)
    }

    private static func browserSignIn(_ state: String) -> BrowserSignIn {
        BrowserSignIn(
            stateDigest: BrowserSignIn.digest(state), realm: realm, providerID: "google.com",
            sessionDigest: BrowserSignIn.digest("b"), redirectURL: "http://localhost", context: "c",
            expiresAt: now + Federation.browserSignInLifetime)
    }

    /// A provider, a sign-in in a browser, and a credential that was used.
    private static func plan() throws -> Plan {
        let keys = try ReloadingMasterKeyRing(.variable(.init(.random())))
        return Plan(
            open: { try await FederationStore($0, keys: keys) },
            prepare: { store in
                _ = try await store.insert(provider("one"), in: realm, revision: 1, FederationFixture.change("1"))
                try await store.insert(browserSignIn("state"))
                _ = try await store.recordUse(ofCredential: [1], until: now + .seconds(60))
                return browserSignIn("state")
            },
            masking: ["provider_changes.traceparent"])
    }

    private static func using(_ name: String, _ digest: UInt8) -> Plan.Method {
        .init(name) { store, _ in
            "\(try await store.recordUse(ofCredential: [digest], until: now + .seconds(60)))"
        }
    }

    private static let redeem = Plan.Method("redeem") { store, browserSignIn in
        "\(try await store.redeemBrowserSignIn(stateDigest: browserSignIn.stateDigest) == browserSignIn)"
    }
    private static let use = using("use", 2)

    private static let methods: [Plan.Method] = [
        redeem, use, using("use again", 1),
        .init("forget the use") { store, _ in
            try await store.deleteUse(ofCredential: [1])
            return ""
        },
        .init("start") { store, _ in
            try await store.insert(browserSignIn("another state"))
            return ""
        },
        .init("add") { store, _ in
            "\(try await store.insert(provider("two"), in: realm, revision: 1, FederationFixture.change("2")))"
        },
        .init("replace") { store, _ in
            let change = FederationFixture.change("3")
            return "\(try await store.replace(provider("three"), in: realm, expectedRevision: 1, change))"
        },
        .init("delete") { store, _ in
            "\(try await store.deleteProvider("google.com", in: realm, FederationFixture.change("4")))"
        },
        .init("record the change") { store, _ in
            // At least once: two of them may record the same change.
            let changes = ProviderChangeOutbox(
                in: store, peers: ScriptedMesh(as: .federation),
                log: Log(instance: "federation.1", write: { _ in }))
            for change in try await changes.unrecorded(limit: 1) {
                try await changes.record(.accepted, of: change, at: now, jitter: 0)
            }
            return ""
        },
        .init("list") { store, _ in
            "\(try await store.listing.record(listed: [.init(realm: realm)], unlisted: [], at: now))"
        },
        .init("unlist") { store, _ in
            "\(try await store.listing.record(listed: [], unlisted: [.init(realm: realm)], at: now))"
        },
        .init("sweep") { store, _ in
            try await store.sweep(at: now + .seconds(86_400))
            return ""
        },
    ]

    /// Each of a state and of a credential works once, in whatever order two requests meet.
    @Test(arguments: StoreEngine.shared) func stateAndCredentialWorkOnce(engine: StoreEngine) async throws {
        for method in [Self.redeem, Self.use] {
            let report = try await Self.plan().run(method, method, on: engine, switches: 1)
            #expect(report.failures.isEmpty, "\(report.failures.first ?? "")")
        }
    }

    /// Each pair of methods, also of one with itself. `make test-interleavings` runs it.
    @Test(.enabled(if: Interleaving.isFullTest), arguments: StoreEngine.shared)
    func everyPairEndsLikeASerialOrder(engine: StoreEngine) async throws {
        let report = try await Self.plan().runAllPairs(of: Self.methods, on: engine)
        for failure in report.failures { Issue.record("\(failure)") }
        print("\(engine): \(report.orders) orders")
    }
}
