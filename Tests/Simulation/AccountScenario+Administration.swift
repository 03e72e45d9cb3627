// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import Bus
    import Contracts
    import TestSupport
    import Vocabulary

    /// What administrators do to the accounts of users.
    extension AccountScenario {
        func administer(_ choices: ClientChoices) async {
            while let choice = await choices.next(below: 10 * users.count + 2) {
                guard choice < 10 * users.count else {
                    if choice % 2 == 0 { await importAccounts() } else { await revokeSigningKey() }
                    continue
                }
                let user = users[choice / 10]
                guard let id = user.id else { continue }
                switch choice % 10 {
                case ..<2: _ = await setDisabled(true, user, id)
                case ..<5: _ = await setDisabled(false, user, id)
                case ..<7: await revokeSessions(of: user, id)
                case ..<9: await removeFactors(of: user, id)
                default:
                    await delete(user) { [self] in
                        await send(Identity.DeleteAccount(realm: user.realm, accountID: AccountID(id)))
                    }
                }
            }
        }

        private func send(_ request: some BusRequest) async -> RequestOutcome {
            operationCount += 1
            let number = operationCount
            world.note("the administrator sends request \(number): \(request)")
            defer { world.note("request \(number) of the administrator ends") }
            do {
                _ = try await SimulatedPeers(scenario: self, process: client).send(request, trace: .random())
                return .acknowledged
            } catch {
                return outcome(of: error)
            }
        }

        func outcome(of error: ServiceError) -> RequestOutcome {
            switch error.code {
            case .unavailable, .overloaded, .deadlineExceeded, .internal: return .uncertain
            default:
                refusalCount += 1
                return .refused
            }
        }

        private func change(
            _ user: SimulatedUser, _ id: String, _ changes: Identity.AccountChanges
        ) async -> RequestOutcome {
            await send(Identity.UpdateAccount(realm: user.realm, accountID: AccountID(id), changes: changes))
        }

        func setDisabled(_ isDisabled: Bool, _ user: SimulatedUser, _ id: String) async -> RequestOutcome {
            let write = user.account.isDisabled.begin(isDisabled, at: world.time.steady)
            let outcome = await change(user, id, .init(disabled: isDisabled))
            user.account.isDisabled.end(write, outcome, at: world.time.steady)
            return outcome
        }

        /// As the libraries of administrators do: everything before this second is void.
        private func revokeSessions(of user: SimulatedUser, _ id: String) async {
            let write = user.account.revocations.begin(
                user.account.revocations.writes.count, at: world.time.steady)
            let outcome = await change(user, id, .init(validSince: client.now().wall.timestamp))
            user.account.revocations.end(write, outcome, at: world.time.steady)
        }

        /// It ends all sessions, if there is a factor.
        private func removeFactors(of user: SimulatedUser, _ id: String) async {
            let removal = user.account.beginRemoval(at: world.time.steady)
            let outcome = await change(user, id, .init(secondFactors: []))
            user.account.endRemoval(removal, outcome, at: world.time.steady)
        }

        /// One of the signing keys that are published, in an emergency. Its last copy is deleted.
        private func revokeSigningKey() async {
            let peers = SimulatedPeers(scenario: self, process: client)
            let purposes = Identity.ListSigningKeys.Purpose.allCases
            let purpose = purposes[world.random.index(below: purposes.count)]
            // `try?`: a list that does not arrive has no key to revoke.
            guard let keys = try? await peers.send(Identity.ListSigningKeys(purpose: purpose), trace: .random()).keys,
                !keys.isEmpty
            else { return }
            let key = keys[world.random.index(below: keys.count)].id
            if await send(Identity.RevokeSigningKey(keyID: key)) == .acknowledged { judge.keyIsRevoked(key) }
        }

        /// - Parameter body: deletes the account.
        func delete(_ user: SimulatedUser, _ body: () async -> RequestOutcome) async {
            let now = world.time.steady
            let account = user.account
            let (write, rest) = (account.password.begin(nil, at: now), account.beginAnew(at: now))
            let outcome = await body()
            account.password.end(write, outcome, at: world.time.steady)
            account.endAnew(rest, outcome, at: world.time.steady)
            if outcome == .acknowledged { (user.id, user.idBegan) = (nil, world.time.steady) }
        }

        // MARK: End

        /// After the faults: each process publishes a key for each purpose, and none that was revoked.
        func requireSigningKeys() async {
            for purpose in Identity.ListSigningKeys.Purpose.allCases {
                // Each of them arrives at one of the processes.
                for _ in 0..<4 {
                    do {
                        let reply = try await SimulatedPeers(scenario: self, process: client).send(
                            Identity.ListSigningKeys(purpose: purpose), trace: .random())
                        judge.keysArePublished(reply.keys.map(\.id), for: purpose)
                    } catch {
                        return world.report("the signing keys cannot be listed: \(error)")
                    }
                }
            }
        }

        /// After the faults: as `latchkey audit verify` does.
        func requireWholeAuditLog() async {
            var position: Identity.AuditLogPosition?
            while !isAuditLogWhole {
                do {
                    let reply = try await SimulatedPeers(scenario: self, process: client).send(
                        Identity.VerifyAuditLog(after: position), trace: .random())
                    if let violation = reply.violation {
                        let link = reply.violatedLink.map { " at link \($0)" } ?? ""
                        return world.report("the audit log has the violation \(violation)\(link)")
                    }
                    (position, isAuditLogWhole) = (reply.last, reply.isComplete)
                } catch {
                    return world.report("the audit log cannot be verified: \(error)")
                }
            }
        }
    }

#endif
