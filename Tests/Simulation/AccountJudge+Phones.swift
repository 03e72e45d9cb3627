// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import JSON
    import TestSupport

    /// What was promised about phones as second factors.
    extension AccountJudge {
        /// What is known of the code of one SMS.
        struct SMSCode {
            /// Wrong codes that were answered as such.
            var failures = 0
            /// What the accepted code has opened.
            var refreshToken: String?
        }

        /// The number of wrong codes after which the right one is refused.
        static let maximumWrongCodes = 5

        /// - Parameters:
        ///   - session: `sessionInfo`.
        ///   - messages: the codes that the phone has.
        /// - Returns: false for the same reply again, to a request that was repeated.
        func smsCodeIsAccepted(
            _ account: Account, _ session: String, _ code: String, of messages: [String], refreshToken: String
        ) -> Bool {
            if !messages.contains(code) { world.report("\(account.name) is accepted with a code that was not sent") }
            var known = smsCodes[session] ?? SMSCode()
            defer { smsCodes[session] = known }
            if known.failures >= Self.maximumWrongCodes {
                world.report("an SMS code of \(account.name) is accepted after \(known.failures) wrong ones")
            }
            guard let first = known.refreshToken else {
                known.refreshToken = refreshToken
                return true
            }
            if first != refreshToken { world.report("an SMS code of \(account.name) is accepted twice") }
            return false
        }

        /// A code was judged, and is another one.
        func smsCodeIsWrong(_ account: Account, _ session: String) {
            smsCodes[session, default: SMSCode()].failures += 1
            let failures = smsCodes[session]?.failures ?? 0
            if failures > Self.maximumWrongCodes {
                world.report("\(account.name) has \(failures) attempts with one SMS code")
            }
            // Whoever has been refused as wrong was judged before the right code came.
            if failures >= Self.maximumWrongCodes, smsCodes[session]?.refreshToken != nil {
                world.report("an SMS code of \(account.name) is accepted after \(failures) wrong ones")
            }
        }
    }

    extension AccountJudge.Account {
        typealias Instant = ContinuousClock.Instant

        /// The writes of a removal of all factors.
        struct Removal {
            fileprivate var factor: Int
            fileprivate var phones: [Int]
        }

        func beginRemoval(at now: Instant) -> Removal {
            Removal(
                factor: factor.begin(nil, at: now),
                phones: phones.indices.map { phones[$0].isFactor.begin(false, at: now) })
        }

        func endRemoval(_ removal: Removal, _ outcome: RequestOutcome, at now: Instant) {
            factor.end(removal.factor, outcome, at: now)
            for (place, write) in zip(phones.indices, removal.phones) {
                phones[place].isFactor.end(write, outcome, at: now)
            }
        }

        func mayBeWithoutFactors(_ span: AccountJudge.Span) -> Bool {
            factor.mayBe(nil, from: span.began, to: span.ended)
                && phones.allSatisfy { $0.isFactor.mayBe(false, from: span.began, to: span.ended) }
        }

        func mayHave(_ factor: AccountJudge.Factor, _ span: AccountJudge.Span) -> Bool {
            switch factor {
            case .totp(let secret): self.factor.mayBe(secret, from: span.began, to: span.ended)
            case .phone(let number):
                phones.contains {
                    $0.number == number && $0.isFactor.mayBe(true, from: span.began, to: span.ended)
                }
            }
        }

        /// It ends all sessions.
        func hasEnrolledPhone(after earlier: Instant, before instant: Instant) -> Bool {
            phones.contains { $0.isFactor.hasAcknowledged(after: earlier, before: instant) { $0 } }
        }
    }

    extension AccountJudge.Pending {
        /// Reads the factors that a reply names. Numbers are masked except for their last four digits.
        mutating func read(_ factors: [JSONValue], of account: AccountJudge.Account) {
            for factor in factors {
                guard let id = factor["mfaEnrollmentId"]?.text else { continue }
                if let masked = factor["phoneInfo"]?.text {
                    let number = account.phones.map(\.number).first { $0.suffix(4) == masked.suffix(4) }
                    phones.append(.init(id: id, number: number ?? masked))
                } else {
                    totpID = id
                }
            }
        }
    }

#endif
