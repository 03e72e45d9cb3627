package import Bus
package import Contracts
package import DatabaseService
package import ServiceRuntime
package import Vocabulary

/// SMS codes as first and second factor. This file is the table of contents: one operation, one handler.
package struct SMSService: SMSComponent {
    package struct Dependencies: Sendable {
        package var now: @Sendable () -> Moment
        package var randomBytes: @Sendable (_ count: Int) -> [UInt8]
        package var store: SMSStore
        package var peers: any BusRequestSending
        package var configurations: ProjectConfigurations
        package var appVerifier: AppVerifier
        /// Throws unless the application is verified.
        var verifyAppCredential:
            @Sendable (MFASMS.AppCredential, Realm, ProjectConfiguration, ClientContext) async throws -> Void
        /// The host that codes are for, where the project names none.
        package var originDomain: String?
        package var metrics: CodeMetrics
        package var sendingMetrics: SendingMetrics
        package var log: Log
        package var isDev: Bool
    }

    let dependencies: Dependencies

    private var sending: CodeSending { .init(dependencies: dependencies) }
    private var verification: CodeVerification { .init(dependencies: dependencies) }
    private var appVerifier: AppVerifier { dependencies.appVerifier }

    package func handle(_ operation: MFASMS.Operation, _ call: BusCall) async throws -> BusReply {
        switch operation {
        case .startPhoneSignIn: try await call.reply(with: sending.startPhoneSignIn)
        case .finishPhoneSignIn: try await call.reply(with: verification.finishPhoneSignIn)
        case .startEnrollment: try await call.reply(with: sending.startEnrollment)
        case .finishEnrollment: try await call.reply(with: verification.finishEnrollment)
        case .startSignIn: try await call.reply(with: sending.startSignIn)
        case .finishSignIn: try await call.reply(with: verification.finishSignIn)
        case .startPushVerification: try await call.reply(with: appVerifier.startPushVerification)
        case .startWebChallenge: try await call.reply(with: appVerifier.startWebChallenge)
        case .finishWebChallenge: try await call.reply(with: appVerifier.finishWebChallenge)
        case .listCodes: try await call.reply(with: listCodes)
        case .readSendingStatus: try await call.reply(with: readSendingStatus)
        case .readBlocks: try await call.reply(with: readBlocks)
        case .forgetAccounts: try await call.reply(with: forgetAccounts)
        }
    }

    private func listCodes(_ request: MFASMS.ListCodes) async throws -> MFASMS.ListCodes.Reply {
        guard isDev else { throw ServiceError(.operationNotAllowed) }
        return .init(codes: try await store.openCodes(in: request.realm, at: now()))
    }

    private func readSendingStatus(_ request: MFASMS.ReadSendingStatus) async throws -> MFASMS.ReadSendingStatus.Reply {
        try await store.sendingStatus(of: request.project, at: now())
    }

    private func readBlocks(_ request: MFASMS.ReadBlocks) async throws -> MFASMS.ReadBlocks.Reply {
        .init(blocks: try await store.blocks(request, at: now()))
    }

    private func forgetAccounts(_ request: MFASMS.ForgetAccounts) async throws -> EmptyReply {
        try request.check()
        try await store.forget(request.accounts, in: request.realm)
        return EmptyReply()
    }

    /// Identity replies within milliseconds. A notifier that does not reply leaves time to report that.
    static let identityTimeout = Duration.seconds(4)
    /// Identity may call blocking functions.
    static let signInTimeout = identityTimeout + Identity.blockingFunctionsTimeout
    static let notifierTimeout = Duration.seconds(3)
}

/// The service, or one of its handlers. It keeps the dependencies whole.
protocol SMSComponent: Sendable {
    var dependencies: SMSService.Dependencies { get }
}

extension SMSComponent {
    var now: @Sendable () -> Moment { dependencies.now }
    var store: SMSStore { dependencies.store }
    var peers: any BusRequestSending { dependencies.peers }
    var metrics: CodeMetrics { dependencies.metrics }
    var sendingMetrics: SendingMetrics { dependencies.sendingMetrics }
    var log: Log { dependencies.log }
    var isDev: Bool { dependencies.isDev }
}
