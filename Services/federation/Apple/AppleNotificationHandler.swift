import Bus
import Contracts
import JOSE
import Vocabulary

/// Receives notifications of Sign in with Apple (security rule FE16).
struct AppleNotificationHandler: FederationComponent {
    let context: FederationContext

    private static let providerID = Federation.SupportedProvider.apple.rawValue

    func receive(_ request: Federation.ReceiveAppleNotification, _ call: BusCall) async throws -> EmptyReply {
        let notification = try await metrics.count(Self.providerID, trace: call.trace) {
            try await verify(request, call)
        }
        switch notification.event {
        case .accessEnded(let subject): try await endAccess(of: subject, notification, request, call)
        case .other: break
        }
        return EmptyReply()
    }

    private func verify(
        _ request: Federation.ReceiveAppleNotification, _ call: BusCall
    ) async throws -> AppleNotification {
        let provider = try await providers.enabledProvider(Self.providerID, in: request.realm)
        let source = AppleAdapter.idTokens
        let rules = AppleNotificationRules(
            source: source,
            audiences: try await providers.audiences(of: provider, AppleAdapter(), in: request.realm, call))
        let payload = request.payload.reveal()
        do {
            // A malformed payload causes no request to Apple.
            _ = try UnverifiedJWT(payload)
            let notification = try await keySets.verify(withKeysAt: source.keySetURL) { keys in
                try rules.verify(payload, with: keys, at: now().timestamp)
            }
            // A notification must not be used up by a request whose caller has stopped waiting for slow keys.
            guard now() < call.deadline else { throw ServiceError(.deadlineExceeded) }
            return notification
        } catch let error as JWTError {
            throw AppleNotificationError.invalid(error).serviceError
        } catch let error as AppleNotificationError {
            throw error.serviceError
        }
    }

    /// A notification works once: later the user may have signed in with Apple again.
    private func endAccess(
        of subject: String, _ notification: AppleNotification, _ request: Federation.ReceiveAppleNotification,
        _ call: BusCall
    ) async throws {
        let digest = store.browserSignInSecrets.credentialDigest(
            realm: request.realm, providerID: Self.providerID, message: Array("notification/\(notification.id)".utf8))
        guard try await store.recordUse(ofCredential: digest, until: Moment(notification.acceptableUntil)) else {
            return
        }
        do {
            try await unlink(subject, request, call)
        } catch {
            // It had no effect, and works when Apple sends it again.
            try await store.deleteUse(ofCredential: digest)
            throw error
        }
    }

    private func unlink(
        _ subject: String, _ request: Federation.ReceiveAppleNotification, _ call: BusCall
    ) async throws {
        let found = try await peers.send(
            Identity.FindAccounts(realm: request.realm, criteria: [.provider(id: Self.providerID, accountID: subject)]),
            call.options(at: now()))
        // An identity belongs to at most one account.
        guard let account = found.accounts.first else { return }
        do {
            _ = try await peers.send(
                Identity.UpdateAccount(
                    realm: request.realm, accountID: account.id,
                    changes: .init(validSince: now().timestamp, removals: [.provider(Self.providerID)]),
                    client: request.client),
                call.options(at: now()))
        } catch {
            // Deleted since it was found.
            guard error.code == .accountNotFound else { throw error }
        }
    }
}
