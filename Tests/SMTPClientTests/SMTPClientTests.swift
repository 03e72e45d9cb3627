import Foundation
import SMTPClient
import Synchronization
import Testing
import Vocabulary

/// Tests over real sockets, with a faulty server.
@Suite struct SMTPClientTests {
    private typealias Reaction = FakeSMTPServer.Reaction

    static func message(to recipient: String = "ada@example.com", id: String = "0123456789abcdef") throws -> SMTPMessage
    {
        SMTPMessage(
            id: id, date: Moment(milliseconds: 1_795_214_173_806),
            returnPath: try #require(EmailAddress("bounce@example.org")),
            from: .init(name: "Żółw, Inc.", address: try #require(EmailAddress("noreply@example.org"))),
            replyTo: EmailAddress("help@example.org"), recipient: try #require(EmailAddress(recipient)),
            subject: "Réinitialisez votre mot de passe", language: "fr", text: "Bonjour,\n.\nÀ bientôt\n",
            html: "<p>À bientôt</p>\n")
    }

    private func client(_ url: String, _ change: (inout SMTPClient.Limits) -> Void = { _ in }) throws -> SMTPClient {
        var limits = SMTPClient.Limits()
        limits.connectTime = .seconds(5)
        limits.totalTime = .seconds(20)
        change(&limits)
        return SMTPClient(try SMTPServer(url), limits)
    }

    @Test func messageArrives() async throws {
        let server = try FakeSMTPServer()
        defer { server.stop() }
        try await client(server.url).send(Self.message())
        let mail = try #require(server.mails.first)
        #expect(mail.commands.dropFirst() == ["MAIL FROM:<bounce@example.org>", "RCPT TO:<ada@example.com>", "DATA"])
        for line in [
            "Date: Fri, 20 Nov 2026 22:36:13 +0000", "To: ada@example.com", "Reply-To: help@example.org",
            "From: =?UTF-8?B?xbvDs8WCdywgSW5jLg==?=", " <noreply@example.org>",
            "Subject: =?UTF-8?B?UsOpaW5pdGlhbGlzZXogdm90cmUgbW90IGRlIHBhc3Nl?=",
            "Message-ID: <0123456789abcdef@example.org>", "Auto-Submitted: auto-generated", "Content-Language: fr",
            "Mime-Version: 1.0", "Content-Type: text/plain; charset=utf-8", "Content-Type: text/html; charset=utf-8",
            "Content-Transfer-Encoding: quoted-printable", "=C3=80 bient=C3=B4t",
        ] {
            #expect(mail.data.contains(line + "\r\n"), "\(line)\n\(mail.data)")
        }
        #expect(mail.data.contains("Content-Type: multipart/alternative; boundary="))
        // A line with a single dot is not the end of the message.
        #expect(mail.data.contains("\r\n..\r\n") || mail.data.contains("=2E"))
    }

    @Test func connectionIsCheckedWithoutMessage() async throws {
        let server = try FakeSMTPServer()
        defer { server.stop() }
        try await client(server.url).checkConnection()
        #expect(server.mails.isEmpty && server.connections == 1)
        // No server listens on this reserved port.
        await #expect(throws: SMTPError.cannotConnect) { try await client("smtp://127.0.0.1:1").checkConnection() }
    }

    @Test func connectionsAreReused() async throws {
        let server = try FakeSMTPServer()
        defer { server.stop() }
        let client = try client(server.url) { $0.connections = 1 }
        for number in 0..<5 { try await client.send(Self.message(id: "\(number)")) }
        #expect(server.mails.count == 5)
        #expect(server.connections == 1)
    }

    @Test func closedConnectionIsReplaced() async throws {
        let messages = Mutex(0)
        let server = try FakeSMTPServer { command, connection in
            guard connection == 1, command.hasPrefix("MAIL") else { return nil }
            // The connection is closed when the second message comes, as after an idle timeout.
            return messages.withLock { count in
                count += 1
                return count == 2 ? .drop : nil
            }
        }
        defer { server.stop() }
        let client = try client(server.url) { $0.connections = 1 }
        try await client.send(Self.message(id: "1"))
        try await client.send(Self.message(id: "2"))
        #expect(server.mails.count == 2)
        #expect(server.connections == 2)
    }

    @Test(arguments: [
        ("MAIL", SMTPStage.sender), ("RCPT", .recipient), ("DATA", .content), (".", .content),
    ])
    func refusalNamesStageAndCode(command: String, stage: SMTPStage) async throws {
        for code in [421, 450, 452, 550, 554] {
            let server = try FakeSMTPServer { given, _ in
                given.hasPrefix(command) ? .reply("\(code) no") : nil
            }
            defer { server.stop() }
            await #expect(throws: SMTPError.refused(stage, code: code)) {
                try await client(server.url).send(Self.message())
            }
            #expect(server.mails.isEmpty)
        }
    }

    @Test func greetingCanRefuse() async throws {
        let server = try FakeSMTPServer { command, _ in command.isEmpty ? .reply("554 not today") : nil }
        defer { server.stop() }
        await #expect(throws: SMTPError.refused(.connect, code: 554)) {
            try await client(server.url).send(Self.message())
        }
    }

    @Test(arguments: [
        ("", SMTPStage.connect), ("EHLO", .greeting), ("MAIL", .sender), ("RCPT", .recipient), ("DATA", .content),
        (".", .content),
    ])
    func hangingServerTimesOut(command: String, stage: SMTPStage) async throws {
        let server = try FakeSMTPServer { given, _ in
            given == command || (!command.isEmpty && given.hasPrefix(command)) ? .hang : nil
        }
        defer { server.stop() }
        await #expect(throws: SMTPError.timedOut(stage)) {
            try await client(server.url) { $0.totalTime = .milliseconds(300) }.send(Self.message())
        }
    }

    @Test func slowServerTimesOut() async throws {
        let server = try FakeSMTPServer { command, _ in
            command == "." ? .drip("250-" + String(repeating: "x", count: 200)) : nil
        }
        defer { server.stop() }
        await #expect(throws: SMTPError.timedOut(.content)) {
            try await client(server.url) { $0.totalTime = .milliseconds(500) }.send(Self.message())
        }
    }

    @Test(arguments: [
        ("", SMTPStage.connect), ("EHLO", .greeting), ("MAIL", .sender), ("RCPT", .recipient), ("DATA", .content),
        (".", .content),
    ])
    func lostConnectionNamesStage(command: String, stage: SMTPStage) async throws {
        let server = try FakeSMTPServer { given, _ in
            given == command || (!command.isEmpty && given.hasPrefix(command)) ? .drop : nil
        }
        defer { server.stop() }
        await #expect(throws: SMTPError.connectionLost(stage)) {
            try await client(server.url).send(Self.message())
        }
    }

    @Test func requiredSTARTTLSPreventsSending() async throws {
        let server = try FakeSMTPServer()
        defer { server.stop() }
        await #expect(throws: SMTPError.noTLS) {
            try await client(server.url + "?starttls=required").send(Self.message())
        }
        #expect(server.mails.isEmpty)
    }

    @Test func refusedLoginIsReportedAsAuthentication() async throws {
        let server = try FakeSMTPServer { command, _ in
            if command.hasPrefix("EHLO") { return .reply("250-fake\r\n250 AUTH PLAIN") }
            return command.hasPrefix("AUTH") ? .reply("535 no") : nil
        }
        defer { server.stop() }
        await #expect(throws: SMTPError.authentication) {
            try await client("smtp://me:secret@127.0.0.1:\(server.port)").send(Self.message())
        }
        #expect(server.mails.isEmpty)
    }

    @Test func serverWithoutAuthGetsNoPassword() async throws {
        let server = try FakeSMTPServer()
        defer { server.stop() }
        try await client("smtp://me:secret@127.0.0.1:\(server.port)").send(Self.message())
        #expect(server.mails.first?.commands.contains { $0.hasPrefix("AUTH") } == false)
    }

    @Test func unreachableServerIsReported() async throws {
        let server = try FakeSMTPServer()
        server.stop()
        await #expect(throws: SMTPError.self) { try await client(server.url).send(Self.message()) }
        await #expect(throws: SMTPError.cannotResolve) {
            try await client("smtp://no-such-host.invalid?starttls=never").send(Self.message())
        }
    }

    @Test func malformedTLSIsReported() async throws {
        let server = try FakeSMTPServer()
        defer { server.stop() }
        await #expect { try await client("smtps://127.0.0.1:\(server.port)").send(Self.message()) } throws: { error in
            if case .tls = error as? SMTPError { true } else { false }
        }
    }

    // MARK: Addresses beyond ASCII

    @Test func domainIsSentInDNSForm() async throws {
        let server = try FakeSMTPServer()
        defer { server.stop() }
        try await client(server.url).send(Self.message(to: "ada@münchen.example"))
        let mail = try #require(server.mails.first)
        #expect(mail.commands.contains("RCPT TO:<ada@xn--mnchen-3ya.example>"))
        #expect(mail.data.contains("To: ada@xn--mnchen-3ya.example\r\n"))
    }

    @Test func internationalLocalPartRequiresSMTPUTF8() async throws {
        let server = try FakeSMTPServer { command, _ in
            command.hasPrefix("EHLO") ? .reply("250-fake\r\n250-SMTPUTF8\r\n250 8BITMIME") : nil
        }
        defer { server.stop() }
        let client = try client(server.url) { $0.connections = 1 }
        // On a new connection, and on a kept one.
        for recipient in ["żółw@example.com", "ada@example.com", "żółw@example.com"] {
            try await client.send(Self.message(to: recipient))
        }
        #expect(server.mails[0].commands.contains("MAIL FROM:<bounce@example.org> SMTPUTF8"))
        #expect(server.mails[0].commands.contains("RCPT TO:<żółw@example.com>"))
        #expect(server.mails[0].data.contains("To: żółw@example.com\r\n"))
        #expect(server.mails[1].commands.contains("MAIL FROM:<bounce@example.org>"))
        #expect(server.mails[2].commands.contains("MAIL FROM:<bounce@example.org> SMTPUTF8"))
    }

    @Test func serverWithoutSMTPUTF8GetsNoMessage() async throws {
        let server = try FakeSMTPServer()
        defer { server.stop() }
        let client = try client(server.url) { $0.connections = 1 }
        try await client.send(Self.message())
        await #expect(throws: SMTPError.noInternationalAddresses) {
            try await client.send(Self.message(to: "żółw@example.com"))
        }
        #expect(server.mails.count == 1)
    }

    // MARK: Abort

    @Test func runningDeliveryIsAborted() async throws {
        let reached = AsyncStream.makeStream(of: Void.self)
        let server = try FakeSMTPServer { command, _ in
            guard command == "." else { return nil }
            reached.continuation.yield()
            return .hang
        }
        defer { server.stop() }
        let client = try client(server.url)
        let sending = Task { try await client.send(Self.message()) }
        for await _ in reached.stream { break }
        client.abort()
        await #expect(throws: SMTPError.aborted) { try await sending.value }
        await #expect(throws: SMTPError.aborted) { try await client.send(Self.message()) }
    }
}
