import Contracts
import Crypto
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import PasskeyService

/// Sign-in after a user name: the reply does not reveal whether the account exists (security rule EN5).
@Suite struct UserNameSignInTests {
    private static let tenant = Realm(project: ProjectID("demo"), tenant: TenantID("t"))

    @Test func passkeysOfNameAreAllowed() async throws {
        let fixture = try await PasskeyFixture()
        var device = try await fixture.enrolled()
        let second = try await fixture.enrolled()
        fixture.identity.change("ada") { $0.phoneNumber = PhoneNumber("+15555550100") }
        for name in ["ada@example.com", "ADA@Example.com", "+15555550100"] {
            let options = try await fixture.startSignIn(identifier: name)
            #expect(
                options.allowedCredentials
                    == [device, second].map {
                        .init(id: $0.credentialID, transports: ["internal", "hybrid"])
                    })
            try await fixture.finishSignIn(device.authenticate(options))
        }
    }

    @Test func nameWithoutPasskeysGetsStableFalseCredentials() async throws {
        let fixture = try await PasskeyFixture()
        _ = try await fixture.enrolled()
        fixture.identity.add("bob")  // Without passkeys.
        _ = try await fixture.enrolled("eve")
        fixture.identity.change("eve") { $0.disabled = true }
        for name in ["nobody@example.com", "bob@example.com", "eve@example.com", "+15555550199", "", "no name"] {
            let first = try await fixture.startSignIn(identifier: name)
            let second = try await fixture.startSignIn(identifier: name)
            #expect((1...2).contains(first.allowedCredentials.count), "\(name)")
            #expect(first.allowedCredentials == second.allowedCredentials)
            #expect(first.challenge != second.challenge)
        }
        #expect(try await fixture.ceremonyCount() == 12)
        let lower = try await fixture.startSignIn(identifier: "nobody@example.com").allowedCredentials
        #expect(try await fixture.startSignIn(identifier: "Nobody@Example.COM").allowedCredentials == lower)
        #expect(try await fixture.startSignIn(identifier: "another@example.com").allowedCredentials != lower)
        let ofTenant = try await fixture.startSignIn(identifier: "nobody@example.com", in: Self.tenant)
        #expect(ofTenant.allowedCredentials != lower)
    }

    /// The same error for credentials of known and unknown names, whatever is wrong with the response.
    @Test func errorsDoNotRevealWhetherNameExists() async throws {
        let fixture = try await PasskeyFixture()
        let ada = try await fixture.enrolled()
        var eve = try await fixture.enrolled("eve")
        var attacker = try SoftwareAuthenticator()
        attacker.userHandle = ada.userHandle
        for name in ["ada@example.com", "nobody@example.com"] {
            // With the ID that the reply named, with an unknown one, and with a passkey of another account.
            var options = try await fixture.startSignIn(identifier: name)
            attacker.credentialID = try #require(options.allowedCredentials.first?.id)
            let named = try attacker.authenticate(options)
            #expect(await errorCode { try await fixture.finishSignIn(named) } == .invalidAuthenticatorResponse)
            options = try await fixture.startSignIn(identifier: name)
            attacker.credentialID = try #require(CredentialID([1]))
            let unknown = try attacker.authenticate(options)
            #expect(await errorCode { try await fixture.finishSignIn(unknown) } == .invalidAuthenticatorResponse)
            options = try await fixture.startSignIn(identifier: name)
            let foreign = try eve.authenticate(options)
            #expect(await errorCode { try await fixture.finishSignIn(foreign) } == .invalidAuthenticatorResponse)
        }
    }

    /// The same requests to identity and to the database.
    @Test func knownAndUnknownNamesTakeTheSameSteps() async throws {
        let fixture = try await PasskeyFixture()
        _ = try await fixture.enrolled()
        _ = try await fixture.startSignIn()  // Fills the cache.
        func steps(_ name: String) async throws -> [Identity.Operation] {
            let before = fixture.identity.state.withLock { $0.requests.count }
            _ = try await fixture.startSignIn(identifier: name)
            return Array(fixture.identity.state.withLock { $0.requests.dropFirst(before) })
        }
        #expect(try await steps("ada@example.com") == [.findAccounts])
        #expect(try await steps("nobody@example.com") == [.findAccounts])
    }

    @Test func falseCredentialsHaveCommonForms() {
        let identifiers = DerivedIdentifiers(key: [UInt8](repeating: 7, count: 32))
        let lists = (0..<400).compactMap { number in
            RelyingPartyID("example.com").map {
                identifiers.falseCredentials(for: "\(number)@example.com", in: PasskeyFixture.realm, of: $0)
            }
        }
        #expect(Set(lists.flatMap(\.self).map(\.id)).count == lists.flatMap(\.self).count)
        #expect(Set(lists.map(\.count)) == [1, 2])
        #expect((40...160).contains(lists.count { $0.count == 2 }))
        #expect(Set(lists.flatMap(\.self).map(\.id.bytes.count)) == [16, 20, 32, 48, 64])
    }

    @Test func derivedIdentifiersDependOnEveryPartOfTheirKey() {
        let identifiers = DerivedIdentifiers(key: [UInt8](repeating: 7, count: 32))
        let realms = [
            Realm(project: ProjectID("p")), Realm(project: ProjectID("p"), tenant: TenantID("t")),
            Realm(project: ProjectID("p1")), Realm(project: ProjectID("p"), tenant: TenantID("t1")),
        ]
        let handles = realms.flatMap { realm in
            ["a", "b", "1a"].map { identifiers.userHandle(of: AccountID($0), in: realm) }
        }
        #expect(Set(handles).count == handles.count)
        let other = DerivedIdentifiers(key: [UInt8](repeating: 8, count: 32))
        #expect(other.userHandle(of: AccountID("a"), in: realms[0]) != handles[0])
    }
}
