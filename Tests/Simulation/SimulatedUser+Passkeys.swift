// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import Contracts
    import JSON
    import TestSupport

    /// What a client does with passkeys. Each one is an authenticator of its own, whose key and signatures follow from the seed.
    extension SimulatedUser {
        static func makeAuthenticators(_ world: World) -> [SoftwareAuthenticator] {
            do {
                return try (0..<8).map { _ in
                    try SoftwareAuthenticator(
                        secret: world.random.bytes(32), origin: "https://\(AccountScenario.relyingParty)")
                }
            } catch {
                preconditionFailure("no authenticator can be made: \(error)")
            }
        }

        // MARK: Enrollment

        func enrollPasskey() async {
            guard let session = pick(sessions), usedAuthenticators < authenticators.count else { return }
            let (idToken, idTokenEnded) = (session.idToken, session.idTokenEnded)
            let (started, _) = await toolkit("/passkeyEnrollment:start", version: "v2", ["idToken": idToken])
            guard case .accepted(let reply) = started else { return }
            guard let options = try? SoftwareAuthenticator.Options(creation: reply) else {
                return world.report("\(name) gets no creation options")
            }
            if chance(30) { await pause() }
            // Of two authenticators with the same challenge one is accepted.
            await withDiscardingTaskGroup { group in
                let first = usedAuthenticators
                usedAuthenticators = min(first + (chance(15) ? 2 : 1), authenticators.count)
                for place in first..<usedAuthenticators {
                    group.addTask { await self.register(place, options, session, idToken, idTokenEnded) }
                }
            }
        }

        private func register(
            _ place: Int, _ options: SoftwareAuthenticator.Options, _ session: Session, _ idToken: String,
            _ idTokenEnded: ContinuousClock.Instant
        ) async {
            guard let response = try? authenticators[place].register(options) else {
                preconditionFailure("an authenticator that does not register")
            }
            let write = account.passkeys[place].isListed.begin(true, at: now)
            // The same request again changes nothing more.
            for attempt in 1...3 {
                let (answer, span) = await toolkit(
                    "/passkeyEnrollment:finalize", version: "v2", ["idToken": idToken, "name": "passkey \(place)"],
                    ["authenticatorRegistrationResponse": response.json])
                switch answer {
                case .accepted(let reply):
                    judge.challengeIsAccepted(
                        account, options.challenge, refreshToken: reply["refreshToken"]?.text ?? "")
                    account.passkeys[place].isListed.end(write, .acknowledged, at: now)
                    judge.passkeyIsEnrolled(
                        account, place, by: session.idTokenEnded == idTokenEnded ? session : nil, span)
                    // It continues the session, with the time of its sign-in.
                    _ = keep(reply, began: session.began, nil)
                    return
                case .refused:
                    // An earlier attempt may have had an effect.
                    return account.passkeys[place].isListed.end(write, attempt == 1 ? .refused : .uncertain, at: now)
                case .uncertain: await pause()
                }
            }
            account.passkeys[place].isListed.end(write, .uncertain, at: now)
        }

        // MARK: Removal

        func removePasskey() async {
            guard let session = pick(sessions), let place = knownPasskey() else { return }
            let (idToken, idTokenEnded) = (session.idToken, session.idTokenEnded)
            let write = account.passkeys[place].isListed.begin(false, at: now)
            let (answer, span) = await toolkit(
                ":update", ["idToken": idToken],
                ["deletePasskey": .array([.string(account.passkeys[place].id)])])
            if case .accepted(let reply) = answer {
                if session.idTokenEnded == idTokenEnded { judge.idTokenIsAccepted(account, session, span) }
                _ = keep(reply, began: session.began, nil)
            }
            account.passkeys[place].isListed.end(write, answer.outcome, at: now)
            if case .refused(let message) = answer {
                judge.passkeyIsRefused(account, place, count: 0, isAlone: true, message, span)
            }
        }

        /// A passkey that the account may have, or one that it had.
        func knownPasskey() -> Int? {
            let possible = (0..<usedAuthenticators).filter {
                account.passkeys[$0].isListed.mayBe(true, from: now, to: now)
            }
            return chance(80) ? pick(possible) : pick(Array(0..<usedAuthenticators))
        }

        // MARK: Sign-in

        /// What an authenticator has signed.
        struct Assertion {
            /// Of the passkey.
            var place: Int
            var challenge: [UInt8]
            var count: UInt32
            var response: JSONValue
            /// It is not what the challenge asks for.
            var isWrong: Bool
        }

        func signInByPasskey() async {
            guard let place = knownPasskey(), let options = await requestOptions(for: place) else { return }
            if chance(30) { await pause() }
            var assertions = [sign(options, with: place, isWrong: chance(8))]
            // The same response twice, or that of another passkey. A challenge has one accepted use.
            if chance(15) {
                assertions += assertions
            } else if chance(10), let other = knownPasskey() {
                assertions.append(sign(options, with: other, isWrong: false))
            }
            let isAlone = assertions.count == 1
            await withDiscardingTaskGroup { group in
                for assertion in assertions {
                    group.addTask { await self.signIn(by: assertion, isAlone: isAlone) }
                }
            }
        }

        /// Asks for a challenge: for any passkey, for those of the address, or for those of the account of a session.
        private func requestOptions(for place: Int) async -> SoftwareAuthenticator.Options? {
            var members: [String: String] = [:]
            switch world.random.index(below: 3) {
            case 0: members["identifier"] = email
            case 1: members["idToken"] = pick(sessions)?.idToken
            default: break
            }
            let (answer, span) = await toolkit("/passkeySignIn:start", version: "v2", members)
            guard case .accepted(let reply) = answer else { return nil }
            guard let options = try? SoftwareAuthenticator.Options(request: reply) else {
                world.report("\(name) gets no request options")
                return nil
            }
            // Without a list any passkey may be used. An authenticator that is not in the list does not respond.
            guard case .array(let allowed)? = reply["credentialRequestOptions"]?["allowCredentials"] else {
                return options
            }
            let isAllowed = allowed.contains { $0["id"]?.text == account.passkeys[place].id }
            if !isAllowed { judge.passkeyIsNotAllowed(account, place, span) }
            return isAllowed ? options : nil
        }

        func sign(
            _ options: SoftwareAuthenticator.Options, with place: Int, isWrong: Bool
        ) -> Assertion {
            // Every second one counts its signatures. A copy of it has used the same number.
            if place % 2 == 1, !chance(5) { authenticators[place].signCount += 1 }
            var deviation = SoftwareAuthenticator.Deviation()
            if isWrong {
                switch world.random.index(below: 4) {
                case 0: deviation.breaksSignature = true
                case 1: deviation.challenge = world.random.bytes(options.challenge.count)
                case 2: deviation.origin = "https://another.example"
                default: deviation.flags = SoftwareAuthenticator.userPresent
                }
            }
            guard let response = try? authenticators[place].authenticate(options, deviation) else {
                preconditionFailure("an authenticator that does not sign")
            }
            let count = authenticators[place].signCount
            account.passkeys[place].sentCounts.append(count)
            return Assertion(
                place: place, challenge: options.challenge, count: count, response: response.json, isWrong: isWrong)
        }

        /// - Parameter isAlone: no other response to the challenge is sent.
        @discardableResult
        private func signIn(by assertion: Assertion, isAlone: Bool) async -> Answer {
            var isAlone = isAlone && !assertion.isWrong
            while true {
                let (answer, span) = await toolkit(
                    "/passkeySignIn:finalize", version: "v2", [:],
                    ["authenticatorAuthenticationResponse": assertion.response])
                switch answer {
                case .accepted(let reply):
                    if assertion.isWrong { world.report("\(name) is accepted with a wrong response of a passkey") }
                    if reply["mfaPendingCredential"] != nil {
                        world.report("\(name) is asked for a factor beside a passkey that has verified the user")
                        return answer
                    }
                    judge.challengeIsAccepted(
                        account, assertion.challenge, refreshToken: reply["refreshToken"]?.text ?? "")
                    judge.passkeyIsAccepted(account, assertion.place, count: assertion.count, span)
                    _ = keep(reply, began: span.began, nil)
                    return answer
                case .refused(let message):
                    judge.passkeyIsRefused(
                        account, assertion.place, count: assertion.count, isAlone: isAlone, message, span)
                    return answer
                case .uncertain:
                    // The same response again: the first one may have been accepted, or be on its way.
                    isAlone = false
                    guard chance(50) else { return answer }
                    await pause()
                }
            }
        }

        // MARK: End

        /// After the faults: each passkey that is listed signs in, and no other one.
        func requirePasskeys(_ session: Session) async {
            guard let (reply, span) = await lookUpAtEnd(session) else { return }
            let listed = passkeys(of: reply)
            judge.passkeysAreListed(account, listed, span)
            for place in 0..<usedAuthenticators {
                // A number that was not used before.
                if authenticators[place].signCount > 0 { authenticators[place].signCount += 1 }
                let answer = await toolkit("/passkeySignIn:start", version: "v2", [:]).0
                guard case .accepted(let reply) = answer,
                    let options = try? SoftwareAuthenticator.Options(request: reply)
                else { return world.report("\(name) gets no request options after the faults") }
                let assertion = sign(options, with: place, isWrong: false)
                let isAccepted = await signIn(by: assertion, isAlone: true).outcome == .acknowledged
                if isAccepted != listed.contains(account.passkeys[place].id) {
                    let what = isAccepted ? "accepted with a passkey that is not listed" : "refused with a passkey"
                    world.report("\(name) is \(what) after the faults")
                }
            }
        }

        /// The passkeys that a reply lists.
        func passkeys(of reply: JSONValue) -> [String] {
            guard case .array(let users)? = reply["users"], case .array(let passkeys)? = users.first?["passkeyInfo"]
            else { return [] }
            return passkeys.compactMap { $0["credentialId"]?.text }
        }
    }

#endif
