import Contracts
import JSON
import SQL
import Vocabulary

/// The registered applications of projects.
enum ApplicationTable: String, SQLTableDescription {
    case project, revision
    case applicationID = "application_id"
    /// JSON.
    case registration
    case createdAt = "created_at"

    static let table = "applications"
    static let key = [applicationID]
    static let expiry = SQLExpiry<Self>.never

    static let insertion = insert()
    static let byKey = select(where: [applicationID, project])
    static let projectOf = select([project])
    static let ofProject = select(where: [project], "ORDER BY created_at, application_id")
    static let count = SQLStatement<Self>("SELECT COUNT(*) AS count FROM applications WHERE project = :project")
    /// The revision is the expected one.
    static let replacement = SQLStatement<Self>(
        """
        UPDATE applications SET registration = :registration, revision = revision + 1
        WHERE project = :project AND application_id = :application_id AND revision = :revision
        """)
    static let removal = delete(where: [applicationID, project])
}

// MARK: - Records and rows

extension Identity.Application {
    /// - Parameter project: whose API key the application has.
    init(_ row: SQLTableRow<ApplicationTable>, of project: Project) throws {
        self.init(
            id: try row.get(.applicationID), project: project.id,
            registration: try row.getJSON(.registration), apiKey: project.apiKey, createdAt: try row.get(.createdAt),
            revision: try row.get(.revision))
    }

    var columns: SQLRecord<ApplicationTable> {
        get throws {
            [
                .project: project, .applicationID: id, .registration: try WireJSON.text(registration),
                .revision: revision,
                .createdAt: createdAt,
            ]
        }
    }
}
