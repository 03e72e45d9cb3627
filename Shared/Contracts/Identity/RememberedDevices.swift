package import Vocabulary

extension Identity {
    /// Remembers the device of a session on the hosted pages, which has just shown a second factor of its account: its next
    /// sign-ins are not asked for one, for the days that the project sets.
    package struct RememberDevice: BusRequest, Equatable {
        package static let operation = Identity.Operation.rememberDevice
        // The secret is returned once.
        package static let retrySemantics = RetrySemantics.atMostOnce
        /// The secrets of one browser that are read.
        package static let maximumSecrets = 8
        package var realm: Realm
        package var idToken: Secret<String>?
        /// The secrets that the browser has. Those of the account are void afterwards.
        package var formerSecrets: [Secret<String>]
        package var client: ClientContext

        package init(
            realm: Realm, idToken: Secret<String>?, formerSecrets: [Secret<String>] = [],
            client: ClientContext = .init()
        ) {
            self.realm = realm
            self.idToken = idToken
            self.formerSecrets = formerSecrets
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            /// base64url.
            package var secret: Secret<String>
            package var expiresAt: Moment

            package init(secret: Secret<String>, expiresAt: Moment) {
                self.secret = secret
                self.expiresAt = expiresAt
            }
        }
    }

    /// Completes a pending sign-in on a remembered device: redeems the credential and opens a session, which has shown no
    /// second factor and says so. It throws `secondFactorRequired` where the device is not remembered for the account; the
    /// credential stays valid then.
    package struct SignInWithRememberedDevice: BusRequest, Equatable {
        package static let operation = Identity.Operation.signInWithRememberedDevice
        package static let retrySemantics = RetrySemantics.atMostOnce
        package var project: ProjectID
        /// The tenant of the request; the credential must belong to it.
        package var tenant: TenantID?
        package var pendingCredential: Secret<String>?
        /// The secrets that the browser has, for any account. At most `RememberDevice.maximumSecrets` are read.
        package var secrets: [Secret<String>]
        package var client: ClientContext

        package init(
            project: ProjectID, tenant: TenantID? = nil, pendingCredential: Secret<String>?,
            secrets: [Secret<String>], client: ClientContext = .init()
        ) {
            self.project = project
            self.tenant = tenant
            self.pendingCredential = pendingCredential
            self.secrets = secrets
            self.client = client
        }

        package typealias Reply = SessionReply
    }

    /// A device that is not asked for a second factor.
    package struct RememberedDevice: Codable, Equatable, Sendable {
        /// base64url; it is not the secret.
        package var id: String
        /// The name of the client, such as `Firefox (Windows)`; absent for an unknown one.
        package var device: String?
        package var createdAt: Moment
        package var lastUsedAt: Moment
        package var expiresAt: Moment

        package init(id: String, device: String? = nil, createdAt: Moment, lastUsedAt: Moment, expiresAt: Moment) {
            self.id = id
            self.device = device
            self.createdAt = createdAt
            self.lastUsedAt = lastUsedAt
            self.expiresAt = expiresAt
        }
    }

    /// The remembered devices of the account of an ID token, the latest used first.
    package struct ListRememberedDevices: BusRequest, Equatable {
        package static let operation = Identity.Operation.listRememberedDevices
        package static let retrySemantics = RetrySemantics.idempotent
        package var realm: Realm
        package var idToken: Secret<String>?

        package init(realm: Realm, idToken: Secret<String>?) {
            self.realm = realm
            self.idToken = idToken
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var devices: [RememberedDevice]

            package init(devices: [RememberedDevice]) {
                self.devices = devices
            }
        }
    }

    /// Forgets a remembered device of the account of an ID token. Its sessions continue. Nothing happens where it is forgotten
    /// already.
    package struct ForgetRememberedDevice: BusRequest, Equatable {
        package static let operation = Identity.Operation.forgetRememberedDevice
        package static let retrySemantics = RetrySemantics.idempotent
        package var realm: Realm
        package var idToken: Secret<String>?
        /// Of `RememberedDevice`.
        package var id: String
        package var client: ClientContext

        package init(realm: Realm, idToken: Secret<String>?, id: String, client: ClientContext = .init()) {
            self.realm = realm
            self.idToken = idToken
            self.id = id
            self.client = client
        }

        package typealias Reply = EmptyReply
    }
}
