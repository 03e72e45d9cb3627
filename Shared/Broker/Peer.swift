/// One connection to the broker, identified by the number that its ROUTER socket assigned.
package struct Peer: Hashable, Sendable {
    /// Not reused while the broker runs.
    package let number: UInt32
    private let isOwnProcess: Bool

    package init(_ number: UInt32) {
        self.init(number, isOwnProcess: false)
    }

    private init(_ number: UInt32, isOwnProcess: Bool) {
        self.number = number
        self.isOwnProcess = isOwnProcess
    }

    /// The process that contains the broker. Its connection is no socket, so it has no number.
    package static let ownProcess = Peer(0, isOwnProcess: true)
}
