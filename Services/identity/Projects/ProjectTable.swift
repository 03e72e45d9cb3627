import Contracts
import JSON
import SQL
import Vocabulary

/// The projects with their configurations.
enum ProjectTable: String, SQLTableDescription {
    case project, number, revision
    case apiKey = "api_key"
    /// JSON, without the SMTP password.
    case configuration
    case createdAt = "created_at"
    /// Null without an SMTP password.
    case sealedSMTPPassword = "sealed_smtp_password"

    static let table = "projects"
    static let key = [project]
    static let expiry = SQLExpiry<Self>.never

    static let insertionIfAbsent = insert("ON CONFLICT (project) DO NOTHING")
    static let byKey = select([project, number, apiKey, configuration, revision])
    static let idByAPIKey = select([project], where: [apiKey])
    /// The projects behind the one in the record.
    static let next = SQLStatement<Self>(
        """
        SELECT project, number, api_key, created_at FROM projects
        WHERE project > :project AND project <> '\(ProjectID.operators)' ORDER BY project LIMIT $1
        """)
    /// The revision is the expected one.
    static let replacement = SQLStatement<Self>(
        """
        UPDATE projects SET configuration = :configuration, revision = revision + 1
        WHERE project = :project AND revision = :revision
        """)
    static let newAPIKey = update([apiKey])
    static let newSMTPPassword = update([sealedSMTPPassword])
    /// Projects whose configuration may have an SMTP password in clear.
    static let withSMTPSettings = select(
        [project, configuration], where: [], "WHERE configuration LIKE '%\"smtp\"%'")
    static let newConfiguration = update([configuration])
}

// MARK: - Records and rows

extension Project {
    /// The columns of a new project.
    var columns: SQLRecord<ProjectTable> {
        get throws {
            [
                .project: id, .number: number, .apiKey: apiKey, .configuration: try WireJSON.text(configuration),
                .revision: revision, .sealedSMTPPassword: nil,
            ]
        }
    }

    init(_ row: SQLTableRow<ProjectTable>) throws {
        let id: ProjectID = try row.get(.project)
        self.init(
            id: id, number: try row.get(.number), apiKey: try row.get(.apiKey),
            configuration: id == .operators ? .operators : try row.getJSON(.configuration),
            revision: try row.get(.revision))
    }
}

extension Identity.ProjectSummary {
    init(_ row: SQLTableRow<ProjectTable>) throws {
        self.init(
            id: try row.get(.project), number: try row.get(.number), apiKey: try row.get(.apiKey),
            createdAt: try row.get(.createdAt))
    }
}
