// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import FoundationEssentials
    import SQL
    import TestSupport
    import Vocabulary

    /// What was promised about passkeys.
    extension AccountJudge {
        /// A credential that an authenticator creates for an account.
        struct Passkey {
            /// As replies have it.
            let id: String
            /// Whether it is a passkey of the account.
            var isListed = AccountHistory(false)
            /// The signature counters that were sent.
            var sentCounts: [UInt32] = []
            /// Those that were accepted, and when.
            var acceptedCounts: [(count: UInt32, span: Span)] = []

            init(_ id: CredentialID) { self.id = Data(id.bytes).base64EncodedString() }
        }

        /// A challenge has one accepted use. The same enrollment again gets the same reply.
        func challengeIsAccepted(_ account: Account, _ challenge: [UInt8], refreshToken: String) {
            let former = challenges.updateValue(refreshToken, forKey: challenge)
            if let former, former != refreshToken { world.report("a challenge of \(account.name) is accepted twice") }
        }

        /// - Parameter session: of the ID token, which is the one that the session had then.
        func passkeyIsEnrolled(_ account: Account, _ place: Int, by session: Session?, _ span: Span) {
            if let session { idTokenIsAccepted(account, session, span) }
            requireEnabled(account, span)
            let passkey = account.passkeys[place]
            // Nobody can have deleted the account since.
            guard passkey.isListed.mustBe(true, from: span.ended, to: span.ended) else { return }
            if !isStored(passkey, "passkeys", identity) || !isStored(passkey, "credentials", passkeys) {
                world.report("a passkey of \(account.name) was acknowledged, and is not stored")
            }
        }

        private func isStored(_ passkey: Passkey, _ table: String, _ disk: SimulatedDisk) -> Bool {
            guard let id = Data(base64Encoded: passkey.id) else { return false }
            do {
                return try !disk.rows("SELECT 1 FROM \(table) WHERE credential_id = $1", .blob(Array(id))).isEmpty
            } catch {
                world.report("\(table) cannot be read: \(error)")
                return true
            }
        }

        /// - Parameter ids: those of a reply.
        func passkeysAreListed(_ account: Account, _ ids: [String], _ span: Span) {
            for passkey in account.passkeys {
                if ids.contains(passkey.id) {
                    if !passkey.isListed.mayBe(true, from: span.began, to: span.ended) {
                        world.report("\(account.name) has a passkey that was removed")
                    }
                } else if passkey.isListed.mustBe(true, from: span.began, to: span.ended) {
                    world.report("\(account.name) has lost a passkey")
                }
            }
            if !ids.allSatisfy({ id in account.passkeys.contains { $0.id == id } }) {
                world.report("\(account.name) has a passkey of nobody")
            }
        }

        /// The list of a challenge for the account is without the passkey.
        func passkeyIsNotAllowed(_ account: Account, _ place: Int, _ span: Span) {
            if account.passkeys[place].isListed.mustBe(true, from: span.began, to: span.ended),
                account.isDisabled.mustBe(false, from: span.began, to: span.ended)
            {
                world.report("\(account.name) has a passkey, and may not use it")
            }
        }

        func passkeyIsAccepted(_ account: Account, _ place: Int, count: UInt32, _ span: Span) {
            let passkey = account.passkeys[place]
            if !passkey.isListed.mayBe(true, from: span.began, to: span.ended) {
                world.report("\(account.name) is accepted with a passkey that was removed")
            }
            requireEnabled(account, span)
            let isTooLate = passkey.acceptedCounts.contains { other in
                other.count == count || other.count > count && other.span.ended < span.began
            }
            if count > 0, isTooLate {
                world.report("a passkey of \(account.name) is accepted with a counter that did not increase")
            }
            account.passkeys[place].acceptedCounts.append((count, span))
        }

        /// - Parameter isAlone: no other response to the challenge was sent, and this one has no deviation.
        func passkeyIsRefused(
            _ account: Account, _ place: Int, count: UInt32, isAlone: Bool, _ message: String, _ span: Span
        ) {
            requireDisabled(account, message, span)
            let passkey = account.passkeys[place]
            let mayBeLate = count > 0 && passkey.sentCounts.count { $0 >= count } > 1
            if isAlone, !mayBeLate,
                ["PASSKEY_ENROLLMENT_NOT_FOUND", "INVALID_AUTHENTICATOR_RESPONSE"].contains(message),
                passkey.isListed.mustBe(true, from: span.began, to: span.ended)
            {
                world.report("\(account.name) is refused with a passkey that it has: \(message)")
            }
        }
    }

#endif
