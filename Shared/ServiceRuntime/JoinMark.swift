/// A line that a process writes when it has joined the bus: its settings are valid, its database is open, and its
/// service gets requests.
///
/// It goes to standard error, for `latchkey up` only, which says that the mesh is ready when every process has joined.
package enum JoinMark {
    package static let line = "latchkey-joined-the-bus"

    static func write() { StandardError.shared.write(line) }
}

/// A line that a process writes when it has closed on request: it takes no work from outside any more, and only serves
/// the other processes of the mesh, which stop next.
package enum CloseMark {
    package static let line = "latchkey-closed"

    static func write() { StandardError.shared.write(line) }
}
