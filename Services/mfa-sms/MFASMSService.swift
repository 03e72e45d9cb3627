package import Bus
package import Contracts
package import ServiceRuntime
package import Vocabulary

/// Codes to telephones. This file is the table of contents: one operation, one handler; the handlers stand in the
/// extensions beside it.
package struct MFASMSService: Sendable {
    /// Throws unless an application has shown that it is genuine.
    typealias DemandAppCredential =
        @Sendable (
            MFASMS.AppCredential, Realm, ProjectConfiguration, ClientContext
        ) async throws -> Void

    package struct Dependencies: Sendable {
        package var now: @Sendable () -> Moment
        package var randomBytes: @Sendable (_ count: Int) -> [UInt8]
        package var store: MFASMSStore
        package var neighbours: Neighbours
        package var appCheck: AppCheck
        var demandAppCredential: DemandAppCredential
        /// The host that codes are for where the project names none.
        package var originDomain: String?
        package var counters: CodeCounters
        package var sendingCounters: SendingCounters
        package var log: Log
        package var isDev: Bool

        package init(
            now: @escaping @Sendable () -> Moment, randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8],
            store: MFASMSStore, neighbours: Neighbours, appCheck: AppCheck, originDomain: String?,
            counters: CodeCounters, sendingCounters: SendingCounters, log: Log, isDev: Bool
        ) {
            self.now = now
            self.randomBytes = randomBytes
            self.store = store
            self.neighbours = neighbours
            self.appCheck = appCheck
            demandAppCredential = { credential, realm, configuration, client in
                try await appCheck.demand(credential, in: realm, configuration, client)
            }
            self.originDomain = originDomain
            self.counters = counters
            self.sendingCounters = sendingCounters
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
        case .startDeviceCheck: try await call.answer(dependencies.appCheck.startDeviceCheck)
        case .startWebChallenge: try await call.answer(dependencies.appCheck.startWebChallenge)
        case .finishWebChallenge: try await call.answer(dependencies.appCheck.finishWebChallenge)
        case .listCodes: try await call.answer(listCodes)
        case .readSending: try await call.answer(readSending)
        }
    }

    /// What `error` is on the wire; nil for anything we did not expect.
    package func wireError(_ error: any Error) -> WireError? {
        (error as? SMSError).map { WireError($0, now: dependencies.now()) }
    }

    private func listCodes(_ request: MFASMS.ListCodes) async throws -> MFASMS.ListCodes.Reply {
        guard dependencies.isDev else { throw SMSError.developersOnly }
        return .init(codes: try await dependencies.store.codes(in: request.realm, at: dependencies.now()))
    }

    private func readSending(_ request: MFASMS.ReadSending) async throws -> MFASMS.ReadSending.Reply {
        try await dependencies.store.sending(of: request.project, at: dependencies.now())
    }
}

extension MFASMSService {
    /// Identity answers within milliseconds; a notifier that hangs must leave time to say so.
    static let identityPatience = Duration.seconds(4)
    static let notifierPatience = Duration.seconds(3)

    /// One question to a neighbour in the course of `call`, for which nobody waits longer than for the call itself.
    func errand(_ call: BusCall, atMost patience: Duration = Self.identityPatience, once key: String? = nil) -> Errand {
        let left = Duration.milliseconds(max(1, call.deadline.milliseconds(since: dependencies.now())))
        return Errand(trace: call.trace.child(), patience: min(patience, left), idempotencyKey: key)
    }
}
