// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import Contracts
    import TestSupport

    /// A fault of a run of deliveries.
    struct DeliveryFault: CustomStringConvertible {
        enum Kind: String, CaseIterable {
            case killNotifier, killIdentity, stopNotifier, stopIdentity, pauseNotifier, pauseIdentity
            /// Requests and replies of the bus are lost, take long, arrive twice, or with others.
            case loseCalls, slowCalls, doubleCalls, gatherCalls
            case notifierDiskFails, notifierDiskIsSlow, notifierDiskLosesReplies
            case identityDiskFails, identityDiskIsSlow, identityDiskLosesReplies
            /// A server takes no connection, responds late, refuses, or takes a message and says otherwise.
            case serverIsDown, serverIsSlow, serverRefuses, serverLies
            case setClock
            /// The next process that sends a message stands still meanwhile, until another one has the lease of the message.
            case senderOutlastsLease
        }

        var at: Duration
        var kind: Kind
        /// Chooses what the fault concerns.
        var choice: Int
        var duration: Duration

        var description: String {
            "after \(Int(at / .milliseconds(1))) ms: \(kind.rawValue), choice \(choice), \(Int(duration / .milliseconds(1))) ms"
        }

        /// Half of the lists have few kinds, so that these meet each other often.
        static func list(_ count: Int, within time: Duration, _ random: inout SeededRandom) -> [DeliveryFault] {
            var kinds = Kind.allCases
            if random.chance(percent: 50) {
                let few = 2 + random.index(below: 3)
                kinds = (0..<few).map { _ in Kind.allCases[random.index(below: Kind.allCases.count)] }
            }
            return (0..<count).map { _ in
                DeliveryFault(
                    at: .milliseconds(random.index(below: Int(time / .milliseconds(1)))),
                    kind: kinds[random.index(below: kinds.count)], choice: random.index(below: 1000),
                    duration: .milliseconds(50 + random.index(below: random.chance(percent: 25) ? 12_000 : 3_000)))
            }.sorted { $0.at < $1.at }
        }
    }

    extension DeliveryScenario {
        func begin(_ fault: DeliveryFault) {
            world.note("FAULT \(fault)")
            let end = world.time.steady + fault.duration
            switch fault.kind {
            case .killNotifier: kill(.notifier, fault.choice, restartingAfter: fault.duration / 4)
            case .killIdentity: kill(.identity, fault.choice, restartingAfter: fault.duration / 4)
            case .stopNotifier: requestStop(of: .notifier, fault.choice)
            case .stopIdentity: requestStop(of: .identity, fault.choice)
            case .pauseNotifier: pause(.notifier, fault.choice, for: fault.duration)
            case .pauseIdentity: pause(.identity, fault.choice, for: fault.duration)
            case .loseCalls: bus.losesUntil = max(bus.losesUntil, end)
            case .slowCalls: bus.isSlowUntil = max(bus.isSlowUntil, end)
            case .doubleCalls: bus.doublesUntil = max(bus.doublesUntil, end)
            // Only a few calls come in the time of other faults.
            case .gatherCalls: bus.gathersUntil = max(bus.gathersUntil, end + fault.duration * 2)
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
            // Less than the part of a lease that no attempt needs.
            case .setClock: setClock(fault.choice, to: .milliseconds(fault.choice * 10 - 5_000))
            case .senderOutlastsLease: servers.nextSenderStandsStill = true
            }
        }
    }

#endif
