import Contracts
import HTTPServer
import Vocabulary

/// The session of a user on the hosted pages: an ordinary session of the account, whose refresh token is in a cookie. It is
/// in the list of sessions and ends with them.
struct HostedSession: Sendable {
    let account: Account
    let tokens: TokenSet

    /// Browsers keep cookies for at most 400 days. The policy of the project ends sessions earlier.
    static let cookieSeconds = 34_560_000

    private static let outages = WireError.Code.busy.union([.internal])

    /// The session of this browser in the realm. A token of another tenant opens none.
    /// - Returns: nil without a session, and for one that has ended.
    /// - Throws: outages, which say nothing about the session.
    init?(of visit: HostedVisit) async throws {
        guard let token = visit.cookie(.session).value(in: visit.call.request.headers) else { return nil }
        try await self.init(token, of: visit)
        if tokens.permitsEnrollmentOnly || tokens.permitsRestorationOnly { return nil }
    }

    /// The session of a refresh token.
    init?(_ token: String, of visit: HostedVisit) async throws {
        do {
            let reply = try await visit.call.send(
                Identity.RefreshSession(project: visit.realm.project, refreshToken: Secret(token)))
            let found = try await visit.call.send(
                Identity.LookUpOwnAccount(realm: visit.realm, idToken: reply.tokens.idToken))
            guard found.account.realm == visit.realm else { return nil }
            account = found.account
            tokens = reply.tokens
        } catch let error as ServiceError where !Self.outages.contains(error.code) {
            return nil
        }
    }

    /// What names the account for its user.
    var accountName: String {
        account.email?.rawValue ?? account.phoneNumber?.rawValue ?? account.displayName ?? account.id.rawValue
    }

    /// The header fields that store a session, and the device token of the browser.
    static func fields(storing tokens: TokenSet, of visit: HostedVisit) -> [(name: String, value: String)] {
        let own = visit.cookie(.session).field(tokens.refreshToken.reveal(), seconds: cookieSeconds)
        let device = tokens.deviceToken.map {
            DeviceTokens.fields(
                giving: $0.reveal(), to: visit.call.request.headers, isDev: visit.call.settings.isDev
            ).filter { $0.name == "Set-Cookie" }
        }
        return [own] + (device ?? [])
    }
}
