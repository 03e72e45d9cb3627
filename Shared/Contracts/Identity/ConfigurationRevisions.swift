package import Vocabulary

extension Identity {
    /// The configuration of a project or a tenant, without secrets.
    package enum ConfigurationSnapshot: Codable, Equatable, Sendable {
        case project(ProjectConfiguration)
        case tenant(TenantConfiguration)
    }

    /// Who changed the configuration of a realm, and when.
    package struct ConfigurationRevision: Codable, Equatable, Sendable {
        /// Of the configuration after the change.
        package var revision: Int64
        package var at: Moment
        /// As in the audit log.
        package var actor: String

        package init(revision: Int64, at: Moment, actor: String) {
            self.revision = revision
            self.at = at
            self.actor = actor
        }
    }

    /// The latest changes of a realm's configuration, the newest first.
    package struct ListConfigurationRevisions: BusRequest {
        package static let operation = Identity.Operation.listConfigurationRevisions
        package static let retrySemantics = RetrySemantics.idempotent
        /// Identity keeps as many for each realm.
        package static let maximumCount = 50
        package var realm: Realm

        package init(realm: Realm) {
            self.realm = realm
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var revisions: [ConfigurationRevision]

            package init(revisions: [ConfigurationRevision]) {
                self.revisions = revisions
            }
        }
    }

    /// One of these changes.
    package struct ReadConfigurationRevision: BusRequest {
        package static let operation = Identity.Operation.readConfigurationRevision
        package static let retrySemantics = RetrySemantics.idempotent
        package var realm: Realm
        package var revision: Int64

        package init(realm: Realm, revision: Int64) {
            self.realm = realm
            self.revision = revision
        }

        /// Both are nil for a change that is not kept.
        package struct Reply: Codable, Equatable, Sendable {
            package var before: ConfigurationSnapshot?
            package var after: ConfigurationSnapshot?

            package init(before: ConfigurationSnapshot? = nil, after: ConfigurationSnapshot? = nil) {
                self.before = before
                self.after = after
            }
        }
    }
}
