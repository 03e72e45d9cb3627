/// One connection to the broker, identified by the number that its ROUTER socket assigned.
package struct Peer: Hashable, Sendable {
    /// Not reused while the broker runs.
    package let number: UInt32

    package init(_ number: UInt32) {
        self.number = number
    }
}
