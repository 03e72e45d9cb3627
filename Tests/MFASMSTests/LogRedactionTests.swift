import Contracts
import Foundation
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import MFASMSService

/// Security rules SM4 and LG1: copies of the database and logs contain no code, session or phone number.
@Suite struct LogRedactionTests {
    @Test(arguments: [true, false])
    func databaseAndLogContainNoCode(isDev: Bool) async throws {
        let fixture = try await SMSFixture(.file)
        try fixture.giveFactors(["+12025550188"])
        let service = fixture.service(isDev: isDev)
        var sent: [SentMessage] = []
        for number in 0..<20 {
            sent.append(try await fixture.startPhoneSignIn(to: "+120255501\(number + 10)", of: service))
        }
        sent.append(try await fixture.startEnrollment("ada", "+12025550177", of: service))
        sent.append(try await fixture.startSignIn(of: service))
        for message in sent.prefix(10) {
            await #expect(throws: ServiceError(.invalidCode)) {
                try await fixture.signIn(message.sessionInfo, message.invalidCode, of: service)
            }
        }
        for message in sent.prefix(5) { _ = try await fixture.signIn(message.sessionInfo, message.code, of: service) }
        _ = try await fixture.finishEnrollment(sent[20].sessionInfo, sent[20].code, of: service)
        fixture.mesh.state.withLock { $0.notifierRefusal = ServiceError(.unavailable) }
        await #expect(throws: ServiceError(.unavailable)) {
            try await fixture.startPhoneSignIn(to: "+12025550166", of: service)
        }

        var dump = Data()
        for name in try FileManager.default.contentsOfDirectory(atPath: fixture.place.directory.path) {
            dump += try Data(contentsOf: URL(filePath: fixture.place.directory.appending(name)))
        }
        #expect(dump.count > 10_000)
        let log = Data(fixture.lines.all.withLock { $0.joined(separator: "\n") }.utf8)
        #expect(!log.isEmpty)
        let numbers = (0..<20).map { "+120255501\($0 + 10)" } + ["+12025550177", "+12025550188", "+12025550166"]
        for secret in sent.map(\.sessionInfo) + numbers {
            #expect(dump.range(of: Data(secret.utf8)) == nil)
            #expect(log.range(of: Data(secret.utf8)) == nil)
        }
        // Random data may contain six given digits by chance, but not most of twenty codes.
        let found = sent.filter { dump.range(of: Data($0.code.utf8)) != nil }
        #expect(found.count < 5)
        #expect(sent.allSatisfy { !Self.words(log).contains(Substring($0.code)) })
    }

    /// Hexadecimal IDs are one word: their digits contain six given ones by chance.
    private static func words(_ log: Data) -> Set<Substring> {
        Set(String(decoding: log, as: UTF8.self).split { !$0.isNumber && !$0.isLetter })
    }

    @Test func metricsCountVerificationResults() async throws {
        let fixture = try await SMSFixture()
        let sent = try await fixture.startPhoneSignIn()
        await #expect(throws: ServiceError(.invalidCode)) {
            try await fixture.signIn(sent.sessionInfo, sent.invalidCode)
        }
        _ = try await fixture.signIn(sent.sessionInfo, sent.code)
        fixture.mesh.state.withLock { $0.notifierRefusal = ServiceError(.unavailable) }
        await #expect(throws: ServiceError(.unavailable)) { try await fixture.startPhoneSignIn() }
        #expect(
            fixture.metrics.snapshot().first {
                $0.name == "latchkey_sms_messages_total" && $0.labels == ["result": "sent"]
            }?.value == 1)
        func count(_ result: String) -> Double? {
            fixture.metrics.snapshot().first {
                $0.name == "latchkey_sms_codes_total" && $0.labels == ["purpose": "signIn", "result": result]
            }?.value
        }
        #expect(count("verified") == 1 && count("invalid") == 1 && count("undelivered") == 1)
        #expect(count("expired") == 0)
    }
}
