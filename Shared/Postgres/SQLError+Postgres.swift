import SQL

extension SQLError {
    /// Maps an error of the server.
    /// - Parameters:
    ///   - url: the database.
    ///   - names: the names of the schema's constraints.
    init(_ refusal: PostgresError, at url: PostgresURL, _ names: ConstraintNames) {
        switch refusal.state {
        case "23505": self = .uniqueViolation(names[refusal.constraint] ?? ConstraintNames.unknown(refusal.constraint))
        case "23503": self = .foreignKeyViolation
        case "23502": self = .notNullViolation("\(refusal.table).\(refusal.column)")
        case "23514": self = .checkViolation(names[refusal.constraint] ?? refusal.constraint)
        // Aborted because of a concurrent transaction, or after too long a wait for one.
        case "40001", "40P01", "55P03": self = .busy
        // Cancelled by `statement_timeout`; nothing else cancels statements.
        case "57014": self = .timedOut
        case "53100": self = .full
        // A read-only server: a standby, or one configured as read-only.
        case _ where refusal.isWriteInRead: self = .readOnly(path: url.description)
        case _ where refusal.endsConnection: self = .unavailable(refusal.message)
        default: self = .other(code: refusal.state, message: refusal.message)
        }
    }

    /// Why no connection could be opened. Of several servers, one that may accept the next attempt decides.
    init(_ refused: LibpqConnection.ConnectError, at url: PostgresURL) {
        let reasons = refused.complaints.map { LibpqErrorMessage($0) }
        let errors = reasons.map { SQLError($0, at: url) }
        guard errors.count > 1 else {
            self = errors.first ?? .unavailable("the connection failed")
            return
        }
        if errors.contains(.connectionsExhausted) {
            self = .connectionsExhausted
        } else if let first = errors.first, errors.allSatisfy(\.isPermanent) {
            self = first
        } else {
            self = .unavailable(reasons.map(\.message).joined(separator: "; "))
        }
    }

    private init(_ reason: LibpqErrorMessage, at url: PostgresURL) {
        switch reason.state {
        case "28P01": self = .cannotOpen(path: url.description, message: "the server refuses the name or the password")
        case let state? where state.hasPrefix("28"):
            self = .cannotOpen(path: url.description, message: "the server does not let us in: \(reason.message)")
        case "3D000": self = .cannotOpen(path: url.description, message: "the server has no database of this name")
        case "42501": self = .cannotOpen(path: url.description, message: "the user may not use this database")
        case "53300": self = .connectionsExhausted
        case .some: self = .unavailable(reason.message)
        case nil:
            if let sentence = reason.tlsSentence {
                self = .cannotOpen(path: url.description, message: sentence)
            } else {
                self = .unavailable(reason.message)
            }
        }
    }
}

extension PostgresError {
    /// The server aborted the whole transaction because of a concurrent one; another run may succeed.
    var isConflict: Bool { state == "40001" || state == "40P01" }

    /// A write statement in a read-only transaction.
    var isWriteInRead: Bool { state == "25006" }

    /// A feature that the server does not have, or not now.
    var isUnsupported: Bool { state == "0A000" }

    /// The server lost the prepared statement, or its tables changed. It must be prepared again.
    var isStaleStatement: Bool {
        state == "26000" || (isUnsupported && message == "cached plan must not change result type")
    }

    /// The server closes the connection, shuts down, or has too many connections.
    var endsConnection: Bool {
        state.hasPrefix("08") || state.hasPrefix("57P0") || state == "53300" || isIdleTransactionTimeout
    }

    /// The server waited too long for the next statement of a transaction. It aborted the transaction then, whatever it has
    /// received since.
    var isIdleTransactionTimeout: Bool { state == "25P03" }

    /// `CREATE` or `INSERT` of something that another process has just created: duplicate table, schema, object,
    /// column, or a row of the catalog.
    static let creationRaces: Set<String> = ["42P07", "42P06", "42710", "42701"]

    /// The engine lacks a function or a feature.
    static let missingFeatures: Set<String> = ["42883", "0A000"]
}

/// A parsed error message of libpq about a failed connection. It is in English, because the process never sets a
/// locale.
struct LibpqErrorMessage {
    /// Set if the server refused the connection.
    let state: String?
    /// One line.
    let message: String

    /// - Parameter complaint: one line for each tried address, and hints.
    init(_ complaint: String) {
        let lines = complaint.split(whereSeparator: \.isNewline)
        for line in lines.reversed() {
            // As in `connection to server at "::1", port 5432 failed: FATAL:  28P01: password authentication failed …`.
            let pieces = line.split(separator: ": ")
            guard let index = pieces.firstIndex(where: { Self.isState($0.trimmingSpace) }) else { continue }
            state = pieces[index].trimmingSpace
            message = pieces[(index + 1)...].joined(separator: ": ")
            return
        }
        state = nil
        message = lines.first?.trimmingSpace ?? "the connection failed"
    }

    private static func isState(_ text: String) -> Bool {
        // The digit distinguishes it from `FATAL`.
        text.utf8.count == 5 && text.contains(where: \.isNumber)
            && text.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
    }

    /// The TLS error, if it is a permanent one.
    var tlsSentence: String? {
        if message.contains("does not support SSL") { return "the server does not speak TLS, which sslmode asks for" }
        for sign in ["certificate verify failed", "does not match host name", "root certificate file"]
        where message.contains(sign) {
            return "the server's certificate is not trusted: \(message)"
        }
        for sign in ["SSL error: ", "certificate file", "private key file", "channel binding", "sslmode value"]
        where message.contains(sign) {
            return message
        }
        return nil
    }
}
