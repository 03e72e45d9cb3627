package import Vocabulary

/// A first factor was right and a second one is wanted: what the client goes on with.
package struct PendingSecondFactor: Codable, Equatable, Sendable {
    /// Good for `Identity.ResolvePendingSignIn` and, once, for `Identity.CompleteSignIn`; for nothing else.
    package var credential: Secret<String>
    /// Those of the account that can be asked for now, at least one.
    package var factors: [SecondFactor]
    /// How many recovery codes the account has left; absent: none were ever made.
    package var recoveryCodesLeft: Int?

    package init(credential: Secret<String>, factors: [SecondFactor], recoveryCodesLeft: Int? = nil) {
        self.credential = credential
        self.factors = factors
        self.recoveryCodesLeft = recoveryCodesLeft
    }
}

extension Identity {
    /// Finds the account and the factors of a pending sign-in. Changes nothing. Errors: `invalidPendingCredential`,
    /// `pendingCredentialExpired`, `accountDisabled`.
    package struct ResolvePendingSignIn: BusRequest {
        package static let operation = Identity.Operation.resolvePendingSignIn
        package static let delivery = Delivery.idempotent
        package var project: ProjectID
        /// That the request names; the credential must be of it.
        package var tenant: TenantID?
        package var credential: Secret<String>?
        /// The method that the sender verifies. The reply lists the factors of every method.
        package var method: SecondFactor.Method

        package init(
            project: ProjectID, tenant: TenantID? = nil, credential: Secret<String>?, method: SecondFactor.Method
        ) {
            self.project = project
            self.tenant = tenant
            self.credential = credential
            self.method = method
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var accountID: AccountID
            package var realm: Realm
            /// Those that can be asked for.
            package var factors: [SecondFactor]
            /// When the first factor was right: a kind of factor may allow less time than the credential has.
            package var startedAt: Moment
            /// For the method of the request.
            package var verification: SecondFactor.VerificationSettings

            package init(
                accountID: AccountID, realm: Realm, factors: [SecondFactor], startedAt: Moment,
                verification: SecondFactor.VerificationSettings
            ) {
                self.accountID = accountID
                self.realm = realm
                self.factors = factors
                self.startedAt = startedAt
                self.verification = verification
            }
        }
    }

    /// Ends a sign-in whose second factor was proved: spends the credential and opens the session. Only the service that
    /// checked the factor may say so. Errors: those of `ResolvePendingSignIn`, `factorNotFound`.
    package struct CompleteSignIn: BusRequest {
        package static let operation = Identity.Operation.completeSignIn
        package static let delivery = Delivery.deduplicated
        package var project: ProjectID
        /// That the request names; the credential must be of it.
        package var tenant: TenantID?
        package var credential: Secret<String>?
        /// The factor that was proved.
        package var factorID: FactorID
        package var client: ClientContext

        package init(
            project: ProjectID, tenant: TenantID? = nil, credential: Secret<String>?, factorID: FactorID,
            client: ClientContext = .init()
        ) {
            self.project = project
            self.tenant = tenant
            self.credential = credential
            self.factorID = factorID
            self.client = client
        }

        package typealias Reply = SessionReply
    }
}
