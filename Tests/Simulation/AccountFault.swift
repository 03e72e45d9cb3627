// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import Contracts
    import TestSupport

    /// A fault of a run of accounts.
    struct AccountFault: CustomStringConvertible {
        enum Kind: String, CaseIterable {
            case killGateway, killIdentity, killTOTP, stopGateway, stopIdentity, stopTOTP
            case pauseGateway, pauseIdentity, pauseTOTP
            /// Requests and replies of the bus are lost, take long, or arrive twice.
            case loseCalls, slowCalls, doubleCalls
            case identityDiskFails, identityDiskIsSlow, identityDiskLosesReplies
            case totpDiskFails, totpDiskIsSlow, totpDiskLosesReplies
            case setClock
            case killSMS, stopSMS, pauseSMS
            case smsDiskFails, smsDiskIsSlow, smsDiskLosesReplies
            case killPasskey, stopPasskey, pausePasskey
            case passkeyDiskFails, passkeyDiskIsSlow, passkeyDiskLosesReplies
            case killFederation, stopFederation, pauseFederation
            case federationDiskFails, federationDiskIsSlow
        }

        var at: Duration
        var kind: Kind
        /// Chooses what the fault concerns.
        var choice: Int
        var duration: Duration

        var description: String {
            "after \(Int(at / .milliseconds(1))) ms: \(kind.rawValue), choice \(choice), \(Int(duration / .milliseconds(1))) ms"
        }

        static func list(_ count: Int, within time: Duration, _ random: inout SeededRandom) -> [AccountFault] {
            (0..<count).map { _ in
                AccountFault(
                    at: .milliseconds(random.index(below: Int(time / .milliseconds(1)))),
                    kind: Kind.allCases[random.index(below: Kind.allCases.count)], choice: random.index(below: 1000),
                    duration: .milliseconds(50 + random.index(below: random.chance(percent: 20) ? 12_000 : 3_000)))
            }.sorted { $0.at < $1.at }
        }
    }

    extension AccountScenario {
        func begin(_ fault: AccountFault) {
            world.note("FAULT \(fault)")
            let end = world.time.steady + fault.duration
            switch fault.kind {
            case .killGateway: kill(.gateway, fault.choice, restartingAfter: fault.duration / 4)
            case .killIdentity: kill(.identity, fault.choice, restartingAfter: fault.duration / 4)
            case .killTOTP: kill(.mfaTOTP, fault.choice, restartingAfter: fault.duration / 4)
            case .stopGateway: requestStop(of: .gateway, fault.choice)
            case .stopIdentity: requestStop(of: .identity, fault.choice)
            case .stopTOTP: requestStop(of: .mfaTOTP, fault.choice)
            case .pauseGateway: pause(.gateway, fault.choice, for: fault.duration)
            case .pauseIdentity: pause(.identity, fault.choice, for: fault.duration)
            case .pauseTOTP: pause(.mfaTOTP, fault.choice, for: fault.duration)
            case .loseCalls: bus.losesUntil = max(bus.losesUntil, end)
            case .slowCalls: bus.isSlowUntil = max(bus.isSlowUntil, end)
            case .doubleCalls: bus.doublesUntil = max(bus.doublesUntil, end)
            case .identityDiskFails: identityDisk.failsUntil = max(identityDisk.failsUntil, end)
            case .identityDiskIsSlow: identityDisk.isSlowUntil = max(identityDisk.isSlowUntil, end)
            case .identityDiskLosesReplies: identityDisk.losesRepliesUntil = max(identityDisk.losesRepliesUntil, end)
            case .totpDiskFails: totpDisk.failsUntil = max(totpDisk.failsUntil, end)
            case .totpDiskIsSlow: totpDisk.isSlowUntil = max(totpDisk.isSlowUntil, end)
            case .totpDiskLosesReplies: totpDisk.losesRepliesUntil = max(totpDisk.losesRepliesUntil, end)
            case .setClock: setClock(fault.choice, to: .milliseconds(fault.choice * 10 - 5_000))
            case .killSMS: kill(.mfaSMS, fault.choice, restartingAfter: fault.duration / 4)
            case .stopSMS: requestStop(of: .mfaSMS, fault.choice)
            case .pauseSMS: pause(.mfaSMS, fault.choice, for: fault.duration)
            case .smsDiskFails: smsDisk.failsUntil = max(smsDisk.failsUntil, end)
            case .smsDiskIsSlow: smsDisk.isSlowUntil = max(smsDisk.isSlowUntil, end)
            case .smsDiskLosesReplies: smsDisk.losesRepliesUntil = max(smsDisk.losesRepliesUntil, end)
            case .killPasskey: kill(.passkey, fault.choice, restartingAfter: fault.duration / 4)
            case .stopPasskey: requestStop(of: .passkey, fault.choice)
            case .pausePasskey: pause(.passkey, fault.choice, for: fault.duration)
            case .passkeyDiskFails: passkeyDisk.failsUntil = max(passkeyDisk.failsUntil, end)
            case .passkeyDiskIsSlow: passkeyDisk.isSlowUntil = max(passkeyDisk.isSlowUntil, end)
            case .passkeyDiskLosesReplies: passkeyDisk.losesRepliesUntil = max(passkeyDisk.losesRepliesUntil, end)
            case .killFederation: kill(.federation, fault.choice, restartingAfter: fault.duration / 4)
            case .stopFederation: requestStop(of: .federation, fault.choice)
            case .pauseFederation: pause(.federation, fault.choice, for: fault.duration)
            case .federationDiskFails: federationDisk.failsUntil = max(federationDisk.failsUntil, end)
            case .federationDiskIsSlow: federationDisk.isSlowUntil = max(federationDisk.isSlowUntil, end)
            }
        }
    }

#endif
