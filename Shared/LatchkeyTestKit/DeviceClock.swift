public import Foundation
import LatchkeyAuth

/// The time of a device, which a test moves: tokens expire there. The time of the server stays.
public final class DeviceClock: Sendable {
    private let offset = Locked<TimeInterval>(0)

    /// A clock with the time of this computer.
    public init() {}

    /// The time of the device.
    public var now: Date { Date().addingTimeInterval(offset.withLock { $0 }) }

    /// Moves the clock, also back.
    public func advance(by seconds: TimeInterval) { offset.withLock { $0 += seconds } }

    /// For the client library. Its pauses between two attempts are real.
    var clock: AuthClock { AuthClock(now: { self.now }, sleep: { try await Task.sleep(for: $0) }) }
}
