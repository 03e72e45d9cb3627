internal import SQL

extension SQLError {
    /// Names what the server refused.
    /// - Parameters:
    ///   - url: the database it is about.
    ///   - names: what the constraints of the schema are called.
    init(_ refusal: PostgresError, at url: PostgresURL, _ names: ConstraintNames) {
        switch refusal.state {
        case "23505": self = .uniqueViolation(names[refusal.constraint] ?? ConstraintNames.unknown(refusal.constraint))
        case "23503": self = .foreignKeyViolation
        case "23502": self = .notNullViolation("\(refusal.table).\(refusal.column)")
        case "23514": self = .checkViolation(names[refusal.constraint] ?? refusal.constraint)
        // Given up for a neighbour, or because it waited too long for one.
        case "40001", "40P01", "55P03": self = .busy
        // By `statement_timeout`: nobody else cancels.
        case "57014": self = .timedOut
        case "53100": self = .full
        // A server that only reads: a standby, or one set so.
        case _ where refusal.isWriteInRead: self = .readOnly(path: url.description)
        case _ where refusal.endsConnection: self = .unavailable(refusal.message)
        default: self = .other(code: refusal.state, message: refusal.message)
        }
    }

    /// Says why no connection came to be: `overloaded` when the server has too many of them.
    init(_ refused: LibpqConnection.ConnectError, at url: PostgresURL) {
        let reason = LibpqErrorMessage(refused.complaint)
        switch reason.state {
        case "28P01": self = .cannotOpen(path: url.description, message: "the server refuses the name or the password")
        case let state? where state.hasPrefix("28"):
            self = .cannotOpen(path: url.description, message: "the server does not let us in: \(reason.message)")
        case "3D000": self = .cannotOpen(path: url.description, message: "the server has no database of this name")
        case "42501": self = .cannotOpen(path: url.description, message: "the user may not use this database")
        case "53300": self = .overloaded
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
    /// The transaction was given up over a neighbour, whole; it may succeed when it runs again.
    var isConflict: Bool { state == "40001" || state == "40P01" }

    /// A statement that writes in a transaction that may not.
    var isWriteInRead: Bool { state == "25006" }

    /// The server no longer has the statement we prepared, or its tables changed under it. It has to be prepared anew.
    var isStaleStatement: Bool {
        state == "26000" || (state == "0A000" && message == "cached plan must not change result type")
    }

    /// The server closes the connection, shuts down, or has too many.
    var endsConnection: Bool {
        state.hasPrefix("08") || state.hasPrefix("57P0") || state == "53300" || state == "25P03"
    }

    /// `CREATE` or `INSERT` of what another starter created or inserted a moment ago: duplicate table, schema, object,
    /// column, or a row of the catalogue.
    static let creationRaces: Set<String> = ["42P07", "42P06", "42710", "42701"]
}

/// What libpq says when it cannot connect, taken apart. It writes in English: we never choose another locale.
struct LibpqErrorMessage {
    /// If it was the server who refused.
    let state: String?
    /// One line.
    let message: String

    /// - Parameter complaint: one line for each address that was tried, and hints.
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
        // The digit tells it from `FATAL`.
        text.utf8.count == 5 && text.contains(where: \.isNumber)
            && text.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
    }

    /// What is wrong with TLS, if that is what is wrong for good.
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
