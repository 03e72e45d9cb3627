import Foundation
import LatchkeyAdmin
import LatchkeyAuth
import LatchkeyTestKit
import TestSupport
import Testing

extension GuideTests {
    /// The tests of an application, as docs/use/testing.md shows them: with the products alone.
    @Suite struct TestKitTests {
        @Test func applicationTestsItselfWithAServer() async throws {
            let executable = URL(filePath: RunningProgram.buildDirectory + "/latchkey")
            let server = try await LatchkeyServer.start(
                executable: executable, arguments: ["--only", "gateway,identity,mfa-sms,passkey,notifier"])
            do {
                try await readsWhatUsersReceive(server)
                try await usesAPasskey(server)
                try await movesTheTimeOfTheDevice(server)
                try await resetsTheProject(server)
            } catch {
                Issue.record("\(error)\n\(server.log.suffix(8000))")
            }
            try await server.stop()
            await #expect(throws: (any Error).self) { try await server.reset() }
        }

        private func readsWhatUsersReceive(_ server: LatchkeyServer) async throws {
            let auth = server.makeAuth()
            let user = try await auth.createUser(withEmail: "ada@example.com", password: "correct-horse-7").user
            try await user.sendEmailVerification()
            let link = try await server.emailLink(.verifyEmail, to: "ada@example.com")
            let message = try await server.message(to: "ada@example.com", purpose: "verifyEmail")
            #expect(message.text.contains(link.code) && link.url.absoluteString.contains(link.code))
            #expect(!message.subject.isEmpty && message.recipient == "ada@example.com")
            try await auth.applyActionCode(link.code)
            try await user.reload()
            #expect(user.isEmailVerified)
            let phone = PhoneAuthProvider.provider(auth: auth)
            let id = try await phone.verifyPhoneNumber("+15105550142")
            let code = try await server.smsCode(to: "+15105550142")
            #expect(try await server.message(to: "+15105550142").text.contains(code))
            let credential = phone.credential(withVerificationID: id, verificationCode: code)
            #expect(try await auth.signIn(with: credential).user.phoneNumber == "+15105550142")
        }

        private func usesAPasskey(_ server: LatchkeyServer) async throws {
            let auth = server.makeAuth()
            let user = try await auth.signIn(withEmail: "ada@example.com", password: "correct-horse-7").user
            var device = try PasskeyAuthenticator(origin: "https://localhost")
            let created = try device.register(try await user.startPasskeyEnrollment(withName: "Phone"))
            try await user.finalizePasskeyEnrollment(withPlatformCredential: created)
            for _ in 0..<2 {
                let used = try device.authenticate(try await auth.startPasskeySignIn())
                let result = try await auth.finalizePasskeySignIn(withPlatformCredential: used)
                #expect(result.user.uid == user.uid)
            }
        }

        private func movesTheTimeOfTheDevice(_ server: LatchkeyServer) async throws {
            let clock = DeviceClock()
            let user = try await server.makeAuth(clock: clock)
                .createUser(withEmail: "bob@example.com", password: "correct-horse-7").user
            try await server.makeAdmin().deleteUser(user.uid)
            // The device trusts its token until it has to be renewed.
            _ = try await user.getIDToken()
            clock.advance(by: 3600)
            await #expect(throws: AuthErrorCode.self) { try await user.getIDToken() }
        }

        private func resetsTheProject(_ server: LatchkeyServer) async throws {
            let admin = server.makeAdmin()
            #expect(try await admin.getUser(byEmail: "ada@example.com").isEmailVerified)
            try await server.reset()
            await #expect(throws: (any Error).self) { try await admin.getUser(byEmail: "ada@example.com") }
            let other = LatchkeyServer(url: server.url)
            try await other.makeAuth().createUser(withEmail: "ada@example.com", password: "correct-horse-7")
        }
    }
}
