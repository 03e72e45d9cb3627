// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import Contracts
    import TestSupport
    import Vocabulary

    /// What was promised about identities of providers.
    extension AccountJudge {
        /// A person at a provider. Each realm knows the same ones.
        struct Identity {
            let provider: String
            let subject: String

            /// An account has one identity of a provider.
            static let all = [
                Identity(provider: "google.com", subject: "ada"), Identity(provider: "google.com", subject: "bob"),
                Identity(provider: "oidc.work", subject: "ada"),
            ]
        }

        /// - Parameter owner: the account that gets the tokens.
        func identityIsAccepted(_ owner: Account, _ place: Int, _ span: Span) {
            if !owner.isLinked[place].mayBe(true, from: span.began, to: span.ended) {
                world.report("\(owner.name) is accepted with an identity that is not linked to it")
            }
            requireEnabled(owner, span)
        }

        func identityIsRefused(_ account: Account, _ place: Int, _ message: String, _ span: Span) {
            if message == "USER_NOT_FOUND", account.isLinked[place].mustBe(true, from: span.began, to: span.ended) {
                world.report("\(account.name) is refused with an identity that is linked to it")
            }
            if account.isLinked[place].mustBe(true, from: span.began, to: span.ended) {
                requireDisabled(account, message, span)
            }
        }

        /// - Parameters:
        ///   - others: the other accounts of the realm.
        ///   - session: of the ID token, which is the one that the session had then.
        func linkIsAccepted(
            _ account: Account, _ place: Int, besides others: [Account], by session: Session?, _ span: Span
        ) {
            if let session { idTokenIsAccepted(account, session, span) }
            requireEnabled(account, span)
            if !others.allSatisfy({ $0.isLinked[place].mayBe(false, from: span.began, to: span.ended) }) {
                world.report("an identity is linked to \(account.name) and to another account")
            }
        }

        func linkIsRefused(
            _ account: Account, _ place: Int, besides others: [Account], _ message: String, _ span: Span
        ) {
            requireDisabled(account, message, span)
            if message == "FEDERATED_USER_ID_ALREADY_LINKED",
                others.allSatisfy({ $0.isLinked[place].mustBe(false, from: span.began, to: span.ended) })
            {
                world.report("an identity is refused to \(account.name) as linked, and nobody has it")
            }
        }

        /// - Parameter linked: the places of the identities of a reply.
        func identitiesAreListed(_ account: Account, _ linked: [Int], _ span: Span) {
            for (place, isLinked) in account.isLinked.enumerated() {
                if linked.contains(place) {
                    if !isLinked.mayBe(true, from: span.began, to: span.ended) {
                        world.report("\(account.name) has an identity that was unlinked")
                    }
                } else if isLinked.mustBe(true, from: span.began, to: span.ended) {
                    world.report("\(account.name) has lost an identity")
                }
            }
        }

        /// An identity has one account in a realm.
        func requireOneAccountForEachIdentity() {
            do {
                let twice = try identity.rows(
                    """
                    SELECT 1 FROM provider_links GROUP BY project, tenant, provider_id, provider_account_id
                    HAVING count(*) > 1
                    """)
                if !twice.isEmpty { world.report("\(twice.count) identities have two accounts") }
            } catch {
                world.report("the identities cannot be read: \(error)")
            }
        }
    }

    extension AccountJudge.Account {
        /// A write of each identity of a provider.
        struct LinkChange {
            fileprivate var writes: [(place: Int, write: Int)] = []
        }

        /// The identity replaces another one of its provider.
        func beginLink(_ place: Int, at now: Instant) -> LinkChange {
            change(AccountJudge.Identity.all[place].provider, at: now) { $0 == place }
        }

        func beginUnlink(_ provider: String, at now: Instant) -> LinkChange { change(provider, at: now) { _ in false } }

        func endChange(_ change: LinkChange, _ outcome: RequestOutcome, at now: Instant) {
            for (place, write) in change.writes { isLinked[place].end(write, outcome, at: now) }
        }

        private func change(_ provider: String, at now: Instant, _ value: (Int) -> Bool) -> LinkChange {
            var change = LinkChange()
            for (place, identity) in AccountJudge.Identity.all.enumerated() where identity.provider == provider {
                change.writes.append((place, isLinked[place].begin(value(place), at: now)))
            }
            return change
        }
    }

#endif
