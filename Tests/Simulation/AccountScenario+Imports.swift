// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import Bus
    import Contracts
    import TestSupport
    import Vocabulary

    /// Accounts of another system. Nobody signs in to them.
    extension AccountScenario {
        /// There are so few that some are there already, and that some addresses belong to others.
        private static let importedCount = 12

        func importAccounts() async {
            let realm = realms[world.random.index(below: realms.count)]
            let count = 1 + world.random.index(below: 3)
            let allowsOverwrite = world.random.chance(percent: 50)
            let rows = zip(drawNumbers(count), drawNumbers(count)).map { id, address in
                judge.beginImport("imported-\(id)", "imported-\(address)@example.com", in: realm)
            }
            operationCount += 1
            let number = operationCount
            world.note("the administrator sends import \(number): \(rows.map { "\($0.id) \($0.email)" })")
            let began = world.time.steady
            do {
                let reply = try await SimulatedPeers(scenario: self, process: client).send(
                    Identity.ImportAccounts(
                        realm: realm,
                        accounts: rows.map { .init(id: AccountID($0.id), profile: .init(email: $0.email)) },
                        algorithm: nil, allowsOverwrite: allowsOverwrite), trace: .random())
                let span = AccountJudge.Span(began: began, ended: world.time.steady)
                world.note("import \(number) ends without \(reply.rejections.map(\.rowIndex))")
                judge.importIsDone(rows, reply.rejections, allowsOverwrite: allowsOverwrite, span)
            } catch {
                judge.importFails(rows, outcome(of: error))
            }
        }

        private func drawNumbers(_ count: Int) -> [Int] {
            var numbers = Array(0..<Self.importedCount)
            return (0..<count).map { _ in numbers.remove(at: world.random.index(below: numbers.count)) }
        }
    }

#endif
