package import Bus
package import Contracts
package import ServiceRuntime
package import Vocabulary

/// SMS codes. This file dispatches each operation to its handler; the handlers are in the extensions beside it.
package struct MFASMSService: Sendable {
    /// Throws unless the app credential is valid.
    typealias VerifyAppCredential =
        @Sendable (
            MFASMS.AppCredential, Realm, ProjectConfiguration, ClientContext
        ) async throws -> Void

    package struct Dependencies: Sendable {
        package var now: @Sendable () -> Moment
        package var randomBytes: @Sendable (_ count: Int) -> [UInt8]
        package var store: MFASMSStore
        package var services: ServiceClients
        package var appVerifier: AppVerifier
        var verifyAppCredential: VerifyAppCredential
        /// The host that codes are bound to if the project names none.
        package var originDomain: String?
        package var counters: CodeMetrics
        package var sendingCounters: SendingMetrics
        package var log: Log
        package var isDev: Bool

        package init(
            now: @escaping @Sendable () -> Moment, randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8],
            store: MFASMSStore, services: ServiceClients, appVerifier: AppVerifier, originDomain: String?,
            counters: CodeMetrics, sendingCounters: SendingMetrics, log: Log, isDev: Bool
        ) {
            self.now = now
            self.randomBytes = randomBytes
            self.store = store
            self.services = services
            self.appVerifier = appVerifier
            verifyAppCredential = { credential, realm, configuration, client in
                try await appVerifier.verify(credential, in: realm, configuration, client)
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
        case .startPhoneSignIn: try await call.reply(with: startPhoneSignIn)
        case .finishPhoneSignIn: try await call.reply(with: finishPhoneSignIn)
        case .startEnrollment: try await call.reply(with: startEnrollment)
        case .finishEnrollment: try await call.reply(with: finishEnrollment)
        case .startSignIn: try await call.reply(with: startSignIn)
        case .finishSignIn: try await call.reply(with: finishSignIn)
        case .startPushVerification: try await call.reply(with: dependencies.appVerifier.startPushVerification)
        case .startWebChallenge: try await call.reply(with: dependencies.appVerifier.startWebChallenge)
        case .finishWebChallenge: try await call.reply(with: dependencies.appVerifier.finishWebChallenge)
        case .listCodes: try await call.reply(with: listCodes)
        case .readSendingStatus: try await call.reply(with: readSendingStatus)
        }
    }

    /// The wire form of `error`; nil for an unexpected error.
    package func wireError(_ error: any Error) -> WireError? {
        (error as? SMSError).map { WireError($0, now: dependencies.now()) }
    }

    private func listCodes(_ request: MFASMS.ListCodes) async throws -> MFASMS.ListCodes.Reply {
        guard dependencies.isDev else { throw SMSError.devModeOnly }
        return .init(codes: try await dependencies.store.openCodes(in: request.realm, at: dependencies.now()))
    }

    private func readSendingStatus(_ request: MFASMS.ReadSendingStatus) async throws -> MFASMS.ReadSendingStatus.Reply {
        try await dependencies.store.sendingStatus(of: request.project, at: dependencies.now())
    }
}

extension MFASMSService {
    /// Identity replies within milliseconds; a notifier that hangs must leave time for an error reply.
    static let identityTimeout = Duration.seconds(4)
    static let notifierTimeout = Duration.seconds(3)

    /// The context of a request to another service during `call`, with at most the remaining time of the call.
    func requestContext(for call: BusCall, timeout: Duration = Self.identityTimeout, idempotencyKey key: String? = nil)
        -> RequestContext
    {
        let left = Duration.milliseconds(max(1, call.deadline.milliseconds(since: dependencies.now())))
        return RequestContext(trace: call.trace.child(), timeout: min(timeout, left), idempotencyKey: key)
    }
}
