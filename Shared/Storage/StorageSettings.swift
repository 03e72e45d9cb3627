package import Contracts
package import Postgres
package import SQL
import SQLite
package import ServiceRuntime
import Settings
import Vocabulary

/// Where a service stores its data: `LATCHKEY_<SERVICE>_DATABASE_URL`, else `LATCHKEY_DATABASE_URL`, else its own
/// SQLite file in `LATCHKEY_DATA`.
package struct StorageSettings: Sendable {
    package enum Location: Sendable, Equatable {
        /// A file, created if it is missing.
        case sqlite(path: String)
        /// A schema, named like the service, in an existing database.
        case postgres(PostgresURL)
    }

    package let service: ServiceName
    package let location: Location
    /// The variable that names the location, for messages: `LATCHKEY_DATA` for the default location.
    package let settingName: String
    /// Connections to PostgreSQL that a process opens at most.
    package let connections: Int
    /// The directory of the marker files.
    let dataDirectory: String

    /// Reads the settings. Errors are added to the reader, without any part of a password.
    package init(_ service: ServiceName, from reader: inout SettingsReader, dataDirectory: String) {
        self.service = service
        self.dataDirectory = dataDirectory
        connections = reader.integer(.databaseConnections, default: PostgresDatabase.defaultConnections)
        let file = "\(dataDirectory)/\(service.rawValue).sqlite"
        for setting in [.databaseURL(of: service), Setting.databaseURL] {
            guard let text = reader.optionalSecret(setting)?.reveal() else { continue }
            do throws(LocationError) {
                let named = try Self.location(text, isShared: setting == .databaseURL)
                location = named ?? .sqlite(path: file)
                settingName = named == nil ? Setting.data.name : setting.name
            } catch {
                reader.addIssue(setting, error.problem, remedy: error.remedy(for: setting.name))
                location = .sqlite(path: file)
                settingName = setting.name
            }
            return
        }
        location = .sqlite(path: file)
        settingName = Setting.data.name
    }

    /// - Returns: nil for `sqlite:`, the file in the data directory.
    private static func location(_ text: String, isShared: Bool) throws(LocationError) -> Location? {
        if text.hasPrefix("sqlite:") {
            var path = text.dropFirst("sqlite:".count)
            if path.isEmpty { return nil }
            if path.hasPrefix("///") { path = path.dropFirst(2) }
            guard !isShared else { throw .fileForAll }
            guard path.hasPrefix("/"), !path.hasPrefix("//"), !path.hasSuffix("/"), !path.utf8.contains(0) else {
                throw .noAbsolutePath
            }
            return .sqlite(path: String(path))
        }
        do throws(PostgresURLError) {
            return .postgres(try PostgresURL(text))
        } catch .otherScheme {
            throw .otherScheme
        } catch {
            throw .postgres(error)
        }
    }

    /// Opens the database as it is. A starting service uses `prepare`.
    /// - Parameter isChecked: checks the structure of a SQLite file first; PostgreSQL checks its own files.
    /// - Throws: `SQLError`: `cannotOpen`, `notADatabase`, `readOnly`, `damaged`, `commitsLost`, `anotherDatabase`,
    ///   `unavailable`.
    package func open(isChecked: Bool = false) async throws -> any SQLDatabase {
        switch location {
        case .sqlite(let path): try SQLiteDatabase(.file(path), isChecked: isChecked)
        case .postgres(let url): try await PostgresDatabase(url, schema: schema, connections: connections)
        }
    }

    /// The service's name as a PostgreSQL identifier that needs no quotes.
    var schema: String { String(service.rawValue.map { $0 == "-" ? "_" : $0 }) }
}

extension StorageSettings.Location: CustomStringConvertible {
    /// Without a password.
    package var description: String {
        switch self {
        case .sqlite(let path): path
        case .postgres(let url): url.description
        }
    }
}

/// An error in the text of a location.
private enum LocationError: Error {
    case otherScheme
    /// One file for the tables of all services is not supported.
    case fileForAll
    case noAbsolutePath
    case postgres(PostgresURLError)

    /// The rest of the sentence that begins with the variable.
    var problem: String {
        switch self {
        case .otherScheme: "names neither sqlite: nor postgres://"
        case .fileForAll: "names one SQLite file, and each service needs a file of its own"
        case .noAbsolutePath: "does not name a SQLite file by an absolute path"
        case .postgres(let fault): "is no address of a PostgreSQL database: \(fault)"
        }
    }

    func remedy(for name: String) -> String {
        switch self {
        case .otherScheme, .postgres: "Write it like \(name)=postgres://user:password@host:5432/database"
        case .fileForAll: "Set LATCHKEY_DATA to the directory of the files, and \(name) to sqlite: or to nothing"
        case .noAbsolutePath: "Write it like \(name)=sqlite:/var/lib/latchkey/identity.sqlite"
        }
    }
}
