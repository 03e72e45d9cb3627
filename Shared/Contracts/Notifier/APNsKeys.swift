package import Vocabulary

extension Notifier {
    /// A key of Apple's developer portal with which the notifier sends the pushes of one application, without its private
    /// part, which is never read again.
    package struct APNsKey: Codable, Equatable, Sendable {
        /// The push services that the key is for. Apple restricts a key to one of them, or to none.
        package enum Environment: String, CaseIterable, Codable, Sendable {
            case both = "BOTH", sandbox = "SANDBOX", production = "PRODUCTION"
            package static let unset = "ENVIRONMENT_UNSPECIFIED"
        }

        package var id: APNsKeyID
        package var project: ProjectID
        /// Of the application: the topic of its pushes.
        package var bundleID: String
        package var environment: Environment
        /// Apple's id of the key: ten letters and digits.
        package var keyID: String
        /// Apple's id of the developer team: ten letters and digits.
        package var teamID: String
        package var createdAt: Moment

        package init(
            id: APNsKeyID, project: ProjectID, bundleID: String, environment: Environment, keyID: String,
            teamID: String, createdAt: Moment
        ) {
            self.id = id
            self.project = project
            self.bundleID = bundleID
            self.environment = environment
            self.keyID = keyID
            self.teamID = teamID
            self.createdAt = createdAt
        }
    }

    /// Stores a key. Of several keys for one application, the one that was added last sends.
    /// Refusals: `invalidAPNsKey`, `apnsKeyExists`, `tooManyAPNsKeys`, `projectNotFound`.
    package struct AddAPNsKey: BusRequest, Equatable {
        package static let operation = Notifier.Operation.addAPNsKey
        package static let retrySemantics = RetrySemantics.atMostOnce
        package var project: ProjectID
        package var bundleID: String
        package var environment: APNsKey.Environment
        package var keyID: String
        package var teamID: String
        /// The file that Apple issues: PEM, PKCS #8.
        package var privateKey: Secret<String>
        package var client: ClientContext

        package init(
            project: ProjectID, bundleID: String, environment: APNsKey.Environment = .both, keyID: String,
            teamID: String, privateKey: Secret<String>, client: ClientContext
        ) {
            self.project = project
            self.bundleID = bundleID
            self.environment = environment
            self.keyID = keyID
            self.teamID = teamID
            self.privateKey = privateKey
            self.client = client
        }

        package typealias Reply = APNsKey
    }

    /// The keys of a project, the last added first.
    package struct ListAPNsKeys: BusRequest, Equatable {
        package static let operation = Notifier.Operation.listAPNsKeys
        package static let retrySemantics = RetrySemantics.idempotent
        /// Maximum keys of a project.
        package static let maximumCount = 100
        package var project: ProjectID

        package init(project: ProjectID) {
            self.project = project
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var keys: [APNsKey]

            package init(keys: [APNsKey]) {
                self.keys = keys
            }
        }
    }

    /// Deletes a key, which sends no push any more. Refusal: `apnsKeyNotFound`.
    package struct RemoveAPNsKey: BusRequest, Equatable {
        package static let operation = Notifier.Operation.removeAPNsKey
        package static let retrySemantics = RetrySemantics.atMostOnce
        package var project: ProjectID
        package var id: APNsKeyID
        package var client: ClientContext

        package init(project: ProjectID, id: APNsKeyID, client: ClientContext) {
            self.project = project
            self.id = id
            self.client = client
        }

        package typealias Reply = EmptyReply
    }
}
