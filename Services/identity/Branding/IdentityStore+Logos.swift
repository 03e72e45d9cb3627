import Contracts
import SQL
import Vocabulary

extension IdentityStore {
    /// The logo of any realm: the digest is that of its content.
    func logo(digest: String) async throws -> Identity.ReadLogo.Picture? {
        try await read { transaction in
            try transaction.firstRow(LogoTable.byDigest, [.digest: digest]).map { row in
                Identity.ReadLogo.Picture(
                    mediaType: try row.get(.mediaType), content: OctetString(try row.get(.content)))
            }
        }
    }
}

extension SQLTransaction {
    /// Stores the new logo of a realm, if there is one, and retires the others. Runs with the change of the configuration.
    /// - Parameter branding: the new one; nil for a deleted tenant.
    borrowing func saveLogo(of branding: ProjectConfiguration.Branding?, in realm: Realm, at now: Moment) throws {
        let logo = branding?.logo
        if let image = try logo?.image {
            try execute(
                LogoTable.saving,
                SQLRecord(realm) + [
                    .digest: image.digest, .mediaType: image.format.rawValue, .content: image.bytes, .retiredAt: nil,
                ])
        }
        try execute(LogoTable.retirement, SQLRecord(realm) + [.digest: logo?.digest ?? "", .retiredAt: now])
    }
}

extension ProjectConfiguration.Branding.Logo {
    /// The picture of a checked change; nil for the stored one.
    fileprivate var image: LogoImage? {
        get throws { try content.flatMap(Base64Field.decode).map { bytes in try LogoImage(bytes) } }
    }
}

extension ProjectConfiguration.Branding {
    /// What configurations store: without the content of the logo.
    var withoutLogoContent: Self {
        var branding = self
        branding.logo?.content = nil
        return branding
    }
}
