import Contracts
import FoundationEssentials
import HTTPServer
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

struct LogoRouteTests {
    private static let digest = String(repeating: "0a", count: 32)

    private func harness(_ picture: Identity.ReadLogo.Picture?) throws -> GatewayHarness {
        let harness = try GatewayHarness.production()
        harness.mesh.reply(to: Identity.ReadLogo.self) { _ in .init(picture: picture) }
        return harness
    }

    @Test(arguments: ["image/png", "image/jpeg", "image/webp"])
    func logoIsServedAsAPictureAndNothingElse(mediaType: String) async throws {
        let harness = try harness(.init(mediaType: mediaType, content: OctetString([1, 2, 3])))
        let response = try await harness.send(.get, "/__/auth/logo/\(Self.digest)")
        #expect(response.status == 200 && Array(response.http.body) == [1, 2, 3])
        #expect(response.header("Content-Type") == mediaType)
        #expect(response.header("X-Content-Type-Options") == "nosniff")
        #expect(response.header("Cache-Control") == "public, max-age=31536000, immutable")
        #expect(response.header("Content-Security-Policy") == "default-src 'none'; frame-ancestors 'none'; sandbox")
        #expect(response.header("Set-Cookie") == nil)
    }

    @Test func knownLogoIsNotAskedForAgain() async throws {
        let harness = try harness(.init(mediaType: "image/png", content: OctetString([1])))
        for spelling in [Self.digest, Self.digest.uppercased(), Self.digest] {
            #expect(try await harness.send(.get, "/__/auth/logo/\(spelling)").status == 200)
        }
        #expect(harness.mesh.sent(Identity.ReadLogo.self).map(\.digest) == [Self.digest])
    }

    @Test func unknownLogoIsNotFoundAndNotKept() async throws {
        let harness = try harness(nil)
        for _ in 0..<2 { #expect(try await harness.send(.get, "/__/auth/logo/\(Self.digest)").status == 404) }
        #expect(harness.mesh.sent(Identity.ReadLogo.self).count == 2)
    }

    @Test(arguments: ["", "0a", String(repeating: "0", count: 65), String(repeating: "g", count: 64), "..%2fpages.css"])
    func otherPathsAreNotFound(name: String) async throws {
        let harness = try harness(.init(mediaType: "image/png", content: OctetString([1])))
        #expect(try await harness.send(.get, "/__/auth/logo/\(name)").status == 404)
        #expect(harness.mesh.sent(Identity.ReadLogo.self).isEmpty)
    }
}
