import Contracts
import Pages
import Vocabulary

/// What the owner of an account removes from it, after a question.
struct AccountRemoval: Sendable {
    enum Kind: String, Sendable, CaseIterable {
        case factor, passkey, password, provider, phone

        /// The page that lists it.
        var path: String {
            switch self {
            case .factor, .passkey, .password: AccountPages.securityPath
            case .provider: AccountPages.connectionsPath
            case .phone: AccountPages.path
            }
        }
    }

    let kind: Kind
    let id: String
    let removal: Identity.AccountChanges.Removal

    /// The items of an address or a form.
    static func items(_ kind: Kind, _ id: String) -> [(name: String, value: String)] {
        [("kind", kind.rawValue), ("id", id)]
    }

    /// - Returns: nil if the account has no such thing, any more.
    init?(kind: String?, id: String?, of account: Account) {
        guard let kind = kind.flatMap(Kind.init) else { return nil }
        self.kind = kind
        self.id = id ?? ""
        switch kind {
        case .factor:
            guard let factor = account.secondFactors.first(where: { $0.id.rawValue == id }) else { return nil }
            removal = .secondFactor(factor.id)
        case .passkey:
            let found = account.passkeys.first { Base64URL.encode($0.credentialID.bytes) == id }
            guard let found else { return nil }
            removal = .passkey(found.credentialID)
        case .password:
            guard account.hasPassword else { return nil }
            removal = .password
        case .provider:
            guard let provider = account.providers.first(where: { $0.providerID == id }) else { return nil }
            removal = .provider(provider.providerID)
        case .phone:
            guard account.phoneNumber != nil else { return nil }
            removal = .phoneNumber
        }
    }

    func title(_ view: AccountView) -> String {
        switch kind {
        case .factor: view.all.removeSecondFactor.title
        case .passkey: view.all.removePasskey.title
        case .password: view.texts.removePassword
        case .provider: view.texts.disconnect
        case .phone: view.phoneTexts.removeNumber
        }
    }

    func name(_ view: AccountView) -> String? {
        switch kind {
        case .factor: view.account.secondFactors.first { $0.id.rawValue == id }.map { $0.name(in: view.all) }
        case .passkey:
            view.account.passkeys.first { Base64URL.encode($0.credentialID.bytes) == id }.map { $0.name(in: view.all) }
        case .password: nil
        case .provider: id
        case .phone: view.account.phoneNumber?.rawValue
        }
    }

    func consequence(_ view: AccountView) -> String {
        switch kind {
        case .factor: view.all.removeSecondFactor.body
        case .passkey: view.all.passkeyPage.removalQuestion
        case .password: view.texts.removePasswordBody
        case .provider: view.texts.disconnectBody(id)
        case .phone: view.phoneTexts.removeNumberBody
        }
    }
}
