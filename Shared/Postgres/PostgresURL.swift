internal import CPostgres
import Vocabulary

/// Why a text is not a valid PostgreSQL address. Each description is one sentence without a secret: because of the
/// error, a part of the password may look like another component.
package enum PostgresURLError: Error, Equatable, Sendable, CustomStringConvertible {
    /// It starts with neither `postgres://` nor `postgresql://`.
    case otherScheme
    /// It cannot be parsed.
    case malformed
    /// It names a server, but no database.
    case noDatabase
    /// The port is not a number from 1 to 65535.
    case badPort
    /// A query parameter that does not exist or that this module sets itself.
    case unsupportedParameter(String)
    /// `sslmode` is none of libpq's values.
    case badSSLMode
    /// A server without a name, or a list of ports or addresses with another length than that of the servers.
    case unevenServers
    /// More than `PostgresURL.maximumServers`.
    case tooManyServers
    /// `target_session_attrs` asks for a server that does not accept writes, or is none of libpq's values.
    case badTarget
    /// `target_session_attrs` is `any`, although the address names several servers.
    case anyOfSeveral

    package var description: String {
        switch self {
        case .otherScheme: "it must start with postgres://"
        case .malformed:
            "it is not of the form postgres://user:password@host:port/database; write %2F for / and %40 for @ in a password"
        case .noDatabase: "it names no database: postgres://user:password@host:port/database"
        case .badPort: "its port is not a number from 1 to 65535; write %2F for / and %40 for @ in a password"
        case .unsupportedParameter(let name): "it has the parameter \(name), which is not supported"
        case .badSSLMode: "its sslmode must be disable, allow, prefer, require, verify-ca or verify-full"
        case .unevenServers:
            "each of its servers needs a name, and its ports and addresses must be as many as its servers, or one port for all"
        case .tooManyServers: "it names more than \(PostgresURL.maximumServers) servers"
        case .badTarget: "its target_session_attrs must be read-write, primary or any"
        case .anyOfSeveral:
            "its target_session_attrs is any, but of several servers only the one that accepts writes can be used: write "
                + "read-write or leave it out"
        }
    }
}

/// The address of a PostgreSQL database with user and password:
/// `postgres://user:password@host:port/database?sslmode=…`, as libpq parses it (PostgreSQL manual, 34.1.1.2). It may
/// contain several hosts, separated by commas. Then only the server that accepts writes is used.
package struct PostgresURL: Sendable, Equatable {
    /// The most servers of an address.
    package static let maximumServers = 16

    /// libpq's keywords and their values.
    let parameters: [String: String]
    /// The parameters of each server alone, in the order of the address.
    let servers: [[String: String]]

    /// The accepted parameters: user, address, and trust in the server. This module sets all other connection
    /// parameters.
    private static let supported: Set<String> = [
        "user", "password", "host", "hostaddr", "port", "dbname", "passfile", "options", "channel_binding",
        "target_session_attrs", "sslmode", "sslrootcert", "sslcert", "sslkey", "sslpassword", "sslcrl", "sslsni",
        "ssl_min_protocol_version",
    ]
    private static let sslModes: Set<String> = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]
    /// Of libpq's values, those with which a service can write.
    private static let targets: Set<String> = ["any", "read-write", "primary"]

    package init(_ text: String) throws(PostgresURLError) {
        guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") else { throw .otherScheme }
        // C would read up to the first NUL.
        guard !text.utf8.contains(0) else { throw .malformed }
        parameters = try Self.parse(text)
        for name in parameters.keys.sorted() where !Self.supported.contains(name) {
            throw .unsupportedParameter(name)
        }
        guard let database = parameters["dbname"], !database.isEmpty else { throw .noDatabase }
        for port in (parameters["port"] ?? "").split(separator: ",") {
            guard let number = UInt16(port), number > 0 else { throw .badPort }
        }
        if let mode = parameters["sslmode"], !Self.sslModes.contains(mode) { throw .badSSLMode }
        servers = try Self.servers(parameters)
    }

    /// Each server is asked for itself: libpq would wait for one that does not answer, and never ask the next one.
    private static func servers(_ parameters: [String: String]) throws(PostgresURLError) -> [[String: String]] {
        let lists = ["host", "hostaddr", "port"].map { name in
            (name: name, values: parameters[name]?.split(separator: ",", omittingEmptySubsequences: false) ?? [])
        }
        let (names, addresses, ports) = (lists[0].values, lists[1].values, lists[2].values)
        let count = max(1, names.count, addresses.count)
        guard count <= maximumServers else { throw .tooManyServers }
        for list in [names, addresses] where !list.isEmpty {
            guard list.count == count, count == 1 || list.allSatisfy({ !$0.isEmpty }) else { throw .unevenServers }
        }
        guard ports.count <= 1 || ports.count == count else { throw .unevenServers }
        let target = parameters["target_session_attrs"]
        if let target, !targets.contains(target) { throw .badTarget }
        guard count > 1 else { return [parameters] }
        guard target != "any" else { throw .anyOfSeveral }
        return (0..<count).map { place in
            var server = parameters
            for (name, values) in lists where !values.isEmpty {
                server[name] = String(values.count == 1 ? values[0] : values[place])
            }
            server["target_session_attrs"] = target ?? "read-write"
            return server
        }
    }

    private static func parse(_ text: String) throws(PostgresURLError) -> [String: String] {
        var complaint: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(text, &complaint) else {
            defer { PQfreemem(complaint) }
            throw fault(complaint.map { String(cString: $0) } ?? "")
        }
        defer { PQconninfoFree(options) }
        var parameters: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { parameters[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return parameters
    }

    /// In libpq's message, only the name of an unknown parameter cannot contain a part of a password.
    private static func fault(_ complaint: String) -> PostgresURLError {
        guard complaint.hasPrefix("invalid URI query parameter: \""),
            let name = complaint.split(separator: "\"").dropFirst().first
        else { return .malformed }
        return .unsupportedParameter(String(name))
    }
}

extension PostgresURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Without the password and the password of the client's key: for messages and logs.
    package var description: String {
        var text = "postgres://"
        var query: [(name: String, value: String)] = []
        if let user = parameters["user"] { text += Self.encoded(user) + "@" }
        let hosts = (parameters["host"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
        if hosts.contains(where: { $0.hasPrefix("/") }) {
            // The directory of a socket is a query parameter, and the port with it.
            for name in ["host", "port"] { query += parameters[name].map { [(name, $0)] } ?? [] }
        } else {
            let ports = (parameters["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
            let places = hosts.enumerated().map { index, host in
                let name = host.contains(":") ? "[\(host)]" : String(host)
                let port = ports.count == 1 ? ports[0] : index < ports.count ? ports[index] : ""
                return port.isEmpty ? name : "\(name):\(port)"
            }
            text += places.joined(separator: ",")
        }
        text += "/" + Self.encoded(parameters["dbname"] ?? "")
        let shown: Set<String> = ["user", "password", "sslpassword", "host", "port", "dbname"]
        query += parameters.filter { !shown.contains($0.key) }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        guard !query.isEmpty else { return text }
        return text + "?" + query.map { "\($0.name)=\(Self.encoded($0.value))" }.joined(separator: "&")
    }

    package var debugDescription: String { description }

    package var customMirror: Mirror { Mirror(self, children: ["address": description]) }

    /// Slashes of paths stay.
    private static func encoded(_ text: String) -> String { PercentEncoding.encoded(text, keeping: "/") }
}
