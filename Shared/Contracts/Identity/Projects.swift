package import Vocabulary

extension Identity {
    /// A project without its configuration.
    package struct ProjectSummary: Codable, Equatable, Sendable {
        package var id: ProjectID
        /// Twelve digits: the project number of some clients.
        package var number: String
        package var apiKey: String
        package var createdAt: Moment

        package init(id: ProjectID, number: String, apiKey: String, createdAt: Moment) {
            self.id = id
            self.number = number
            self.apiKey = apiKey
            self.createdAt = createdAt
        }
    }

    /// A page of the projects, ordered by id.
    package struct ListProjects: BusRequest {
        package static let operation = Identity.Operation.listProjects
        package static let retrySemantics = RetrySemantics.idempotent
        package static let maximumCount = 1000
        /// The last id of the previous page.
        package var after: ProjectID?
        /// 1 to `maximumCount`.
        package var limit: Int

        package init(after: ProjectID? = nil, limit: Int) {
            self.after = after
            self.limit = limit
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var projects: [ProjectSummary]
            package var hasMore: Bool

            package init(projects: [ProjectSummary], hasMore: Bool) {
                self.projects = projects
                self.hasMore = hasMore
            }
        }
    }

    /// Creates a project with a random number and API key, and the configuration of a new project.
    package struct CreateProject: BusRequest {
        package static let operation = Identity.Operation.createProject
        package static let retrySemantics = RetrySemantics.deduplicated
        package var project: ProjectID
        package var client: ClientContext

        package init(project: ProjectID, client: ClientContext = .init()) {
            self.project = project
            self.client = client
        }

        package typealias Reply = ProjectSummary
    }

    /// The project that owns an API key.
    package struct ResolveAPIKey: BusRequest {
        package static let operation = Identity.Operation.resolveAPIKey
        package static let retrySemantics = RetrySemantics.idempotent
        package var apiKey: String

        package init(apiKey: String) {
            self.apiKey = apiKey
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var project: ProjectID

            package init(project: ProjectID) {
                self.project = project
            }
        }
    }

    /// The configuration document of a project with its revision.
    package struct ReadConfiguration: BusRequest {
        package static let operation = Identity.Operation.readConfiguration
        package static let retrySemantics = RetrySemantics.idempotent
        package var project: ProjectID

        package init(project: ProjectID) {
            self.project = project
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var configuration: ProjectConfiguration
            package var revision: Int64
            package var projectNumber: String

            package init(configuration: ProjectConfiguration, revision: Int64, projectNumber: String) {
                self.configuration = configuration
                self.revision = revision
                self.projectNumber = projectNumber
            }
        }
    }

    /// Stores a complete configuration if it has not changed since `expectedRevision`.
    package struct ReplaceConfiguration: BusRequest {
        package static let operation = Identity.Operation.replaceConfiguration
        package static let retrySemantics = RetrySemantics.deduplicated
        package var project: ProjectID
        package var configuration: ProjectConfiguration
        package var expectedRevision: Int64
        package var client: ClientContext

        package init(
            project: ProjectID, configuration: ProjectConfiguration, expectedRevision: Int64,
            client: ClientContext = .init()
        ) {
            self.project = project
            self.configuration = configuration
            self.expectedRevision = expectedRevision
            self.client = client
        }

        package typealias Reply = ReadConfiguration.Reply
    }

    /// The effective configuration of a realm: the project's, or the tenant's with all inherited values.
    package struct ResolveConfiguration: BusRequest {
        package static let operation = Identity.Operation.resolveConfiguration
        package static let retrySemantics = RetrySemantics.idempotent
        package var realm: Realm

        package init(realm: Realm) {
            self.realm = realm
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var configuration: ProjectConfiguration
            package var projectNumber: String
            /// The tenant is disabled: its users cannot sign in.
            package var isDisabled: Bool

            package init(configuration: ProjectConfiguration, projectNumber: String, isDisabled: Bool) {
                self.configuration = configuration
                self.projectNumber = projectNumber
                self.isDisabled = isDisabled
            }
        }
    }
}
