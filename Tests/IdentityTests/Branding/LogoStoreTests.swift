import Contracts
import DatabaseService
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// Logos are stored beside the configurations, which have their digests.
@Suite(.serialized) struct LogoStoreTests {
    private func digest(_ fixture: IdentityFixture) async throws -> String? {
        try await fixture.send(Identity.ReadConfiguration(project: IdentityFixture.realm.project))
            .configuration.branding?.logo?.digest
    }

    private func picture(_ fixture: IdentityFixture, _ digest: String?) async throws -> Identity.ReadLogo.Picture? {
        try await fixture.send(Identity.ReadLogo(digest: try #require(digest))).picture
    }

    private func setLogo(_ base64: String?, of configuration: inout ProjectConfiguration.Branding?) {
        configuration = configuration ?? .init()
        configuration?.logo = base64.map { content in
            var logo = ProjectConfiguration.Branding.Logo()
            logo.content = content
            return logo
        }
    }

    @Test(arguments: StoreEngine.allCases) func logoIsStoredBesideItsConfiguration(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        try await fixture.configure { setLogo(SampleImage.png, of: &$0.branding) }
        let digest = try await digest(fixture)
        let bytes = try SampleImage.bytes(SampleImage.png)
        let picture = try await picture(fixture, digest)
        #expect(picture == .init(mediaType: "image/png", content: OctetString(bytes)))
        #expect(digest == picture?.content.bytes.digestText)
        // The cached configuration stays small, and the picture stays with other changes.
        let project = try await fixture.store.project(IdentityFixture.realm.project)
        #expect(project?.configuration.branding?.logo?.content == nil)
        try await fixture.configure { $0.branding?.applicationName = "Shop" }
        #expect(try await self.digest(fixture) == digest)
        #expect(try await self.picture(fixture, digest) == picture)
        #expect(try await self.picture(fixture, String(repeating: "0", count: 64)) == nil)
    }

    /// Mails that were sent before show the former logo.
    @Test(arguments: StoreEngine.allCases) func formerLogoStaysForThirtyDays(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        try await fixture.configure { setLogo(SampleImage.png, of: &$0.branding) }
        let first = try await digest(fixture)
        try await fixture.configure { setLogo(SampleImage.lossyWebP, of: &$0.branding) }
        let second = try await digest(fixture)
        #expect(first != second)
        fixture.clock.advance(by: .seconds(29 * 24 * 60 * 60))
        try await fixture.store.sweep(at: fixture.clock.now)
        #expect(try await picture(fixture, first) != nil)
        fixture.clock.advance(by: .seconds(2 * 24 * 60 * 60))
        try await fixture.store.sweep(at: fixture.clock.now)
        #expect(try await picture(fixture, first) == nil)
        #expect(try await picture(fixture, second)?.mediaType == "image/webp")
        // The same picture again is the logo again.
        try await fixture.configure { setLogo(SampleImage.png, of: &$0.branding) }
        try await fixture.configure { setLogo(SampleImage.lossyWebP, of: &$0.branding) }
        try await fixture.configure { $0.branding?.logo = nil }
        try await fixture.configure { setLogo(SampleImage.lossyWebP, of: &$0.branding) }
        fixture.clock.advance(by: .seconds(31 * 24 * 60 * 60))
        try await fixture.store.sweep(at: fixture.clock.now)
        #expect(try await picture(fixture, second) != nil)
    }

    @Test(arguments: StoreEngine.allCases) func tenantHasALogoOfItsOwn(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        try await fixture.configure { setLogo(SampleImage.png, of: &$0.branding) }
        let realm = try await fixture.makeTenant { setLogo(SampleImage.losslessWebP, of: &$0.branding) }
        let effective = try await fixture.send(Identity.ResolveConfiguration(realm: realm)).configuration
        let own = effective.branding?.logo?.digest
        #expect(try await picture(fixture, own)?.mediaType == "image/webp")
        // Without its own it shows the project's.
        try await fixture.changeTenant(realm) { $0.branding = nil }
        let inherited = try await fixture.send(Identity.ResolveConfiguration(realm: realm)).configuration
        #expect(try await inherited.branding?.logo?.digest == digest(fixture))
        // The picture of a deleted tenant is deleted after thirty days, the project's stays.
        try await fixture.changeTenant(realm) { setLogo(SampleImage.png, of: &$0.branding) }
        _ = try await fixture.send(
            Identity.DeleteTenant(project: realm.project, tenant: try #require(realm.tenant)))
        fixture.clock.advance(by: .seconds(31 * 24 * 60 * 60))
        try await fixture.store.sweep(at: fixture.clock.now)
        let rows = try await fixture.store.read {
            try $0.rows("SELECT tenant FROM logos").map { try $0.get("tenant") as String }
        }
        #expect(rows == [""])
        #expect(try await picture(fixture, digest(fixture)) != nil)
    }
}

extension [UInt8] {
    fileprivate var digestText: String? { (try? LogoImage(self))?.digest }
}
