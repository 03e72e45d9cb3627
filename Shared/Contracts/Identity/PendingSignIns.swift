package import Vocabulary

/// The state of a pending sign-in: the first factor is verified and a second one is required.
package struct PendingSecondFactor: Codable, Equatable, Sendable {
    /// Valid for `Identity.ResolvePendingSignIn` and, once, for `Identity.CompleteSignIn`.
    package var pendingCredential: Secret<String>
    /// The factors of the account that sign-in accepts now, at least one; none for an operator who has passkeys only.
    package var factors: [SecondFactor]
    /// The number of recovery codes left; absent: none were ever generated.
    package var remainingRecoveryCodes: Int?

    package init(pendingCredential: Secret<String>, factors: [SecondFactor], remainingRecoveryCodes: Int? = nil) {
        self.pendingCredential = pendingCredential
        self.factors = factors
        self.remainingRecoveryCodes = remainingRecoveryCodes
    }
}

extension Identity {
    /// Finds the account and the factors of a pending sign-in. Changes nothing.
    package struct ResolvePendingSignIn: BusRequest {
        package static let operation = Identity.Operation.resolvePendingSignIn
        package static let retrySemantics = RetrySemantics.idempotent
        package var project: ProjectID
        /// The tenant of the request; the credential must belong to it.
        package var tenant: TenantID?
        package var pendingCredential: Secret<String>?
        /// The method that the sender verifies. The reply lists the factors of every method.
        package var method: SecondFactor.Method

        package init(
            project: ProjectID, tenant: TenantID? = nil, pendingCredential: Secret<String>?, method: SecondFactor.Method
        ) {
            self.project = project
            self.tenant = tenant
            self.pendingCredential = pendingCredential
            self.method = method
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var accountID: AccountID
            package var realm: Realm
            /// The factors that sign-in accepts.
            package var factors: [SecondFactor]
            /// Absent: false. A sign-in with a passkey stands in for both factors.
            package var hasPasskeys: Bool?
            /// When the first factor was verified: a kind of factor may have a shorter lifetime than the credential.
            package var startedAt: Moment
            /// For the method of the request.
            package var verification: SecondFactor.VerificationSettings

            package init(
                accountID: AccountID, realm: Realm, factors: [SecondFactor], hasPasskeys: Bool? = nil,
                startedAt: Moment, verification: SecondFactor.VerificationSettings
            ) {
                self.accountID = accountID
                self.realm = realm
                self.factors = factors
                self.hasPasskeys = hasPasskeys
                self.startedAt = startedAt
                self.verification = verification
            }
        }
    }

    /// Completes a sign-in whose second factor was verified: redeems the credential and opens the session. Only the
    /// service that verified the factor may send it.
    package struct CompleteSignIn: BusRequest {
        package static let operation = Identity.Operation.completeSignIn
        package static let retrySemantics = RetrySemantics.deduplicated
        package var project: ProjectID
        /// The tenant of the request; the credential must belong to it.
        package var tenant: TenantID?
        package var pendingCredential: Secret<String>?
        /// The verified factor.
        package var factorID: FactorID
        package var client: ClientContext

        package init(
            project: ProjectID, tenant: TenantID? = nil, pendingCredential: Secret<String>?, factorID: FactorID,
            client: ClientContext = .init()
        ) {
            self.project = project
            self.tenant = tenant
            self.pendingCredential = pendingCredential
            self.factorID = factorID
            self.client = client
        }

        package typealias Reply = SessionReply
    }
}
