// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import TestSupport

    /// A fault of a run of deliveries.
    struct DeliveryFault: CustomStringConvertible {
        enum Kind: String, CaseIterable {
            case killNotifier, killIdentity, stopNotifier, stopIdentity, pauseNotifier, pauseIdentity
            /// Requests and replies of the bus are lost, take long, or arrive twice.
            case loseCalls, slowCalls, doubleCalls
            case notifierDiskFails, notifierDiskIsSlow, notifierDiskLosesReplies
            case identityDiskFails, identityDiskIsSlow, identityDiskLosesReplies
            /// A server takes no connection, responds late, refuses, or takes a message and says otherwise.
            case serverIsDown, serverIsSlow, serverRefuses, serverLies
            case setClock
        }

        var at: Duration
        var kind: Kind
        /// Chooses what the fault concerns.
        var choice: Int
        var duration: Duration

        var description: String {
            "after \(Int(at / .milliseconds(1))) ms: \(kind.rawValue), choice \(choice), \(Int(duration / .milliseconds(1))) ms"
        }

        static func list(_ count: Int, within time: Duration, _ random: inout SeededRandom) -> [DeliveryFault] {
            (0..<count).map { _ in
                DeliveryFault(
                    at: .milliseconds(random.index(below: Int(time / .milliseconds(1)))),
                    kind: Kind.allCases[random.index(below: Kind.allCases.count)], choice: random.index(below: 1000),
                    duration: .milliseconds(50 + random.index(below: random.chance(percent: 25) ? 12_000 : 3_000)))
            }.sorted { $0.at < $1.at }
        }
    }

    extension DeliveryScenario {
        func begin(_ fault: DeliveryFault) {
            world.note("FAULT \(fault)")
            let end = world.time.steady + fault.duration
            switch fault.kind {
            case .killNotifier: kill(notifiers, fault)
            case .killIdentity: kill(identities, fault)
            case .stopNotifier: stop(notifiers, fault)
            case .stopIdentity: stop(identities, fault)
            case .pauseNotifier: pause(notifiers, fault)
            case .pauseIdentity: pause(identities, fault)
            case .loseCalls: callsAreLostUntil = max(callsAreLostUntil, end)
            case .slowCalls: callsAreSlowUntil = max(callsAreSlowUntil, end)
            case .doubleCalls: callsAreDoubledUntil = max(callsAreDoubledUntil, end)
            case .notifierDiskFails: notifierDisk.failsUntil = max(notifierDisk.failsUntil, end)
            case .notifierDiskIsSlow: notifierDisk.isSlowUntil = max(notifierDisk.isSlowUntil, end)
            case .notifierDiskLosesReplies: notifierDisk.losesRepliesUntil = max(notifierDisk.losesRepliesUntil, end)
            case .identityDiskFails: identityDisk.failsUntil = max(identityDisk.failsUntil, end)
            case .identityDiskIsSlow: identityDisk.isSlowUntil = max(identityDisk.isSlowUntil, end)
            case .identityDiskLosesReplies: identityDisk.losesRepliesUntil = max(identityDisk.losesRepliesUntil, end)
            case .serverIsDown: servers.set(.down, until: end, choice: fault.choice)
            case .serverIsSlow: servers.set(.slow, until: end, choice: fault.choice)
            case .serverRefuses: servers.set(.refusing, until: end, choice: fault.choice)
            case .serverLies: servers.set(.lying, until: end, choice: fault.choice)
            case .setClock:
                let running = world.processes.filter { !$0.isEnded }
                guard !running.isEmpty else { return }
                // Less than the part of a lease that no attempt needs.
                running[fault.choice % running.count].offsets.wall = .milliseconds(fault.choice * 10 - 5_000)
            }
        }

        private func kill(_ group: [Member?], _ fault: DeliveryFault) {
            guard let member = group[fault.choice % group.count], !member.process.isEnded else { return }
            member.process.end()
            restart(member, after: fault.duration / 4)
        }

        private func stop(_ group: [Member?], _ fault: DeliveryFault) {
            guard let member = group[fault.choice % group.count] else { return }
            requestStop(of: member)
        }

        private func pause(_ group: [Member?], _ fault: DeliveryFault) {
            guard let member = group[fault.choice % group.count], member.process.condition == .running else { return }
            member.process.condition = .paused(until: world.time.steady + fault.duration)
        }
    }

#endif
