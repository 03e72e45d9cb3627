import Vocabulary

extension Account {
    /// Whether the owner can still sign in after something is removed. REST calls do not ask: production permits the
    /// removal of the last way in. Pages for users refuse it, and identity for them (`OwnAccountChanges.keepsWayIn`).
    package func keepsWayIn(without removal: Identity.AccountChanges.Removal) -> Bool {
        var (hasPassword, hasLink, hasPhone) = (hasPassword, emailLinkSignIn && email != nil, phoneNumber != nil)
        var (passkeys, providers) = (passkeys, providers)
        switch removal {
        case .displayName, .photoURL, .secondFactor: return true
        case .email, .emailSignIn: (hasPassword, hasLink) = (false, false)
        case .password: hasPassword = false
        case .phoneNumber: hasPhone = false
        case .provider(let id): providers.removeAll { $0.providerID == id }
        case .providers: providers = []
        case .passkey(let id): passkeys.removeAll { $0.credentialID == id }
        }
        return hasPassword || hasLink || hasPhone || !passkeys.isEmpty || !providers.isEmpty
    }
}
