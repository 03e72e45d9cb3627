import Foundation

// The forms with a completion handler.
extension User {
    /// The form of ``reload()`` with a completion handler.
    public func reload(completion: AuthCompletion? = nil) {
        run(completion) { try await self.reload() }
    }

    /// The form with a completion handler.
    public func sendEmailVerification(
        with actionCodeSettings: ActionCodeSettings? = nil, completion: AuthCompletion? = nil
    ) {
        run(completion) { try await self.sendEmailVerification(with: actionCodeSettings) }
    }

    /// The form with a completion handler.
    public func sendEmailVerification(
        beforeUpdatingEmail newEmail: String, actionCodeSettings: ActionCodeSettings? = nil,
        completion: AuthCompletion? = nil
    ) {
        run(completion) {
            try await self.sendEmailVerification(
                beforeUpdatingEmail: newEmail, actionCodeSettings: actionCodeSettings)
        }
    }

    /// The form of ``updatePassword(to:)`` with a completion handler.
    public func updatePassword(to password: String, completion: AuthCompletion? = nil) {
        run(completion) { try await self.updatePassword(to: password) }
    }

    /// The form of ``delete()`` with a completion handler.
    public func delete(completion: AuthCompletion? = nil) {
        run(completion) { try await self.delete() }
    }

    /// The form of ``reauthenticate(with:)`` with a completion handler.
    public func reauthenticate(with credential: AuthCredential, completion: AuthDataResultCompletion? = nil) {
        run(completion) { try await self.reauthenticate(with: credential) }
    }

    /// The form of ``link(with:)`` with a completion handler.
    public func link(with credential: AuthCredential, completion: AuthDataResultCompletion? = nil) {
        run(completion) { try await self.link(with: credential) }
    }

    /// The form of ``updatePhoneNumber(_:)`` with a completion handler.
    public func updatePhoneNumber(_ credential: PhoneAuthCredential, completion: AuthCompletion? = nil) {
        run(completion) { try await self.updatePhoneNumber(credential) }
    }

    /// The form of ``unlink(fromProvider:)`` with a completion handler.
    public func unlink(
        fromProvider provider: String, completion: (@MainActor @Sendable (User?, (any Error)?) -> Void)? = nil
    ) {
        run(completion) { try await self.unlink(fromProvider: provider) }
    }
}
