import Bus
import Contracts
import Vocabulary

/// The page of the practice provider: which sign-in it is for, and the response to it. Dev mode only.
struct PracticeHandler: FederationComponent {
    let context: FederationContext

    func read(
        _ request: Federation.ReadPracticeSignIn, _ call: BusCall
    ) async throws -> Federation.ReadPracticeSignIn.Reply {
        let browserSignIn = try await browserSignIn(request.state)
        return .init(realm: browserSignIn.realm, providerID: browserSignIn.providerID)
    }

    func finish(
        _ request: Federation.FinishPracticeSignIn, _ call: BusCall
    ) async throws -> Federation.FinishPracticeSignIn.Reply {
        let browserSignIn = try await browserSignIn(request.state)
        guard let url = WebURL(browserSignIn.redirectURL) else { throw ServiceError.unknownState }
        let result: (name: String, value: String)
        if let user = request.user {
            result = ("code", try PracticeCode.text(for: try Self.checked(user)))
        } else {
            result = ("error", "access_denied")
        }
        return .init(responseURL: Secret(url.appending([("state", request.state.reveal()), result])))
    }

    private func browserSignIn(_ state: Secret<String>) async throws -> BrowserSignIn {
        guard isDev else { throw ServiceError(.unknownOperation) }
        guard let browserSignIn = try await store.browserSignIn(stateDigest: BrowserSignIn.digest(state.reveal())),
            browserSignIn.isOpen(at: now()),
            try await store.provider(browserSignIn.providerID, in: browserSignIn.realm) == nil
        else { throw ServiceError.unknownState }
        return browserSignIn
    }

    private static func checked(_ user: Federation.PracticeUser) throws(ServiceError) -> Federation.PracticeUser {
        let maximum = Federation.PracticeUser.maximumTextBytes
        guard !user.subject.isEmpty,
            [user.subject, user.email ?? "", user.displayName ?? "", user.userName ?? ""].allSatisfy({
                $0.utf8.count <= maximum
            })
        else { throw ServiceError(.invalidRequest, "the user needs an ID, and texts of at most \(maximum) bytes") }
        var user = user
        user.displayName = user.displayName.nilIfEmpty
        user.userName = user.userName.nilIfEmpty
        user.email = user.email.nilIfEmpty
        if let email = user.email {
            guard EmailAddress(email) != nil else { throw ServiceError(.invalidEmail) }
        }
        return user
    }
}
