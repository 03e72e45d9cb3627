// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import TestSupport

    /// What ends with an account, and with the first proof of its address.
    extension AccountJudge.Account {
        /// The writes of a removal of all passkeys and identities.
        struct Credentials {
            fileprivate var passkeys: [Int]
            fileprivate var isLinked: [Int]
        }

        private func beginRemovalOfCredentials(at now: Instant) -> Credentials {
            Credentials(
                passkeys: passkeys.indices.map { passkeys[$0].isListed.begin(false, at: now) },
                isLinked: isLinked.indices.map { isLinked[$0].begin(false, at: now) })
        }

        private func endRemoval(_ credentials: Credentials, _ outcome: RequestOutcome, at now: Instant) {
            for (place, write) in credentials.passkeys.enumerated() {
                passkeys[place].isListed.end(write, outcome, at: now)
            }
            for (place, write) in credentials.isLinked.enumerated() { isLinked[place].end(write, outcome, at: now) }
        }

        /// What an account has besides its password, which ends with it.
        struct Rest {
            fileprivate var factors: Removal
            fileprivate var isDisabled: Int
            fileprivate var isProven: Int
            fileprivate var credentials: Credentials
        }

        /// The account is deleted, or a new one begins.
        func beginAnew(at now: Instant) -> Rest {
            Rest(
                factors: beginRemoval(at: now), isDisabled: isDisabled.begin(false, at: now),
                isProven: isProven.begin(false, at: now), credentials: beginRemovalOfCredentials(at: now))
        }

        func endAnew(_ rest: Rest, _ outcome: RequestOutcome, at now: Instant) {
            endRemoval(rest.factors, outcome, at: now)
            isDisabled.end(rest.isDisabled, outcome, at: now)
            isProven.end(rest.isProven, outcome, at: now)
            endRemoval(rest.credentials, outcome, at: now)
        }

        /// The use of a code of an e-mail, which verifies the address.
        struct Proof {
            fileprivate var isProven: Int
            fileprivate var credentials: Credentials
            fileprivate var former: [Bool]
        }

        /// Somebody else may have created an account whose address nobody has verified. The reset of its password removes
        /// what else signs in to it.
        func beginProof(at now: Instant) -> Proof {
            let former = isProven.possible(from: now, to: now)
            return Proof(
                isProven: isProven.begin(true, at: now), credentials: beginRemovalOfCredentials(at: now),
                former: former)
        }

        func endProof(_ proof: Proof, _ outcome: RequestOutcome, at now: Instant) {
            isProven.end(proof.isProven, outcome, at: now)
            let removal: RequestOutcome =
                if !proof.former.contains(false) {
                    .refused
                } else if proof.former.contains(true), outcome == .acknowledged {
                    .uncertain
                } else { outcome }
            endRemoval(proof.credentials, removal, at: now)
        }
    }

#endif
