/// One connection to the broker, by the number that its ROUTER socket gave it.
package struct Peer: Hashable, Sendable {
    /// Never given twice while the broker runs.
    package let number: UInt32

    package init(_ number: UInt32) {
        self.number = number
    }
}
