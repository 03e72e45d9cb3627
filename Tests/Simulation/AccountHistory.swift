// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import TestSupport

    /// What a client knows of a request: whether it has had its effect.
    enum RequestOutcome { case open, acknowledged, refused, uncertain }

    /// What was written to one value of an account, and what a reader may see of it. A request without a reply may have had
    /// an effect at any time after its beginning.
    struct AccountHistory<Value: Equatable> {
        typealias Instant = ContinuousClock.Instant

        struct Write {
            var value: Value
            var began: Instant
            var ended: Instant?
            var outcome = RequestOutcome.open

            /// After it the write has no effect any more.
            var latestEffect: Instant? {
                switch outcome {
                case .acknowledged: ended
                case .open, .uncertain: began + AccountJudge.longestEffect
                case .refused: nil
                }
            }
        }

        private(set) var writes: [Write]

        /// - Parameter value: from the beginning on.
        init(_ value: Value) {
            writes = [
                Write(
                    value: value, began: SimulatedTime.beginning, ended: SimulatedTime.beginning, outcome: .acknowledged
                )
            ]
        }

        mutating func begin(_ value: Value, at now: Instant) -> Int {
            writes.append(Write(value: value, began: now))
            return writes.count - 1
        }

        mutating func end(_ write: Int, _ outcome: RequestOutcome, at now: Instant) {
            writes[write].outcome = outcome
            writes[write].ended = now
        }

        /// Another write has certainly taken effect after this one, and before `instant`.
        private func isReplaced(_ write: Write, before instant: Instant) -> Bool {
            guard let latest = write.latestEffect else { return true }
            return writes.contains { other in
                other.outcome == .acknowledged && other.began > latest && (other.ended ?? instant) < instant
            }
        }

        private func candidates(from begin: Instant, to end: Instant) -> [Write] {
            writes.filter { $0.began <= end && !isReplaced($0, before: begin) }
        }

        /// The values that a reader may see, the latest one last.
        func possible(from begin: Instant, to end: Instant) -> [Value] { candidates(from: begin, to: end).map(\.value) }

        func mayBe(_ value: Value, from begin: Instant, to end: Instant) -> Bool {
            possible(from: begin, to: end).contains(value)
        }

        /// Every reader sees this value.
        func mustBe(_ value: Value, from begin: Instant, to end: Instant) -> Bool {
            candidates(from: begin, to: end).allSatisfy { $0.value == value }
        }

        /// The value was certainly replaced after every time at which it can have been the value, and before `instant`.
        func isReplaced(_ value: Value, before instant: Instant) -> Bool {
            writes.filter { $0.value == value }.allSatisfy { isReplaced($0, before: instant) }
        }

        /// An acknowledged write that began after `earlier` ended before `instant`.
        func hasAcknowledged(
            after earlier: Instant, before instant: Instant, _ isMeant: (Value) -> Bool = { _ in true }
        )
            -> Bool
        {
            writes.contains { write in
                write.outcome == .acknowledged && write.began > earlier && (write.ended ?? instant) < instant
                    && isMeant(write.value)
            }
        }

        /// A write may have taken effect between both.
        func mayHaveChanged(
            from begin: Instant, to end: Instant, _ isMeant: (Value) -> Bool = { _ in true }
        ) -> Bool {
            writes.contains { write in
                isMeant(write.value) && write.latestEffect.map { $0 >= begin && write.began <= end } ?? false
            }
        }
    }

#endif
