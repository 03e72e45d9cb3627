package import Bus
package import Contracts
import PhoneNumbers
package import ServiceRuntime
package import Vocabulary

/// Codes to telephones. This file is the table of contents: one operation, one handler; the handlers stand in the
/// extensions beside it.
package struct MFASMSService: Sendable {
    /// Throws unless an application has shown that it is genuine.
    package typealias DemandAppCredential =
        @Sendable (
            MFASMS.AppCredential, Realm, ProjectConfiguration, ClientContext
        ) async throws -> Void

    package struct Dependencies: Sendable {
        package var now: @Sendable () -> Moment
        package var randomBytes: @Sendable (_ count: Int) -> [UInt8]
        package var store: MFASMSStore
        package var neighbours: Neighbours
        package var demandAppCredential: DemandAppCredential
        /// Why a number gets no messages whatever happens; nil for one that may.
        var regionRefusal: @Sendable (DialledNumber, ProjectConfiguration) -> SMSError? = { _, _ in nil }
        /// The host that codes are for where the project names none.
        package var originDomain: String?
        package var counters: CodeCounters
        package var log: Log
        package var isDev: Bool

        package init(
            now: @escaping @Sendable () -> Moment, randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8],
            store: MFASMSStore, neighbours: Neighbours, demandAppCredential: @escaping DemandAppCredential,
            originDomain: String?, counters: CodeCounters, log: Log, isDev: Bool
        ) {
            self.now = now
            self.randomBytes = randomBytes
            self.store = store
            self.neighbours = neighbours
            self.demandAppCredential = demandAppCredential
            self.originDomain = originDomain
            self.counters = counters
            self.log = log
            self.isDev = isDev
        }
    }

    let dependencies: Dependencies

    package init(_ dependencies: Dependencies) {
        self.dependencies = dependencies
    }

    package func handle(_ operation: MFASMS.Operation, _ call: BusCall) async throws -> BusReply {
        switch operation {
        case .sendSignInCode: try await call.answer(sendSignInCode)
        case .signIn: try await call.answer(signIn)
        case .startEnrollment: try await call.answer(startEnrollment)
        case .finishEnrollment: try await call.answer(finishEnrollment)
        case .startSignIn: try await call.answer(startSignIn)
        case .finishSignIn: try await call.answer(finishSignIn)
        case .startDeviceCheck, .startWebChallenge, .finishWebChallenge: throw WireError(.notImplemented)
        case .listCodes: try await call.answer(listCodes)
        case .readSending: throw WireError(.notImplemented)
        }
    }

    /// What `error` is on the wire; nil for anything we did not expect.
    package func wireError(_ error: any Error) -> WireError? {
        (error as? SMSError).map { WireError($0, now: dependencies.now()) }
    }

    /// Where there is no check of applications: development asks for none, and production sends nothing without one.
    package static func noAppCheck(isDev: Bool) -> DemandAppCredential {
        { _, _, _, _ in if !isDev { throw SMSError.missingAppCredential } }
    }

    private func listCodes(_ request: MFASMS.ListCodes) async throws -> MFASMS.ListCodes.Reply {
        guard dependencies.isDev else { throw SMSError.developersOnly }
        return .init(codes: try await dependencies.store.codes(in: request.realm, at: dependencies.now()))
    }
}

extension MFASMSService {
    /// Identity answers within milliseconds; a notifier that hangs must leave time to say so.
    static let identityPatience = Duration.seconds(4)
    static let notifierPatience = Duration.seconds(3)

    /// One question to a neighbour in the course of `call`, for which nobody waits longer than for the call itself.
    func errand(_ call: BusCall, atMost patience: Duration = Self.identityPatience, once key: String? = nil) -> Errand {
        let left = Duration.milliseconds(max(1, call.deadline.milliseconds - dependencies.now().milliseconds))
        return Errand(trace: call.trace.child(), patience: min(patience, left), idempotencyKey: key)
    }
}
