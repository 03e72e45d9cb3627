import Contracts
import PhoneNumbers
import SQL
import Storage
import TestSupport
import Testing
import Vocabulary

@testable import MFASMSService

/// The send limits in a database, the same on every engine.
@Suite struct SendingStoreTests {
    @Test(arguments: StoreEngine.allCases)
    func limitsAreCountedEnforcedAndReset(engine: StoreEngine) async throws {
        let fixture = try await SendingFixture(engine)
        let process = try await fixture.process()
        let send = try CountedSend.example(account: "a")
        #expect(try await process.admit(send) == nil)
        #expect(try await process.admit(send) == .limited(by: .smsResendBackoff, until: .midnight + 30))
        // Messages of another project do not count.
        #expect(try await process.admit(.example(account: "a", in: "q")) == nil)
        // Messages of a tenant count for the project.
        #expect(
            try await process.admit(.example(tenant: "t")) == .limited(by: .smsResendBackoff, until: .midnight + 30))
        for wait in [30, 60, 120, 300] {
            fixture.clock.advance(by: .seconds(wait))
            #expect(try await process.admit(send) == nil)
        }
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await process.admit(send) == .limited(by: .smsPerNumber, until: .midnight + 86_400))
        #expect(try await process.sending().sentThisDay == 5)
        // A new day; the resend backoff continues until a code is verified.
        fixture.clock.setWall(.midnight + 86_400)
        #expect(try await process.admit(send) == nil)
        #expect(try await process.admit(send) == .limited(by: .smsResendBackoff, until: .midnight + (86_400 + 300)))
        await process.database.close()
    }

    @Test(arguments: StoreEngine.allCases)
    func verifiedCodeResetsResendBackoff(engine: StoreEngine) async throws {
        let fixture = try await SendingFixture(engine)
        let process = try await fixture.process()
        let send = try CountedSend.example(from: nil)
        for _ in 0..<20 {
            #expect(try await process.admit(send) == nil)
            try await process.recordVerified(send)
            fixture.clock.advance(by: .seconds(1))
        }
        #expect(try await process.admit(send) == .limited(by: .smsPerNumber, until: .midnight + 86_400))
        let sending = try await process.sending()
        #expect((sending.sentThisDay, sending.verifiedThisDay) == (20, 20))
        // Verified codes never exceed sent messages.
        try await process.recordVerified(send)
        #expect(try await process.sending().verifiedThisDay == 20)
        // Codes of yesterday do not count for today.
        fixture.clock.setWall(.midnight + 86_400)
        try await process.recordVerified(send)
        #expect(try await process.sending().verifiedThisDay == 0)
        await process.database.close()
    }

    @Test(arguments: StoreEngine.allCases)
    func undeliveredMessageIsRefunded(engine: StoreEngine) async throws {
        let fixture = try await SendingFixture(engine)
        let process = try await fixture.process()
        let send = try CountedSend.example(account: "a")
        let tables = ["sending_counts WHERE sent > 0", "sending_ladders", "sending_ranges WHERE sent > 0"]
        for _ in 0..<50 {
            #expect(try await process.admit(send) == nil)
            try await process.refund(send)
        }
        for table in tables { #expect(try await process.count(table) == 0, "\(table)") }
        #expect(try await process.sending().spentThisDayMicros == 0)
        // Refunded in the hour of admission, even after that hour.
        fixture.clock.setWall(.midnight + 3599)
        let admittedAt = fixture.clock.now
        #expect(try await process.admit(send) == nil)
        fixture.clock.advance(by: .seconds(5))
        #expect(try await process.admit(.example("+4915112999999", from: nil)) == nil)
        try await process.refund(send, admittedAt: admittedAt)
        #expect(try await process.sending().spentThisHourMicros == 50_000)
        #expect(try await process.sending().spentThisDayMicros == 50_000)
        #expect(try await process.count("sending_ladders") == 1)
        await process.database.close()
    }

    @Test(arguments: StoreEngine.shared)
    func countsAreSharedBetweenProcessesAndSurviveRestart(engine: StoreEngine) async throws {
        let fixture = try await SendingFixture(engine)
        let first = try await fixture.process()
        #expect(try await first.admit(.example()) == nil)
        let second = try await fixture.process()
        #expect(try await second.admit(.example()) == .limited(by: .smsResendBackoff, until: .midnight + 30))
        await first.database.close()
        await second.database.close()
        let third = try await fixture.process()
        #expect(try await third.admit(.example()) == .limited(by: .smsResendBackoff, until: .midnight + 30))
        #expect(try await third.sending().sentThisDay == 1)
        await third.database.close()
    }

    /// Security rule RL4: of fifty parallel messages in two processes, as many are admitted as the budget allows.
    @Test(arguments: StoreEngine.shared)
    func budgetHoldsUnderConcurrency(engine: StoreEngine) async throws {
        let fixture = try await SendingFixture(engine)
        var policy = SendingProcess.boundless
        policy.budget.inHour = 5 * 50_000
        let processes = [try await fixture.process(policy), try await fixture.process(policy)]
        let sends = try (0..<50).map {
            try CountedSend.example("+49151\(12_345_600 + $0)", purpose: .secondFactor, from: nil)
        }
        let refusals = try await withThrowingTaskGroup { group in
            for (index, send) in sends.enumerated() {
                group.addTask { try await processes[index % 2].admit(send) }
            }
            var all: [ServiceError?] = []
            for try await refusal in group { all.append(refusal) }
            return all
        }
        #expect(refusals.count { $0 == nil } == 5)
        #expect(refusals.allSatisfy { $0 == nil || $0 == .limited(by: .smsProjectBudget, until: .midnight + 3600) })
        let sending = try await processes[0].sending()
        #expect((sending.spentThisHourMicros, sending.sentThisDay) == (250_000, 5))
        for process in processes { await process.database.close() }
    }

    /// One number receives one message: the resend backoff also admits one of many parallel sends.
    @Test(arguments: StoreEngine.shared)
    func resendBackoffHoldsUnderConcurrency(engine: StoreEngine) async throws {
        let fixture = try await SendingFixture(engine)
        let processes = [try await fixture.process(), try await fixture.process()]
        let send = try CountedSend.example()
        let admitted = try await withThrowingTaskGroup { group in
            for index in 0..<20 { group.addTask { try await processes[index % 2].admit(send) == nil } }
            var count = 0
            for try await isAdmitted in group where isAdmitted { count += 1 }
            return count
        }
        #expect(admitted == 1)
        for process in processes { await process.database.close() }
    }

    @Test(arguments: StoreEngine.allCases)
    func blockedPrefixIsReportedAndRecorded(engine: StoreEngine) async throws {
        let fixture = try await SendingFixture(engine)
        let process = try await fixture.process()
        for index in 0..<50 {
            let send = try CountedSend.example("+88018120\(10_000 + index)", region: "BD", from: nil)
            #expect(try await process.admit(send) == nil)
        }
        let next = try CountedSend.example("+8801812099999", region: "BD", tenant: "t")
        #expect(try await process.admit(next) == .limited(by: .smsPerPrefix, until: .midnight + 120))
        fixture.clock.advance(by: .seconds(120))
        let until = Moment.midnight + (120 + 3600)
        #expect(try await process.admit(next) == .limited(by: .smsPrefixConversion, until: until))
        #expect(try await process.admit(next) == .limited(by: .smsPrefixConversion, until: until))
        #expect(try await process.sending().blockedPrefixes == [.init(prefix: "+8801812", blockedUntil: until)])
        #expect(try await process.sending(of: "q").blockedPrefixes.isEmpty)
        // Other prefixes are not affected.
        #expect(try await process.admit(.example(from: nil)) == nil)

        let events = try await process.rows("SELECT * FROM sending_events ORDER BY happened_at, reason")
        #expect(try events.map { try $0.get("reason") } == ["range", "conversion"])
        let event = try #require(events.last)
        #expect(try event.get("project") == "p" && event.get("tenant") == "t" && event.get("prefix") == "+8801812")
        #expect(try event.get("region") == "BD" && event.get("ip_address") == "192.0.2.1")
        #expect(try event.get("until_at") == until.milliseconds && event.get("purpose") == "signIn")

        fixture.clock.setWall(until)
        #expect(try await process.sending().blockedPrefixes.isEmpty)
        #expect(try await process.admit(next) == nil)
        await process.database.close()
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false), ("192.0.2.1", "::ffff:192.0.2.1", true),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", true), ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
        ("127.0.0.1", "127.0.0.2", true), ("::1", "127.0.0.1", true),
    ])
    func addressIsCountedByNetwork(first: String, second: String, isOne: Bool) async throws {
        var policy = SendingProcess.boundless
        policy.counts.perAddress = 1
        let process = try await SendingFixture().process(policy)
        #expect(try await process.admit(.example("+4915112000001", from: first)) == nil)
        let refusal = try await process.admit(.example("+4915112000002", from: second))
        #expect(refusal == (isOne ? .limited(by: .smsPerNetwork, until: .midnight + 3600) : nil))
    }

    @Test func devModeDoesNotCountLoopbackAddresses() async throws {
        var policy = SendingPolicy.development
        policy.counts.perAddress = 1
        let process = try await SendingFixture().process(policy)
        for address in ["127.0.0.1", "::1", "not an address", nil] {
            for number in 0..<3 {
                let send = try CountedSend.example("+491511200000\(number)", from: address)
                #expect(try await process.admit(send) == nil)
            }
        }
    }

    /// A developer's test run sends many messages to fictional numbers with few prefixes, none of them verified.
    @Test func devModeAdmitsTestRun() async throws {
        let process = try await SendingFixture().process(.development)
        for index in 0..<1000 {
            let send = try CountedSend.example("+1202555\(1000 + index)", region: "US", from: "127.0.0.1")
            #expect(try await process.admit(send) == nil)
        }
        for _ in 0..<50 { #expect(try await process.admit(.example(from: "127.0.0.1")) == nil) }
    }

    /// Security rule LG1 for table contents, RL8 for the number of rows.
    @Test func tablesContainNoNumbersAndRefusalsAddNoRows() async throws {
        let fixture = try await SendingFixture()
        var policy = SendingPolicy()
        policy.budget.inHour = 50_000
        let process = try await fixture.process(policy)
        #expect(try await process.admit(.example(purpose: .secondFactor, account: "account-7")) == nil)
        for index in 0..<200 {
            let send = try CountedSend.example(
                "+49152\(10_000_000 + index * 7919)", purpose: .secondFactor, account: "a\(index)",
                from: "198.51.100.\(index)")
            #expect(try await process.admit(send) != nil)
        }
        #expect(try await process.count("sending_counts") == SendingScope.allCases.count - 3)
        #expect(try await process.count("sending_ladders") == 1)
        #expect(try await process.count("sending_events") == 1)
        for table in ["sending_counts", "sending_ladders", "sending_ranges", "sending_events"] {
            for row in try await process.rows("SELECT * FROM \(table)") {
                for value in row.values {
                    #expect(!"\(value)".contains("15112345678") && !"\(value)".contains("account-7"), "\(table)")
                    if case .blob(let bytes) = value {
                        #expect(!String(decoding: bytes, as: UTF8.self).contains("15112345678"), "\(table)")
                    }
                }
            }
        }
    }

    @Test(arguments: StoreEngine.allCases)
    func expiredRowsAreSwept(engine: StoreEngine) async throws {
        let fixture = try await SendingFixture(engine)
        let process = try await fixture.process()
        for index in 0..<51 {
            _ = try await process.admit(.example("+88018120\(10_000 + index)", region: "BD", from: nil))
        }
        let sweeper = Sweeper(
            [SendingCountTable.self, ResendBackoffTable.self, PrefixTable.self, SendingEventTable.self],
            in: process.database)
        try await sweeper.sweep(at: fixture.clock.now)
        #expect(try await process.count("sending_ladders") == 50)
        for (days, table) in [
            (3, "sending_counts"), (3, "sending_ladders"), (8, "sending_ranges"), (91, "sending_events"),
        ] {
            try await sweeper.sweep(at: .midnight + days * 86_400)
            #expect(try await process.count(table) == 0, "\(table)")
            if days < 8 { #expect(try await process.count("sending_ranges") == 1) }
            if days < 91 { #expect(try await process.count("sending_events") == 1) }
        }
        await process.database.close()
    }
}
