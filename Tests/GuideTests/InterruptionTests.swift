import Foundation
import LatchkeyAuth
import Synchronization
import TestSupport
import Testing

extension GuideTests {
    /// Interruptions of the mesh that an application must not notice.
    @Suite struct InterruptionTests {
        /// The process that replies is suspended until every caller waits.
        @Test func parallelCallersShareOneRefresh() async throws {
            try await GuideApplication.running("gateway,identity", environment: ["LATCHKEY_LOG": "debug"]) {
                application in
                let mesh = application.mesh
                let user = try await application.signUp(TestUser()).user
                let callers = Counter()
                try await mesh.suspend("identity.1")
                async let tokens = withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<100 {
                        group.addTask {
                            callers.increment()
                            return try await user.getIDToken(forcingRefresh: true)
                        }
                    }
                    return try await group.reduce(into: Set()) { $0.insert($1) }
                }
                try await eventually("every caller waited") { callers.value == 100 }
                try mesh.resume("identity.1")
                let new = try await tokens
                #expect(new.count == 1)
                try await eventually("the log had the refresh") { mesh.refreshCount > 0 }
                #expect(mesh.refreshCount == 1)
            }
        }

        /// The second factor is entered while the mesh is down, and completes the sign-in at the next mesh.
        @Test(arguments: Form.allCases)
        func restartOfMeshCostsOnlyRetry(form: Form) async throws {
            let services = ["--only", "gateway,identity,mfa-sms,notifier"]
            let first = try await RunningMesh(services)
            let application = GuideApplication(mesh: first)
            application.start()
            try await application.enablePhones()
            let (person, phoneNumber) = (TestUser(), "+12025550104")
            let new = try await application.signUpVerified(person)
            let guide = await SMSGuide(screen: GuideScreen { _ in try await application.smsCode(to: phoneNumber) })
            try await guide.enroll(phoneNumber: phoneNumber, displayName: "telephone")

            application.start()
            let resolver = try await completion {
                guide.resolver(withEmail: person.email, password: person.password, completion: $0)
            }
            let verificationID = try await completion {
                guide.sendSignInCode(resolver, selectedIndex: 0, completion: $0)
            }
            let code = try await application.smsCode(to: phoneNumber)
            let port = try #require(URL(string: first.client.origin)?.port)
            #expect(try await first.stop() == .code(0))

            async let second = RunningMesh(services, in: first.directory, port: port)
            let result = try await repeatingAfterNetworkErrors {
                switch form {
                case .async:
                    try await resolver.resolveSignIn(
                        with: PhoneMultiFactorGenerator.assertion(
                            with: PhoneAuthProvider.provider().credential(
                                withVerificationID: verificationID, verificationCode: code)))
                case .completionHandlers:
                    try await completion {
                        guide.finishSignIn(
                            resolver, verificationId: verificationID, verificationCodeFromUser: code, completion: $0)
                    }
                }
            }
            #expect(result.user.uid == new.user.uid)
            let restarted = try await second
            let former = result.user.refreshToken
            _ = try await result.user.getIDToken(forcingRefresh: true)
            #expect(result.user.refreshToken != former)
            #expect(try await restarted.stop() == .code(0))
        }

        @Test func killedProcessCostsOnlyRetry() async throws {
            try await GuideApplication.running("gateway,identity") { application in
                let persons = (0..<4).map { _ in TestUser() }
                for person in persons { _ = try await application.signUp(person) }
                let rounds = Counter()
                try await withThrowingTaskGroup { group in
                    for person in persons {
                        let auth = application.mesh.makeAuth()
                        group.addTask {
                            while !Task.isCancelled {
                                try await repeatingAfterNetworkErrors {
                                    let user = try await auth.signIn(person).user
                                    _ = try await user.getIDToken(forcingRefresh: true)
                                    try await user.reload()
                                }
                                rounds.increment()
                            }
                        }
                    }
                    group.addTask {
                        for turn in 0..<2 {
                            let goal = rounds.value + 8
                            try await eventually("more calls succeeded") { rounds.value >= goal }
                            if turn == 0 { try await application.mesh.killAndReplace("identity.1") }
                        }
                    }
                    // The first task that ends: the interruption, or a device whose call failed.
                    try await group.next()
                    group.cancelAll()
                }
            }
        }
    }
}

/// Makes a call again while the mesh cannot be reached, as a user does. The library retries for some seconds, which is
/// too short for the start of a process on a busy machine.
private func repeatingAfterNetworkErrors<Value: Sendable>(_ call: () async throws -> Value) async throws -> Value {
    try await waitFor("the mesh was reached") {
        do {
            return try await call()
        } catch let error as AuthErrorCode where error.code == .networkError {
            return nil
        }
    }
}

private final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    func increment() { count.withLock { $0 += 1 } }
}

extension RunningMesh {
    /// The requests for new tokens that the gateway has completed.
    fileprivate var refreshCount: Int { lines(of: "request.completed").count { $0.contains("/v1/token\"") } }
}
