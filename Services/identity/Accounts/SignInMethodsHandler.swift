import Bus
import Contracts
import Crypto
import Vocabulary

/// Finds the sign-in methods of an e-mail address.
struct SignInMethodsHandler: IdentityComponent {
    let context: IdentityContext

    func find(
        _ request: Identity.FindSignInMethods, _ call: BusCall
    ) async throws -> Identity.FindSignInMethods.Reply {
        let project = try await projects.project(of: request.realm, traceID: call.trace.traceID)
        guard let text = request.email?.nilIfEmpty else { throw ServiceError(.missingIdentifier) }
        guard let email = EmailAddress(text) else { throw ServiceError(.invalidIdentifier) }
        let sessionID = Base64URL.encode(randomBytes(20))
        // Before any lookup: otherwise the time of the reply would reveal whether the address has an account.
        guard !project.configuration.preventsEmailEnumeration else { return .init(sessionID: sessionID, methods: nil) }
        let found = try await store.accounts(withEmailOrProviderEmail: email, in: request.realm)
        // Without that setting an address belongs to one account. With it, a provider is a method of many accounts and no
        // address: only passwords and links are listed.
        let duplicates = project.configuration.signIn?.allowDuplicateEmails == true
        let accounts = duplicates ? found : Array(found.prefix(1))
        return .init(
            sessionID: sessionID,
            methods: .init(
                isRegistered: !found.isEmpty, hasPassword: accounts.contains(where: \.hasPassword),
                hasEmailLink: accounts.contains(where: \.emailLinkSignIn),
                providers: duplicates ? [] : accounts.flatMap { $0.providers.map(\.providerID) }))
    }
}
