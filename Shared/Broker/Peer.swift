/// One connection to the broker, identified by the number that its ROUTER socket assigned.
package struct Peer: Hashable, Sendable {
    /// Not reused while the broker runs.
    package let number: UInt32
    /// Whether it is a member in the process that contains the broker. Its connection is no socket, so these have numbers of
    /// their own.
    package let isInProcess: Bool

    package init(_ number: UInt32) {
        self.init(number, isInProcess: false)
    }

    private init(_ number: UInt32, isInProcess: Bool) {
        self.number = number
        self.isInProcess = isInProcess
    }

    /// A member in the process that contains the broker.
    package static func inProcess(_ number: Int) -> Peer { Peer(UInt32(number), isInProcess: true) }
}
