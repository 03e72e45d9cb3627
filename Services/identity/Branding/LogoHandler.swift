import Contracts

/// Reads logos for the gateway, which serves them.
struct LogoHandler: IdentityComponent {
    let context: IdentityContext

    func read(_ request: Identity.ReadLogo) async throws -> Identity.ReadLogo.Reply {
        .init(picture: try await store.logo(digest: request.digest))
    }
}
