package import Delivery

extension Outbox {
    package typealias State = DeliveryState<Receiver, Item, Outcome>

    /// Delivers what is due now, as a process does that has just started.
    package func deliverDueRows(_ limits: DeliveryLimits, at clock: ManualClock, jitter: Double = 0.5) async throws {
        var state = State(limits)
        try await deliverDueRows(&state, at: clock, jitter: jitter)
    }

    /// Delivers what is due now, until nothing is: one action after the other, where `DeliveryLoop` has tasks.
    /// - Throws: errors of the store.
    package func deliverDueRows(_ state: inout State, at clock: ManualClock, jitter: Double = 0.5) async throws {
        var inputs: [State.Input] = [.woken]
        while !inputs.isEmpty {
            for action in state.receive(inputs.removeFirst(), at: clock.instant, jitter: jitter) {
                switch action {
                case .releaseLeases: inputs.append(.leasesReleased)
                case .poll: inputs.append(.pollDue)
                case .findReceivers: inputs.append(.found(try await receivers(at: clock.now)))
                case .lease(let receiver, let count):
                    inputs.append(.leased(try await lease(upTo: count, for: receiver, at: clock.now)))
                case .attempt(let id, let item):
                    let outcome = await attempt(item)
                    inputs.append(.attempted(id, outcome, report(outcome, of: item)))
                case .record(let id, let item, let outcome, after: _):
                    try await record(outcome, of: item, at: clock.now, jitter: jitter)
                    inputs.append(.recorded(id))
                case .report(let change, let receiver): await show(change, of: receiver, at: clock.now)
                case .abandon, .drain, .cancelAll, .finish: break
                }
            }
        }
    }
}
