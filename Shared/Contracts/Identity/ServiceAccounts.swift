package import Vocabulary

extension Identity {
    /// A public key of a service account. A service account has one or more keys, and belongs to one project.
    package struct ServiceAccountKey: Codable, Equatable, Sendable {
        /// The address of the signer: `iss` of its tokens.
        package var email: String
        package var keyID: String
        package var project: ProjectID
        /// DER SubjectPublicKeyInfo of an RSA key, base64url.
        package var publicKey: String

        package init(email: String, keyID: String, project: ProjectID, publicKey: String) {
            self.email = email
            self.keyID = keyID
            self.project = project
            self.publicKey = publicKey
        }
    }

    /// Registers a key; registering the same key again succeeds.
    package struct AddServiceAccountKey: BusRequest {
        package static let operation = Identity.Operation.addServiceAccountKey
        // The same key is registered once.
        package static let retrySemantics = RetrySemantics.idempotent
        package static let maximumKeys = 10
        package var key: ServiceAccountKey
        /// Absent: from a caller of a former version.
        package var client: ClientContext?

        package init(key: ServiceAccountKey, client: ClientContext? = nil) {
            self.key = key
            self.client = client
        }

        package typealias Reply = EmptyReply
    }

    /// Every key of a project.
    package struct ListServiceAccountKeys: BusRequest {
        package static let operation = Identity.Operation.listServiceAccountKeys
        package static let retrySemantics = RetrySemantics.idempotent
        package var project: ProjectID

        package init(project: ProjectID) {
            self.project = project
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var keys: [ServiceAccountKey]

            package init(keys: [ServiceAccountKey]) {
                self.keys = keys
            }
        }
    }

    /// Removes one key of a service account, or all of them; its access tokens end.
    package struct RemoveServiceAccountKeys: BusRequest {
        package static let operation = Identity.Operation.removeServiceAccountKeys
        package static let retrySemantics = RetrySemantics.deduplicated
        package var email: String
        package var keyID: String?
        /// Absent: from a caller of a former version.
        package var client: ClientContext?

        package init(email: String, keyID: String? = nil, client: ClientContext? = nil) {
            self.email = email
            self.keyID = keyID
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var removed: Int

            package init(removed: Int) {
                self.removed = removed
            }
        }
    }

    /// A permission of an access token in its project.
    package enum AdminPermission: String, Codable, CaseIterable, Sendable {
        case read, write
        /// No scope grants it: the operator names the service accounts that have it.
        case readPasswordHashes
    }

    /// Exchanges an assertion that a service account signed (RFC 7523) for an access token.
    package struct IssueAccessToken: BusRequest {
        package static let operation = Identity.Operation.issueAccessToken
        // An assertion is valid for one token only.
        package static let retrySemantics = RetrySemantics.atMostOnce
        /// The prefix of every access token: other bearer tokens need no introspection.
        package static let tokenPrefix = "lkat_"
        package var assertion: Secret<String>?
        /// The addresses of the requested endpoint: other audiences of the assertion are ignored.
        package var audiences: [String]
        package var client: ClientContext

        package init(assertion: Secret<String>?, audiences: [String], client: ClientContext = .init()) {
            self.assertion = assertion
            self.audiences = audiences
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var accessToken: Secret<String>
            package var expiresInSeconds: Int

            package init(accessToken: Secret<String>, expiresInSeconds: Int) {
                self.accessToken = accessToken
                self.expiresInSeconds = expiresInSeconds
            }
        }
    }

    /// The grant of an access token.
    package struct IntrospectAccessToken: BusRequest {
        package static let operation = Identity.Operation.introspectAccessToken
        package static let retrySemantics = RetrySemantics.idempotent
        package var accessToken: Secret<String>

        package init(accessToken: Secret<String>) {
            self.accessToken = accessToken
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var project: ProjectID
            package var serviceAccount: String
            package var permissions: [AdminPermission]
            package var expiresAt: Moment

            package init(
                project: ProjectID, serviceAccount: String, permissions: [AdminPermission], expiresAt: Moment
            ) {
                self.project = project
                self.serviceAccount = serviceAccount
                self.permissions = permissions
                self.expiresAt = expiresAt
            }
        }
    }
}
