package import Vocabulary

extension Identity {
    /// A client program that is registered with a project. Its ID is `client_id` of OAuth 2.0; it has no secret of its
    /// own. It calls the REST protocol with the API key of the project.
    package struct Application: Codable, Equatable, Sendable {
        /// Maximum applications of a project.
        package static let maximumCount = 100

        package var id: ApplicationID
        package var project: ProjectID
        package var registration: ApplicationRegistration
        /// That of the project.
        package var apiKey: String
        package var createdAt: Moment
        /// Increases with every change.
        package var revision: Int64

        package init(
            id: ApplicationID, project: ProjectID, registration: ApplicationRegistration, apiKey: String,
            createdAt: Moment, revision: Int64
        ) {
            self.id = id
            self.project = project
            self.registration = registration
            self.apiKey = apiKey
            self.createdAt = createdAt
            self.revision = revision
        }
    }

    /// The part of an application that administrators write.
    package struct ApplicationRegistration: Codable, Equatable, Sendable {
        /// Where an application runs. It decides which redirect addresses it can have.
        package enum Kind: String, Codable, CaseIterable, Sendable {
            case web = "WEB"
            case ios = "IOS"
            case android = "ANDROID"
            /// A program on the command line or the desktop, which listens on a loopback address (RFC 8252 §7.3).
            case tool = "TOOL"
        }

        /// Shown to users.
        package var displayName: String
        package var kind: Kind
        /// The addresses to which users may return, each compared as a whole (RFC 9700 §2.1). Only the port of a tool
        /// is free.
        package var redirectURLs: [String]
        /// The origins whose scripts may redeem codes, in the form of browsers. Empty for those of the redirect
        /// addresses.
        package var origins: [String]

        package init(displayName: String, kind: Kind, redirectURLs: [String], origins: [String] = []) {
            self.displayName = displayName
            self.kind = kind
            self.redirectURLs = redirectURLs
            self.origins = origins
        }
    }

    /// Registers an application.
    package struct CreateApplication: BusRequest, Equatable {
        package static let operation = Identity.Operation.createApplication
        package static let retrySemantics = RetrySemantics.deduplicated
        package var project: ProjectID
        package var registration: ApplicationRegistration
        /// Dev mode only: the ID that an application uses before it is registered. Nil for a new one.
        package var id: ApplicationID?
        package var client: ClientContext

        package init(
            project: ProjectID, registration: ApplicationRegistration, id: ApplicationID? = nil,
            client: ClientContext = .init()
        ) {
            self.project = project
            self.registration = registration
            self.id = id
            self.client = client
        }

        package typealias Reply = Application
    }

    /// The applications of a project, the oldest first.
    package struct ListApplications: BusRequest, Equatable {
        package static let operation = Identity.Operation.listApplications
        package static let retrySemantics = RetrySemantics.idempotent
        package var project: ProjectID

        package init(project: ProjectID) {
            self.project = project
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var applications: [Application]

            package init(applications: [Application]) {
                self.applications = applications
            }
        }
    }

    /// Reads an application.
    package struct ReadApplication: BusRequest, Equatable {
        package static let operation = Identity.Operation.readApplication
        package static let retrySemantics = RetrySemantics.idempotent
        package var project: ProjectID
        package var id: ApplicationID

        package init(project: ProjectID, id: ApplicationID) {
            self.project = project
            self.id = id
        }

        package typealias Reply = Application
    }

    /// The application of a client ID, in whatever project it is registered.
    package struct ResolveApplication: BusRequest, Equatable {
        package static let operation = Identity.Operation.resolveApplication
        package static let retrySemantics = RetrySemantics.idempotent
        package var id: ApplicationID

        package init(id: ApplicationID) {
            self.id = id
        }

        package typealias Reply = Application
    }

    /// Stores a complete registration if it has not changed since `expectedRevision`.
    package struct ReplaceApplication: BusRequest, Equatable {
        package static let operation = Identity.Operation.replaceApplication
        package static let retrySemantics = RetrySemantics.deduplicated
        package var project: ProjectID
        package var id: ApplicationID
        package var registration: ApplicationRegistration
        package var expectedRevision: Int64
        package var client: ClientContext

        package init(
            project: ProjectID, id: ApplicationID, registration: ApplicationRegistration, expectedRevision: Int64,
            client: ClientContext = .init()
        ) {
            self.project = project
            self.id = id
            self.registration = registration
            self.expectedRevision = expectedRevision
            self.client = client
        }

        package typealias Reply = Application
    }

    /// Deletes an application.
    package struct DeleteApplication: BusRequest, Equatable {
        package static let operation = Identity.Operation.deleteApplication
        package static let retrySemantics = RetrySemantics.deduplicated
        package var project: ProjectID
        package var id: ApplicationID
        package var client: ClientContext

        package init(project: ProjectID, id: ApplicationID, client: ClientContext = .init()) {
            self.project = project
            self.id = id
            self.client = client
        }

        package typealias Reply = EmptyReply
    }
}

extension Identity.ApplicationRegistration {
    /// Whether users may return to an address: one that is registered (RFC 9700 §4.1.3). A tool adds the port on which it
    /// listens (RFC 8252 §7.3).
    package func allows(redirectURL text: String) -> Bool {
        switch kind {
        case .web, .ios, .android: return redirectURLs.contains(text)
        case .tool:
            let scheme = "http://"
            guard text.hasPrefix(scheme), let url = WebURL(text) else { return false }
            let rest = text.dropFirst(scheme.count).dropFirst(url.authority.count)
            return redirectURLs.contains(scheme + url.host + rest)
        }
    }

    /// Whether a page of an origin may redeem codes of the application.
    package func allows(origin: String) -> Bool {
        switch kind {
        case .web:
            (origins.nilIfEmpty ?? redirectURLs.compactMap { WebURL($0)?.origin }).contains(origin)
        case .ios, .android, .tool: false
        }
    }
}
